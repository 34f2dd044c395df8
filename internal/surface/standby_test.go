package surface

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// stood is what a run with a standby leaves, which has to be what one without leaves.
func stood(t *testing.T, o ProbeOptions, s *Standby) *Probe {
	t.Helper()
	o.Standby = s
	p, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if left := len(s.waiting); left > 0 {
		t.Errorf("%d processes were not taken", left)
	}
	return p
}

func TestStandbyGivesTheSameProbe(t *testing.T) {
	o := probeOptions(t, fixture)
	o.Extra, o.Elsewhere, o.Env = map[string][]byte{"bridge/beside.txt": []byte("beside")}, true, []string{"A=1"}
	plain := runProbe(t, o)
	standby := &Standby{}
	standby.Add(t.Context(), ProbeOptions{FileName: o.FileName, Node: o.Node, TempDir: o.TempDir, Env: o.Env}, false)
	standby.Add(t.Context(), ProbeOptions{FileName: o.FileName, Node: o.Node, TempDir: o.TempDir, Env: o.Env}, true)
	held := stood(t, o, standby)
	if !reflect.DeepEqual(held.Surface, plain.Surface) || !slices.Equal(codes(held.Diagnostics), codes(plain.Diagnostics)) {
		t.Errorf("held %+v\nplain %+v", held, plain)
	}
	if !slices.Equal(held.Elsewhere.Sights, plain.Elsewhere.Sights) {
		t.Errorf("elsewhere, held %v, plain %v", held.Elsewhere.Sights, plain.Elsewhere.Sights)
	}
	if held.Initialize <= 0 || held.Discover <= 0 || !held.Exit.Success() {
		t.Errorf("held %+v", held)
	}
	standby.Close()
	if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

func TestStandbyIsForOneCommand(t *testing.T) {
	o := probeOptions(t, fixture)
	standby := &Standby{}
	others := map[string]func(*ProbeOptions){
		"environment": func(o *ProbeOptions) { o.Env = []string{"A=1"} },
		"arguments":   func(o *ProbeOptions) { o.Args = []string{"--one"} },
		"file":        func(o *ProbeOptions) { o.FileName = "bridge/other.cjs" },
		"path":        func(o *ProbeOptions) { o.Path = "/bin" },
		"place":       func(o *ProbeOptions) { o.TempDir = t.TempDir() },
		"launch":      func(o *ProbeOptions) { o.Launch = &Launch{Args: []string{o.FileName}} },
	}
	for _, change := range others {
		other := o
		change(&other)
		standby.Add(t.Context(), other, false)
	}
	standby.Add(t.Context(), o, true)
	o.Standby = standby
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if left := len(standby.waiting); left != len(others)+1 {
		t.Errorf("%d of %d wait still", left, len(others)+1)
	}
	standby.Close()
	if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

// What was tidied away, or ended, while it waited is replaced by a plain start.
func TestStandbyThatIsGone(t *testing.T) {
	o := probeOptions(t, fixture)
	standby := &Standby{}
	defer standby.Close()
	standby.Add(t.Context(), o, false)
	standby.Add(t.Context(), o, false)
	for _, w := range standby.waiting {
		<-w.ready
	}
	if err := os.RemoveAll(standby.waiting[0].folder.path("project")); err != nil {
		t.Fatal(err)
	}
	standby.waiting[1].held.Drop()
	if p := stood(t, o, standby); !p.Listed() || len(p.Diagnostics) > 0 {
		t.Errorf("%v", p.Diagnostics)
	}
}

func TestStandbyWithoutNode(t *testing.T) {
	o := probeOptions(t, fixture)
	o.Node += "-that-is-not-there"
	standby := &Standby{}
	standby.Add(t.Context(), o, false)
	o.Standby = standby
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no node program") {
		t.Errorf("err = %v", err)
	}
	standby.Close()
}
