//go:build unix

package analysis_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browsers are the names that Chromium goes by.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// browser is a page in Chromium, and what it did that it should not.
type browser struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

// openPage shows a page of HTML, in a browser of its own that is ended with the test.
func openPage(t *testing.T, page []byte) *browser {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, ctx: startBrowser(t)}
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
	if err := chromedp.Listen(b.ctx, func(event any) { b.notice(event, address) }); err != nil {
		t.Fatal(err)
	}
	b.run(enable(network.Enable, network.EnableParams{}), enable(cdplog.Enable, cdp.Empty{}), chromedp.Navigate(address), chromedp.WaitReady("#map .tile"))
	return b
}

func enable[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// startBrowser starts Chromium with a profile of its own, in a process group that is
// ended with the test. Its sandbox needs rights that root in a container has not.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Fatalf("this test needs a browser: none of %s is on PATH; on Debian, apt-get install chromium", strings.Join(browsers, ", "))
	}
	var started *exec.Cmd
	profile := t.TempDir()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(profile),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"), chromedp.WindowSize(1280, 800), chromedp.WSURLReadTimeout(time.Minute),
		chromedp.ModifyCmdFunc(func(c *exec.Cmd) { started, c.SysProcAttr = c, &syscall.SysProcAttr{Setpgid: true} }))
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		closing, stop := context.WithTimeout(ctx, 20*time.Second)
		_ = chromedp.Cancel(closing)
		stop()
		cancel()
		release()
		if started != nil && started.Process != nil {
			_ = syscall.Kill(-started.Process.Pid, syscall.SIGKILL)
		}
		remove(t, profile)
	})
	return ctx
}

// remove removes a folder into which processes that were just killed may still write.
func remove(t *testing.T, folder string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := os.RemoveAll(folder)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// notice keeps requests, errors and dialogs.
func (b *browser) notice(event any, address string) {
	said := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Request.URL != address {
			said = "asked for " + e.Request.URL
		}
	case *cdplog.EventEntryAdded:
		said = "logged " + e.Entry.Text
	case *runtime.EventExceptionThrown:
		said = fmt.Sprintf("threw %v", e.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		said = "printed to the console"
	}
	if said != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.bad = append(b.bad, said)
	}
}

// patience is how long one step may take on a busy machine.
const patience = time.Minute

func (b *browser) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// value evaluates an expression.
func (b *browser) value(expression string) any {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// expect holds the text of an expression's value against what it should be.
func (b *browser) expect(expression, want string) {
	b.t.Helper()
	if got := fmt.Sprint(b.value(expression)); got != want {
		b.t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

func (b *browser) press(keys string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(keys))
}

// settle waits until what was asked for has been drawn.
func (b *browser) settle() {
	b.t.Helper()
	b.value(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))`)
}

// harmless fails when the page asked for anything, threw, or was stopped by its policy.
func (b *browser) harmless() {
	b.t.Helper()
	b.settle()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, said := range b.bad {
		b.t.Errorf("the page %s", said)
	}
}
