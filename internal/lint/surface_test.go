package lint

import (
	"encoding/json"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/surface"
)

// listed reads the file "surface" of a story: what a server listed.
func listed(t *testing.T, text string) SurfaceInput {
	t.Helper()
	form := struct {
		Plugin, Key, Version, Instructions string
		Server                             string
		Tools                              []json.RawMessage
	}{Plugin: "clock", Key: "t", Version: "1.2.0", Server: "1.2.0"}
	if err := json.Unmarshal([]byte(text), &form); err != nil {
		t.Fatal(err)
	}
	in := SurfaceInput{File: "bridge/s.cjs", Plugin: form.Plugin, Key: form.Key, Version: form.Version}
	in.Surface = surface.Surface{ServerName: "s", ServerVersion: form.Server, Instructions: form.Instructions}
	for _, raw := range form.Tools {
		in.Surface.Tools = append(in.Surface.Tools, surface.ParseTool(raw))
	}
	return in
}

func TestSurfaceRules(t *testing.T) {
	golden(t, "surface", func(t *testing.T, files map[string]string) diag.List {
		return CheckSurface(listed(t, files["surface"]))
	})
}

func TestLongTextsAreReported(t *testing.T) {
	long := strings.Repeat("x", 2049)
	in := listed(t, `{"Tools":[{"name":"a","description":"`+long+`","inputSchema":{"type":"object"}},{"name":"b","description":"`+long[1:]+`","inputSchema":{"type":"object","properties":{"p":{"description":"d"}}}}]}`)
	in.Surface.Instructions = long
	want := "warning instructions-long: bridge/s.cjs: the instructions have 2049 bytes and are cut after 2048\n" +
		"    keep what helps to choose among the tools\n" +
		"warning description-long: bridge/s.cjs: a: the description has 2049 bytes and is cut after 2048\n" +
		"    move details to the descriptions of parameters\n"
	if got := render(CheckSurface(in)); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestSecretsAreNotRepeated makes the credentials from parts, so that none stands
// in this repository.
func TestSecretsAreNotRepeated(t *testing.T) {
	letters := strings.Repeat("a1B2", 12)
	for kind, secret := range map[string]string{
		"a private key":           "-----BEGIN RSA PRIVATE KEY" + "-----",
		"an API key of Anthropic": "sk-" + "ant-" + letters,
		"an API key":              "sk-" + letters,
		"a payment key":           "sk_" + "live_" + letters,
		"a GitHub token":          "ghp" + "_" + letters,
		"a GitLab token":          "glpat" + "-" + letters,
		"an npm token":            "npm" + "_" + letters[:36],
		"a Slack token":           "xoxb" + "-123456789012-" + letters,
		"an AWS access key":       "AKIA" + "ABCDEFGHIJKLMNOP",
		"a Google API key":        "AIza" + letters[:35],
		"a signed web token":      "eyJ" + letters + ".eyJ" + letters + "." + letters,
		"a password in a URL":     "postgres://admin:" + "hunter22@db.example.org/x",
	} {
		tool, err := json.Marshal(map[string]any{
			"name": "a", "description": "d", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"p": map[string]any{"description": "for example " + secret}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		in := listed(t, `{"Tools":[`+string(tool)+`]}`)
		got := render(CheckSurface(in))
		if !strings.Contains(got, "error secret-in-text: bridge/s.cjs: a: inputSchema/properties/p/description holds what looks like "+kind+"\n") || strings.Contains(got, secret) {
			t.Errorf("%s: got\n%s", kind, got)
		}
		in = listed(t, `{"Tools":[]}`)
		in.Surface.Instructions = secret
		if got := render(CheckSurface(in)); !strings.Contains(got, "the instructions hold what looks like "+kind) {
			t.Errorf("%s in the instructions: got\n%s", kind, got)
		}
	}
	for _, harmless := range []string{"sk-learn", "https://user:<password>@host", "mysql://user:password@host:port/name", "https://example.org:8080/a@b", "http://${USER}:${PASS}@host", "the ghp_ prefix", "AKIA", "eyJ.eyJ.x", "task-" + letters} {
		if kind := secretIn(secretPatterns(), harmless); kind != "" {
			t.Errorf("%q is taken for %s", harmless, kind)
		}
	}
}

func TestHiddenCharacters(t *testing.T) {
	for text, want := range map[string]int{
		"plain\ttext\r\nwith lines": 0,
		"naïve 日本語 ✓":               0,
		"family 👨\u200d👩\u200d👧":    0,
		"می\u200cخواهم":             0,
		"क\u094d\u200dष":            0,
		"a\u200db":                  1,
		"\u200dstart":               1,
		"end\u200d":                 1,
		"bidi \u202etxt\u202c":      2,
		"tag \U000e0041\U000e0042":  2,
		"zero\u200bwidth\ufeff":     2,
		"soft\u00adhyphen":          1,
		"esc \x1b[31m":              1,
		"filler \u3164":             1,
		"\u2063":                    1,
		"vs \U000e0101":             1,
		"emoji vs ❤\ufe0f":          0,
		"c1 \u0085":                 1,
	} {
		if name, got := hiddenIn(text); got != want {
			t.Errorf("%+q: %d hidden (%s), want %d", text, got, name, want)
		}
	}
}

func TestManyFindingsOfOneRuleAreCut(t *testing.T) {
	tools := strings.Repeat(`{"name":"é","inputSchema":{"type":"object"}},`, 60)
	list := CheckSurface(listed(t, `{"Tools":[`+strings.TrimSuffix(tools, ",")+`]}`))
	count := 0
	last := ""
	for _, d := range list {
		if d.Code == "tool-name-alphabet" {
			count++
			last = d.Message
		}
	}
	if count != maxFindings+1 || last != "10 more findings of tool-name-alphabet are not shown" {
		t.Errorf("%d findings, the last: %s", count, last)
	}
}

func TestHostileSchemasAreBounded(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 5000) + "{}" + strings.Repeat("}", 5000)
	var wide strings.Builder
	wide.WriteString(`{"type":"object","properties":{`)
	for i := range 30000 {
		if i > 0 {
			wide.WriteByte(',')
		}
		wide.WriteString(`"p` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/1000) + `":{"description":"d"}`)
	}
	wide.WriteString("}}")
	chain := `{"type":"object","$defs":{` + strings.TrimSuffix(strings.Repeat(`"a":{"$ref":"#/$defs/a"},`, 1), ",") + `},"properties":{"p":{"$ref":"#/$defs/a","description":"d"}}}`
	for name, schema := range map[string]string{"deep": deep, "wide": wide.String(), "chain": chain} {
		in := listed(t, `{"Tools":[{"name":"a","description":"d","inputSchema":`+schema+`}]}`)
		if list := CheckSurface(in); name != "wide" && !list.HasErrors() {
			t.Errorf("%s: no errors in %s", name, render(list))
		}
	}
}

func FuzzCheckSurface(f *testing.F) {
	f.Add(`{"name":"a","inputSchema":{"type":"object","$ref":"#","properties":{"p":{"$ref":"#/properties/p"}}}}`)
	f.Add(`{"name":"a","outputSchema":{"$schema":7,"items":[true],"minimum":1e999,"required":true},"annotations":{"readOnlyHint":0}}`)
	f.Add(`[{"icons":[null]}]`)
	f.Add(`{"name":"a","inputSchema":{"type":["object"],"pattern":"(?<=a)(","enum":[],"$dynamicRef":"#x","$anchor":"x","$id":"::"}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		in := SurfaceInput{File: "s.cjs", Plugin: "p", Key: "k", Surface: surface.Surface{Tools: []surface.Tool{surface.ParseTool(json.RawMessage(raw))}}}
		for _, d := range CheckSurface(in) {
			if d.Code == "" || d.Message == "" || d.File != "s.cjs" || strings.Contains(d.Message, "the validator gave up") {
				t.Fatalf("%+v", d)
			}
		}
	})
}
