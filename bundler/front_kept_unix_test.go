//go:build unix

package bundler_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of kept code would hold up the start until somebody writes to it.
func TestFrontKeptCodeIsAFile(t *testing.T) {
	pair, home := newPair(t, "console.error('one');\nprocess.stdin.resume();\n", echoFront()), t.TempDir()
	file := keptBy(t, pair.fronted, home)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(runNode(t, list, []string{"HOME=" + home}, pair.fronted).stderr); got != "one" {
		t.Errorf("with a pipe: %q", got)
	}
}
