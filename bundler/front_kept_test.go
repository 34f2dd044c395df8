package bundler_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// keptCode is the place of a file of compiled code below a home.
func keptCode(home, name string) string {
	return filepath.Join(home, ".cache", "omcbuild-code", name)
}

// keptBy runs a program until it has kept its compiled code below home, and returns
// the file.
func keptBy(t *testing.T, program, home string) string {
	t.Helper()
	there, _ := filepath.Glob(keptCode(home, "*"))
	s := startSession(t, []string{"HOME=" + home}, program)
	s.send(list)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, _ := filepath.Glob(keptCode(home, "*"))
		for _, file := range found {
			if !slices.Contains(there, file) && !strings.HasSuffix(file, "."+strconv.Itoa(s.cmd.Process.Pid)) {
				return file
			}
		}
	}
	t.Fatal("no compiled code was kept in a minute")
	return ""
}

// Compiled code is kept by the first start and used by the next, unless anything is
// odd about it.
func TestFrontKeepsCompiledCode(t *testing.T) {
	server := func(word string) string {
		return "console.error('" + word + "');\nprocess.stdin.resume();\n"
	}
	one, other := newPair(t, server("one"), echoFront()), newPair(t, server("two"), echoFront())
	home, elsewhere := t.TempDir(), t.TempDir()
	file := keptBy(t, one.fronted, home)
	code, err := os.ReadFile(keptBy(t, other.fronted, elsewhere))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v %v", info, err)
	}
	said := func(env ...string) string {
		return strings.TrimSpace(runNode(t, list, append([]string{"HOME=" + home}, env...), one.fronted).stderr)
	}
	put := func(text []byte, mode os.FileMode) {
		t.Helper()
		_ = os.Remove(file)
		if err := os.WriteFile(file, text, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	if got := said(); got != "one" {
		t.Errorf("from kept code: %q", got)
	}
	// Code of another text in this place shows whether it is used.
	put(code, 0o600)
	if got := said(); got != "two" {
		t.Errorf("kept code is not used: %q", got)
	}
	for name, got := range map[string]string{
		"switched off": said("NODE_DISABLE_COMPILE_CACHE=1"), "front off": said("OMCBUILD_FRONT=0"), "another home": said("HOME=" + t.TempDir()),
		"no home": said("HOME="), "a home that is not there": said("HOME=" + home + "/a/b"),
	} {
		if !strings.HasSuffix(got, "one") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := os.Stat(home + "/a"); err == nil {
		t.Error("a home was made")
	}
	put(code, 0o666)
	if got := said(); got != "one" {
		t.Errorf("a file that all can write: %q", got)
	}
	broken := append([]byte{}, code...)
	broken[len(broken)/2] ^= 1
	for _, text := range [][]byte{broken, code[:len(code)-9], code[:20], {}} {
		put(text, 0o600)
		if got := said(); got != "one" {
			t.Errorf("broken code of %d bytes: %q", len(text), got)
		}
	}
	put(code, 0o600)
	if err := os.Chmod(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := said(); got != "one" {
		t.Errorf("a folder that all can write: %q", got)
	}
}

// Equal programs in two places have code of their own: it names them in stack traces.
func TestFrontKeepsCodeByPlace(t *testing.T) {
	server := "console.error(new Error().stack.split('\\n')[1]);\nprocess.stdin.resume();\n"
	one, other, home := newPair(t, server, echoFront()), newPair(t, server, echoFront()), t.TempDir()
	for _, program := range []string{one.fronted, other.fronted} {
		keptBy(t, program, home)
		if got := runNode(t, list, []string{"HOME=" + home}, program).stderr; !strings.Contains(got, program+":") {
			t.Errorf("%s names %s", program, got)
		}
	}
}

// Whoever edits a bundle by hand gets what he wrote, also when its length and its time
// are as before.
func TestFrontKeepsNoCodeOfAnotherText(t *testing.T) {
	pair, home := newPair(t, "console.error('one');\nprocess.stdin.resume();\n", echoFront()), t.TempDir()
	keptBy(t, pair.fronted, home)
	before, errStat := os.Stat(pair.fronted)
	text, errRead := os.ReadFile(pair.fronted)
	if err := errors.Join(errStat, errRead); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"two", "six"} {
		edited := strings.Replace(string(text), "console.error('one')", "console.error('"+word+"')", 1)
		if err := errors.Join(os.WriteFile(pair.fronted, []byte(edited), 0o755), os.Chtimes(pair.fronted, before.ModTime(), before.ModTime())); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(runNode(t, list, []string{"HOME=" + home}, pair.fronted).stderr); got != word {
			t.Errorf("says %q, want %q", got, word)
		}
	}
}

// What was not used for the longest time goes; what is not the front's own stays.
func TestFrontKeepsTwelveFiles(t *testing.T) {
	pair, home := newPair(t, "process.stdin.resume();\n", echoFront()), t.TempDir()
	old := func(n int) string { return keptCode(home, fmt.Sprintf("%032x-v20.0.0-x64", n)) }
	foreign := []string{keptCode(home, "turn.lock"), keptCode(home, "notes-v1")}
	inside := filepath.Join(old(99), "inside") // a folder cannot be removed as a file is
	if err := os.MkdirAll(filepath.Dir(inside), 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name string, age time.Duration) {
		t.Helper()
		at := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 15 {
		put(old(n), time.Duration(n+1)*time.Hour)
	}
	put(foreign[0], 99*time.Hour)
	put(foreign[1], 99*time.Hour)
	put(inside, 0)
	long := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(filepath.Dir(inside), long, long); err != nil {
		t.Fatal(err)
	}
	file := keptBy(t, pair.fronted, home)
	for n := range 15 {
		gone := func() bool { _, err := os.Stat(old(n)); return err != nil }
		for deadline := time.Now().Add(time.Minute); n >= 11 && !gone() && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
		if gone() != (n >= 11) {
			t.Errorf("file %d of 15, by age: gone is %v", n, gone())
		}
	}
	for _, name := range append(foreign, inside) {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if err := os.Chtimes(file, long, long); err != nil {
		t.Fatal(err)
	}
	runNode(t, list, []string{"HOME=" + home}, pair.fronted)
	if info, err := os.Stat(file); err != nil || time.Since(info.ModTime()) > 10*time.Hour {
		t.Errorf("a use is not noted: %v %v", info.ModTime(), err)
	}
}
