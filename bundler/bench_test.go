package bundler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"omcbuild/bundler"
)

// onceVariable makes the test program build once and exit, as a one-shot command
// would; its value is the options as JSON. The bundle goes into the file that
// outVariable names.
const (
	onceVariable = "OMCBUILD_BENCH_ONCE"
	outVariable  = "OMCBUILD_BENCH_OUT"
)

func TestMain(m *testing.M) {
	text := os.Getenv(onceVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	debug.SetGCPercent(-1)
	bundler.LargeStacks()
	var o bundler.Options
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	result, err := bundler.Build(context.Background(), o)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Getenv(outVariable), result.Outputs[0].Contents, 0o755); err != nil {
		panic(err)
	}
	os.Exit(0)
}

// benchOptions bundle the project's own server.
func benchOptions(b *testing.B) bundler.Options {
	root, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	return bundler.Options{Root: root, Entry: "src/mcp/standalone-server.ts", Outfile: "bridge/mcp-server.cjs", External: []string{"@ast-grep/napi", "better-sqlite3"}}
}

// BenchmarkAgainstEsbuildCommand times one whole process of ours, collector off, and
// one of esbuild's own command of the same version, in turns, and reports the medians
// and their ratio.
func BenchmarkAgainstEsbuildCommand(b *testing.B) {
	o := benchOptions(b)
	dir := b.TempDir()
	command := filepath.Join(dir, "esbuild")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", command, "github.com/evanw/esbuild/cmd/esbuild").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	text, _ := json.Marshal(o)
	run := func(cmd *exec.Cmd) time.Duration {
		cmd.Dir = o.Root
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		return time.Since(start)
	}
	var ours, theirs []time.Duration
	for b.Loop() {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), onceVariable+"="+string(text), outVariable+"="+filepath.Join(dir, "own.cjs"))
		ours = append(ours, run(cmd))
		theirs = append(theirs, run(exec.Command(command, o.Entry, "--bundle", "--platform=node", "--format=cjs", "--target=node20",
			"--main-fields=module,main", "--charset=utf8", "--external:@ast-grep/napi", "--external:better-sqlite3", "--log-level=error",
			"--outfile="+filepath.Join(dir, "out.cjs"))))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mine, other := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(mine.Microseconds())/1000, "ours-ms")
	b.ReportMetric(float64(other.Microseconds())/1000, "esbuild-ms")
	b.ReportMetric(float64(mine)/float64(other), "ratio")
	b.ReportMetric(0, "ns/op")
}

func TestLargeStacksLeaveTheCollectorAsItIs(t *testing.T) {
	before := debug.SetGCPercent(123)
	bundler.LargeStacks()
	if percent := debug.SetGCPercent(before); percent != 123 {
		t.Errorf("the collector runs at %d per cent", percent)
	}
}

// BenchmarkUpToDate times the check of an unchanged project.
func BenchmarkUpToDate(b *testing.B) {
	o := benchOptions(b)
	result, err := bundler.Build(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	result.Stamp.Outputs = nil // the outputs are not in place
	b.ReportMetric(float64(len(result.Stamp.Files)), "files")
	for b.Loop() {
		if fresh, reason := result.Stamp.UpToDate(o.Root, o); !fresh {
			b.Fatal(reason)
		}
	}
}

// BenchmarkBuild times builds in one process, for profiles.
func BenchmarkBuild(b *testing.B) {
	o := benchOptions(b)
	for b.Loop() {
		if _, err := bundler.Build(context.Background(), o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSave times what a session makes of a saved module and of building as a whole
// after it, in turns, in a copy of the project.
func BenchmarkSave(b *testing.B) {
	o := benchOptions(b)
	root := b.TempDir()
	if err := os.CopyFS(filepath.Join(root, "src"), os.DirFS(filepath.Join(o.Root, "src"))); err != nil {
		b.Fatal(err)
	}
	o.Root = root
	s := bundler.NewSession(o)
	defer s.Close()
	file := filepath.Join(root, filepath.FromSlash(o.Entry))
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Build(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := s.Prepare(context.Background()); err != nil {
		b.Fatal(err)
	}
	var quick, whole time.Duration
	rounds := 0
	for b.Loop() {
		rounds++
		if err := os.WriteFile(file, append(bytes.Clone(text), fmt.Sprintf("\nconsole.error(%d);\n", rounds)...), 0o644); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		u, err := s.Update(context.Background(), []string{file})
		if err != nil || !u.Quick {
			b.Fatal(err, u)
		}
		quick += time.Since(began)
		began = time.Now()
		if _, err := s.Build(context.Background()); err != nil {
			b.Fatal(err)
		}
		whole += time.Since(began)
	}
	b.ReportMetric(float64(quick.Microseconds())/1000/float64(rounds), "quick-ms")
	b.ReportMetric(float64(whole.Microseconds())/1000/float64(rounds), "whole-ms")
	b.ReportMetric(0, "ns/op")
}
