package process

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// errBatchArgument refuses an argument that a batch file cannot get as it is.
var errBatchArgument = errors.New(`a batch file cannot be given an argument with a double quote, a percent sign or a control character`)

// isBatch reports whether Windows runs a file by its command interpreter. Windows cuts
// dots and spaces off the ends of names.
func isBatch(path string) bool {
	switch strings.ToLower(filepath.Ext(strings.TrimRight(path, ". "))) {
	case ".bat", ".cmd":
		return true
	}
	return false
}

// batchLine is the command line of the interpreter of Windows that runs a batch file, such
// as npm.cmd, with arguments. Other programs take their command line apart by other rules
// than the interpreter, which would begin another command at the & of an argument. Here
// every word is in quotes, within which only the quote and the percent sign mean
// something, and words that have these are refused with errBatchArgument: there is no
// form of them that every batch file hands on.
func batchLine(path string, args []string) (string, error) {
	line := strings.Builder{}
	line.WriteString(`cmd.exe /d /e:on /v:off /s /c "`) // no commands of the registry's; ! means nothing; the outer quotes go
	for i, word := range append([]string{path}, args...) {
		if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '%' }) {
			return "", fmt.Errorf("%w: %q", errBatchArgument, word)
		}
		if i > 0 {
			line.WriteByte(' ')
		}
		// The program that the batch file starts would take a backslash and the quote for one sign.
		backslashes := word[len(strings.TrimRight(word, `\`)):]
		line.WriteString(`"` + word + backslashes + `"`)
	}
	line.WriteByte('"')
	return line.String(), nil
}
