package bundler_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// keptBy runs a program until it has kept its compiled code below home, and returns
// the file.
func keptBy(t *testing.T, program, home string) string {
	t.Helper()
	s := startSession(t, []string{"HOME=" + home}, program)
	s.send(list)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(home, ".cache", "omcbuild", "*"))
		if len(found) == 1 && !strings.HasSuffix(found[0], "."+strconv.Itoa(s.cmd.Process.Pid)) {
			return found[0]
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
