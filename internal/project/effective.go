package project

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
)

// Effective is the configuration with every default filled in.
type Effective struct {
	JSON    json.RawMessage // in the form of omcbuild.jsonc and valid as one, indented
	Origins []Origin        // one for each value, in the order of JSON
}

// Origin says where one value of the configuration came from.
type Origin struct {
	Key   string `json:"key"`   // for example bundles[0].entry
	Value string `json:"value"` // as JSON
	From  string `json:"from"`  // "default", "omcbuild.jsonc:12", "package.json:3"
}

// short is the place of a value for a table: file and line.
func short(p diag.Position) string {
	p.Column = 0
	return p.String()
}

// The effective configuration as JSON. Values without a default are left out
// where they are not set.
type (
	effectiveConfig struct {
		Bundles  []effectiveBundle `json:"bundles,omitempty"`
		Plugins  []string          `json:"plugins,omitempty"`
		Prebuild []string          `json:"prebuild,omitempty"`
		Plugin   effectivePlugin   `json:"plugin"`
		Metadata effectiveMetadata `json:"metadata"`
		Package  effectivePackage  `json:"package"`
	}
	effectiveBundle struct {
		Name     string            `json:"name"`
		Kind     Kind              `json:"kind"`
		Entry    string            `json:"entry"`
		Outfile  string            `json:"outfile"`
		Register bool              `json:"register"`
		External []string          `json:"external"`
		Header   string            `json:"header"`
		Front    any               `json:"front"`
		Registry any               `json:"registry"`
		Families any               `json:"families"`
		Define   map[string]string `json:"define"`
		Loader   map[string]string `json:"loader"`
		Assets   []string          `json:"assets"`
		Budget   effectiveBudget   `json:"budget"`
		Env      map[string]string `json:"env"`
		MayFail  string            `json:"mayFail"`
		Args     []string          `json:"args"`
		Accept   []string          `json:"accept"`
	}
	effectiveFront struct {
		Env []string `json:"env"`
	}
	effectiveBudget struct {
		Bytes        int64 `json:"bytes,omitempty"`
		InitializeMs int64 `json:"initializeMs,omitempty"`
	}
	effectivePlugin struct {
		Name     string `json:"name,omitempty"`
		Skills   string `json:"skills"`
		Commands string `json:"commands"`
		Agents   string `json:"agents"`
		Hooks    string `json:"hooks"`
	}
	effectiveMetadata struct {
		Markers []effectiveMarker `json:"markers"`
	}
	effectiveMarker struct {
		File    string `json:"file"`
		Pattern string `json:"pattern"`
	}
	effectivePackage struct {
		Include []string `json:"include"`
		Exclude []string `json:"exclude"`

		Notices map[string]string `json:"notices"`
	}
)

// Effective renders the effective configuration and where each value is from.
func (p *Project) Effective() Effective {
	c := effectiveConfig{
		Bundles:  []effectiveBundle{},
		Plugins:  p.Config.Plugins,
		Prebuild: p.Config.Prebuild,
		Plugin:   effectivePlugin(p.Config.Plugin),
		Metadata: effectiveMetadata{Markers: []effectiveMarker{}},
		Package:  effectivePackage{Include: list(p.Config.Include), Exclude: list(p.Config.Exclude), Notices: dictionary(p.Config.Notices)},
	}
	for _, b := range p.Bundles {
		c.Bundles = append(c.Bundles, effective(b))
	}
	for _, m := range p.Config.Markers {
		c.Metadata.Markers = append(c.Metadata.Markers, effectiveMarker{File: m.File, Pattern: m.Pattern.Text})
	}
	out := Effective{JSON: encode(c)}
	if tree, err := hujson.Parse(out.JSON); err == nil {
		p.list(&tree, nil, &out.Origins)
	}
	if len(p.Bundles) > 0 {
		out.Origins = append(out.Origins, Origin{Key: "target", Value: p.Bundles[0].Target, From: p.origins["target"]})
	}
	return out
}

func effective(b Bundle) effectiveBundle {
	out := effectiveBundle{
		Name: b.Name, Kind: b.Kind, Entry: b.Entry, Outfile: b.Outfile, Register: b.Register,
		External: list(b.External), Header: b.Header, Front: false,
		Registry: orFalse(b.Registry), Families: orFalse(b.Families),
		Define: dictionary(b.Define), Loader: dictionary(b.Loader), Assets: list(b.Assets),
		Budget: effectiveBudget{b.Budget.Bytes, b.Budget.Initialize.Milliseconds()}, Env: dictionary(b.Env), MayFail: b.MayFail,
		Args: list(b.Args), Accept: list(b.Accept),
	}
	if b.Front.Enabled {
		out.Front = effectiveFront{list(b.Front.Env)}
	}
	return out
}

// list adds a row for every value that has an origin of its own, and descends
// into what has none.
func (p *Project) list(v *hujson.Value, keys []string, out *[]Origin) {
	if from, ok := p.origins[where(keys)]; ok && len(keys) > 0 {
		text := v.Clone()
		text.Minimize()
		*out = append(*out, Origin{Key: where(keys), Value: string(text.Pack()), From: from})
		return
	}
	switch node := v.Value.(type) {
	case *hujson.Object:
		for i := range node.Members {
			p.list(&node.Members[i].Value, append(keys[:len(keys):len(keys)], Text(&node.Members[i].Name)), out)
		}
	case *hujson.Array:
		for i := range node.Elements {
			p.list(&node.Elements[i], append(keys[:len(keys):len(keys)], strconv.Itoa(i)), out)
		}
	}
}

// encode writes two-space JSON that leaves <, > and & readable.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return []byte("{}")
	}
	return b.Bytes()
}

func list(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}

func dictionary(values map[string]string) map[string]string {
	if values == nil {
		return map[string]string{}
	}
	return values
}

func orFalse(value string) any {
	if value == "" {
		return false
	}
	return value
}
