package pipeline

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"

	"omcbuild/internal/surface"
)

func (r *run) bundleReports() []BundleReport {
	reports := make([]BundleReport, 0, len(r.items))
	for _, it := range slices.Concat(r.items, r.launched) {
		b := BundleReport{
			Name: it.bundle.Name, Entry: it.bundle.Entry, Outfile: it.bundle.Outfile, Inputs: it.inputs,
			DurationMs: it.took.Milliseconds(), UpToDate: it.upToDate, Externals: it.externals, Verify: r.verifyReport(it),
		}
		if len(it.outputs) > 0 {
			b.Bytes, b.GzipBytes = int64(len(it.file())), it.gzipped()
		}
		reports = append(reports, b)
	}
	return reports
}

// gzipped is what a download of the bundle costs, in bytes. Compressing takes longer
// than finding that nothing changed, so it is remembered.
func (it *item) gzipped() int64 {
	if it.gzip == 0 {
		it.gzip = gzipSize(it.file())
	}
	return it.gzip
}

func gzipSize(data []byte) int64 {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	_, _ = w.Write(data)
	_ = w.Close()
	return int64(out.Len())
}

func (r *run) verifyReport(it *item) *VerifyReport {
	if it.unproven != nil {
		return &VerifyReport{MayFail: it.bundle.MayFail, Exit: it.unproven.Exit.String(), Stderr: r.hideAll(it.unproven.Stderr)}
	}
	if it.probe == nil {
		return nil
	}
	p := it.probe
	initialize, list := p.Initialize, p.List
	if p.Legacy != nil && p.Legacy.Listed {
		list = p.Legacy.List // both times of one conversation
	}
	if it.proof != nil {
		initialize, list = it.proof.Initialize, it.proof.List
	}
	v := &VerifyReport{
		Ran: p.Listed(), InitializeMs: initialize.Milliseconds(), ListMs: list.Milliseconds(),
		Tools: len(p.Surface.Tools), OK: !it.faults, Exit: p.Exit.String(), Stderr: r.hideAll(p.Stderr), Changes: it.changes,
	}
	for _, line := range p.StdoutNoise {
		v.Noise = append(v.Noise, r.hide(line.Text))
	}
	for _, c := range p.Calls {
		if c.Unlisted {
			continue
		}
		v.Calls = append(v.Calls, CallReport{Tool: c.Tool, IsError: c.IsError, Text: r.hide(c.Text), DurationMs: c.Elapsed.Milliseconds()})
	}
	return v
}

// toolReports lists every tool as the model sees it, and what each server
// costs.
func (r *run) toolReports() ([]ToolReport, []CostReport) {
	tools, costs := []ToolReport{}, []CostReport{}
	for _, it := range slices.Concat(r.items, r.launched) {
		if it.probe == nil {
			continue
		}
		prefix := surface.ToolPrefix(r.project.Config.Plugin.Name, it.bundle.Name)
		cost := surface.Cost(it.probe.Surface.Tools, prefix)
		for i, t := range it.probe.Surface.Tools {
			tools = append(tools, toolReport(it.bundle.Name, prefix, t, cost.Tools[i]))
		}
		c := CostReport{
			Bundle: it.bundle.Name, Tools: len(cost.Tools), Bytes: int64(cost.Bytes), Tokens: cost.Tokens,
			Prefix: prefix, PrefixTokens: cost.PrefixTokens, Method: surface.EstimateNote,
		}
		if it.lock != nil {
			before := surface.Cost(it.lock.Surface().Tools, prefix).Tokens
			c.TokensBefore = &before
		}
		costs = append(costs, c)
	}
	return tools, costs
}

func toolReport(bundle, prefix string, t surface.Tool, cost surface.ToolCost) ToolReport {
	full := surface.FullName(prefix, t.Name)
	report := ToolReport{
		Bundle: bundle, Name: t.Name, FullName: full, FullNameLength: len([]rune(full)), Parameters: parameters(t.InputSchema),
		Hints: trueHints(t.Annotations), Annotations: t.Annotations, InputSchema: t.InputSchema, Bytes: int64(cost.Bytes), Tokens: cost.Tokens,
	}
	if t.Description != nil {
		report.Description = *t.Description
	}
	return report
}

// parameters lists the top-level properties of an input schema in order; an
// optional one ends in a question mark.
func parameters(schema json.RawMessage) []string {
	var object struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	_ = json.Unmarshal(schema, &object)
	names := []string{}
	for _, name := range memberNames(object.Properties) {
		if !slices.Contains(object.Required, name) {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// memberNames returns the names of a JSON object's members in order.
func memberNames(raw json.RawMessage) []string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil
	}
	var names []string
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return names
		}
		names = append(names, key.(string))
		var skipped json.RawMessage
		if decoder.Decode(&skipped) != nil {
			return names
		}
	}
	return names
}

// trueHints names the annotations that say yes: readOnly, destructive,
// idempotent, openWorld.
func trueHints(raw json.RawMessage) []string {
	var hints map[string]any
	_ = json.Unmarshal(raw, &hints)
	names := []string{}
	for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if hints[name] == true {
			names = append(names, name[:len(name)-len("Hint")])
		}
	}
	return names
}
