package surface

import (
	"context"
	"os"
	"reflect"
	"slices"
	"testing"
)

// TestGlance has the tools that Run has, whatever the protocol, and leaves alone what
// comes after them: a call of an unknown tool, and how the server ends.
func TestGlance(t *testing.T) {
	const stays = "setInterval(() => {}, 1000); process.stdin.on(\"end\", () => {}); handlers[\"tools/call\"] = () => ({});"
	for name, script := range map[string]string{"stateless": fixture, "handshake": fixture + `delete handlers["server/discover"];`} {
		t.Run(name, func(t *testing.T) {
			o := probeOptions(t, script+stays)
			p, err := Glance(t.Context(), o)
			if err != nil || !p.Listed() || len(p.Diagnostics) > 0 {
				t.Fatalf("%+v, %v", p, err)
			}
			if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
				t.Errorf("Glance left %s in the temporary folder", left[0].Name())
			}
			for _, e := range p.Conversations[0].Exchanges {
				if e.Method == "tools/call" || e.Method == "ping" {
					t.Errorf("it asked for %s", e.Method)
				}
			}
			whole := runProbe(t, probeOptions(t, script))
			if !reflect.DeepEqual(p.Surface.Tools, whole.Surface.Tools) || p.Surface.ServerName != whole.Surface.ServerName {
				t.Errorf("a glance has %+v, Run %+v", p.Surface, whole.Surface)
			}
		})
	}
}

func TestGlanceAtABadServer(t *testing.T) {
	for script, want := range map[string]string{
		"throw new Error(\"broken\");":        "error bundle-throws",
		"console.log(\"hello\");\n" + fixture: "error stdout-noise",
	} {
		p, err := Glance(t.Context(), probeOptions(t, script))
		if err != nil || !slices.Contains(codes(p.Diagnostics), want) {
			t.Errorf("%v, want %s (%v)", codes(p.Diagnostics), want, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := Glance(ctx, probeOptions(t, fixture)); err == nil {
		t.Errorf("a glance that was given up: %+v", p)
	}
	o := probeOptions(t, fixture)
	o.Node = ""
	if _, err := Glance(t.Context(), o); err == nil {
		t.Error("no node, and no error")
	}
}
