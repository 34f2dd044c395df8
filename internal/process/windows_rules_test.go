package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What Windows does with the names of programs, on any system.
func TestLookPathByTheRulesOfWindows(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, file := range []string{
		filepath.Join(first, "npm"), // npm's own script for other shells: no program on Windows
		filepath.Join(second, "npm.cmd"),
		filepath.Join(second, "git.exe"),
		filepath.Join(second, "git.cmd"),
		filepath.Join(second, "run.ps1"),
		filepath.Join(second, "python3.11.exe"),
	} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{"", "relative", first, second}, string(filepath.ListSeparator))
	for name, want := range map[string]string{
		"npm":          "npm.cmd",
		"npm.cmd":      "npm.cmd",
		"git":          "git.exe", // before git.cmd
		"git.cmd":      "git.cmd",
		"git.exe":      "git.exe",
		"python3.11":   "python3.11.exe",
		"run":          "",
		"run.ps1":      "",
		"node":         "",
		"relative/npm": "",
		"git.exe.exe":  "",
	} {
		got, err := lookPath("windows", name, path)
		if want != "" {
			want = filepath.Join(second, want)
		}
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s is %q (%v), want %q", name, got, err, want)
		}
	}
	// By the rules of other systems none of these has the bit of a program.
	for _, name := range []string{"npm", "npm.cmd", "git"} {
		if got, err := lookPath("linux", name, path); err == nil {
			t.Errorf("%s is %q elsewhere, though nobody may run it", name, got)
		}
	}
}

func TestBatchFilesAreTold(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\nodejs\npm.cmd`: true, `C:\nodejs\NPM.CMD`: true, `C:\a b\x.Bat`: true, `\\server\share\x.bat`: true,
		`C:\nodejs\npm.cmd.`: true, `C:\nodejs\npm.cmd. .`: true,
		`C:\nodejs\node.exe`: false, `C:\x.cmd\node.exe`: false, `C:\nodejs\npm`: false, "": false,
	} {
		if got := isBatch(path); got != want {
			t.Errorf("isBatch(%q) = %v", path, got)
		}
	}
}

func TestLineOfABatchFile(t *testing.T) {
	const begin = `cmd.exe /d /e:on /v:off /s /c "`
	for _, test := range []struct {
		path string
		args []string
		want string
	}{
		{`C:\nodejs\npm.cmd`, []string{"root", "-g"}, `"C:\nodejs\npm.cmd" "root" "-g""`},
		{`C:\Program Files\nodejs\npm.cmd`, []string{"pack", "--dry-run"}, `"C:\Program Files\nodejs\npm.cmd" "pack" "--dry-run""`},
		{`\\server\share\x.bat`, nil, `"\\server\share\x.bat""`},
		// Each of these would begin another command, or be taken away, outside of quotes.
		{`C:\x.cmd`, []string{"a&calc", "b|c", "<in", ">out", "(x)", "^", "!name!", "a b", ""}, `"C:\x.cmd" "a&calc" "b|c" "<in" ">out" "(x)" "^" "!name!" "a b" """`},
		// The quote at the end stays one.
		{`C:\x.cmd`, []string{`C:\folder\`, `\\`}, `"C:\x.cmd" "C:\folder\\" "\\\\""`},
	} {
		got, err := batchLine(test.path, test.args)
		if err != nil || got != begin+test.want {
			t.Errorf("%s %q: %v\n got %s\nwant %s", test.path, test.args, err, got, begin+test.want)
		}
	}
	for _, argument := range []string{`"&calc&"`, `%PATH%`, "a\nb", "a\r\nb", "a\x00b", `\"`} {
		if line, err := batchLine(`C:\x.cmd`, []string{argument}); !errors.Is(err, errBatchArgument) {
			t.Errorf("%q is passed on: %s", argument, line)
		}
	}
	if _, err := batchLine(`C:\100%\x.cmd`, nil); !errors.Is(err, errBatchArgument) {
		t.Error("the path of a batch file may not hold a percent sign")
	}
}
