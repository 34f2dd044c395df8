package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"omcbuild/internal/project"
	"omcbuild/internal/report"
)

func newConfig(g *global) *cobra.Command {
	var schema bool
	c := &cobra.Command{
		Use:   "config",
		Short: "Print the effective configuration and where each value came from",
		Long: "config prints every value that build, watch and verify go by, and the file and line it comes from;\n" +
			"what no file says is a default. It reads the files of the plugin, runs nothing and changes nothing. At\n" +
			"the root of a repository of several plugins it prints the values of all of them.",
		Example: "  omcbuild config\n" +
			"  omcbuild config --schema > omcbuild.schema.json   # for editors",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if schema {
				_, err := g.out.Write(project.Schema())
				return err
			}
			return runConfig(g)
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of omcbuild.jsonc")
	return c
}

func runConfig(g *global) error {
	p, several, err := g.open()
	if err != nil {
		return err
	}
	if several != nil {
		return configOfAll(g, several)
	}
	effective := p.Effective()
	document := struct {
		report.Outcome
		configFields
	}{report.NewOutcome(p.Diagnostics), configFields{effective.JSON, effective.Origins}}
	return g.conclude(p.Diagnostics, document, func(w io.Writer, style report.Style) { printOrigins(w, style, effective.Origins) })
}

// configFields are what --json prints of one plugin.
type configFields struct {
	Config  json.RawMessage  `json:"config"`
	Origins []project.Origin `json:"origins"`
}

func printOrigins(w io.Writer, style report.Style, origins []project.Origin) {
	rows := make([][]string, len(origins))
	for i, o := range origins {
		rows[i] = []string{o.Key, o.Value, o.From}
	}
	report.Table(w, style, []string{"key", "value", "from"}, rows)
}
