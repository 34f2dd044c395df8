package release_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"omcbuild/internal/analysis"
	"omcbuild/internal/release"
)

// digest is that of nothing.
const digest = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="

// fullBill has one of everything.
func fullBill() release.Bill {
	id := identity()
	id.License, id.Repository, id.Homepage = "MIT OR Apache-2.0", "https://example.org/acorn.git", "https://example.org"
	id.Author.Email = "ada@example.org"
	return release.Bill{
		Identity: id, Tool: "0.1.0",
		Built: []release.File{{Path: "bridge/mcp server.cjs", Contents: []byte("code")}},
		Inventory: &analysis.Inventory{
			Materials: []*analysis.Material{
				{Name: "@a/b", Version: "1.0.0+x", License: analysis.Declared("MIT"), In: []string{"bridge/mcp server.cjs"}, Needs: []string{"c@2.0.0"}, Integrity: digest},
				{Name: "c", Version: "2.0.0", License: analysis.Declared("mit"), Carries: []analysis.Carried{{Name: "ajv", Version: "8.18.0"}, {Name: "@d/e"}}},
				{Name: "f", License: analysis.Declared("SEE LICENSE IN TERMS.md"), Integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="},
				{Name: "g", Version: "1.0.0", License: analysis.Declared("GPL-2.0"), Integrity: "sha512-AAAA"},
				{Name: "linked", Version: "1.0.0", Linked: true},
				{Name: "no \"name\"\n", Version: "</script>", License: analysis.Declared("")},
			},
			Direct: []string{"@a/b@1.0.0+x", "linked@1.0.0"}, Externals: []string{"@h/i", "j"},
		},
	}
}

func encode(t *testing.T, b release.Bill) []byte {
	t.Helper()
	text, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The bill is valid by the schema of the specification, which the library has beside
// its sources.
func TestBillIsValid(t *testing.T) {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	for name, file := range map[string]string{"bom-1.6.schema.json": "", "spdx.schema.json": "", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		if file == "" {
			file = name
		}
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "schema", file))
		if err != nil {
			t.Fatal(err)
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("http://cyclonedx.org/schema/"+name, schema); err != nil {
			t.Fatal(err)
		}
	}
	c.AssertFormat()
	schema, err := c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	timed, small := fullBill(), release.Bill{Identity: release.Identity{Name: "acorn"}, Inventory: &analysis.Inventory{}}
	timed.Time, timed.NpmName = time.Unix(1700000000, 5), "@acorn/plugin"
	for name, b := range map[string]release.Bill{"full": fullBill(), "timed": timed, "small": small} {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(encode(t, b)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		delete(document.(map[string]any)["metadata"].(map[string]any)["component"].(map[string]any), "name")
		if schema.Validate(document) == nil {
			t.Errorf("%s: the schema accepts anything", name)
		}
	}
}

func TestBillSaysWhatIsKnown(t *testing.T) {
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(encode(t, fullBill())), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	lines := []string{"main " + bom.Metadata.Component.PackageURL + " " + (*bom.Metadata.Component.Licenses)[0].Expression}
	for _, c := range *bom.Components {
		licence := "-"
		if c.Licenses != nil {
			licence = "expression " + (*c.Licenses)[0].Expression
			if l := (*c.Licenses)[0].License; l != nil {
				licence = "id " + l.ID + " name " + l.Name
			}
		}
		line := strings.Join([]string{c.BOMRef, c.Group, c.Name, c.Version, string(c.Scope), c.PackageURL, licence}, " | ")
		if c.Hashes != nil {
			line += " | hash"
		}
		lines = append(lines, line)
		if c.Components != nil {
			for _, inside := range *c.Components {
				lines = append(lines, "  "+inside.BOMRef)
			}
		}
	}
	for _, d := range *bom.Dependencies {
		if d.Dependencies != nil {
			lines = append(lines, d.Ref+" > "+strings.Join(*d.Dependencies, " "))
		}
	}
	want := []string{
		"main pkg:generic/acorn@1.2.0?vcs_url=git%2Bhttps://example.org/acorn.git MIT OR Apache-2.0",
		"pkg:npm/%40a/b@1.0.0%2Bx | @a | b | 1.0.0+x | required | pkg:npm/%40a/b@1.0.0%2Bx | id MIT name  | hash",
		"pkg:npm/c@2.0.0 |  | c | 2.0.0 | required | pkg:npm/c@2.0.0 | expression mit",
		"  pkg:npm/c@2.0.0#pkg:npm/ajv@8.18.0",
		"  pkg:npm/c@2.0.0#pkg:npm/%40d/e",
		"pkg:npm/f |  | f |  | required | pkg:npm/f | id  name SEE LICENSE IN TERMS.md",
		"pkg:npm/g@1.0.0 |  | g | 1.0.0 | required | pkg:npm/g@1.0.0 | expression GPL-2.0",
		"linked:linked@1.0.0 |  | linked | 1.0.0 | required |  | -",
		"pkg:npm/no%20%22name%22%0A@%3C%2Fscript%3E |  | no \"name\"\n | </script> | required | pkg:npm/no%20%22name%22%0A@%3C%2Fscript%3E | -",
		"external:@h/i | @h | i |  | optional | pkg:npm/%40h/i | -",
		"external:j |  | j |  | optional | pkg:npm/j | -",
		"pkg:generic/acorn@1.2.0?vcs_url=git%2Bhttps://example.org/acorn.git > pkg:npm/%40a/b@1.0.0%2Bx linked:linked@1.0.0 external:@h/i external:j",
		"pkg:npm/%40a/b@1.0.0%2Bx > pkg:npm/c@2.0.0",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the bill says\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// The same bill has the same bytes, and another one another serial number.
func TestBillIsReproducible(t *testing.T) {
	first := encode(t, fullBill())
	if again := encode(t, fullBill()); !bytes.Equal(first, again) {
		t.Errorf("two bills of the same differ:\n%s\n%s", first, again)
	}
	other := fullBill()
	other.Identity.Version = "1.2.1"
	if serial(t, first) == serial(t, encode(t, other)) {
		t.Error("two versions have one serial number")
	}
	if bytes.Contains(first, []byte("timestamp")) {
		t.Error("a bill without a time says one")
	}
	other.Time = time.Date(2023, 11, 15, 9, 13, 20, 0, time.FixedZone("NZ", 11*3600))
	if !bytes.Contains(encode(t, other), []byte(`"timestamp": "2023-11-14T22:13:20Z"`)) {
		t.Error("the time is not that of the bill, in UTC")
	}
}

func serial(t *testing.T, text []byte) string {
	t.Helper()
	var bom struct{ SerialNumber string }
	if err := json.Unmarshal(text, &bom); err != nil || !strings.HasPrefix(bom.SerialNumber, "urn:uuid:") {
		t.Fatalf("no serial number: %v in %s", err, text)
	}
	return bom.SerialNumber
}
