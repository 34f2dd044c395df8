package main

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"omcbuild/internal/diag"
	"omcbuild/internal/doctor"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
	"omcbuild/internal/report"
)

func newDoctor(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look at the machine: Node, npm, native modules, language servers, client",
		Long: "doctor looks for the programs that a plugin's servers may use and says how to get those that are\n" +
			"missing. Only Node is needed; without it the exit code is 1.",
		Example: "  omcbuild doctor\n  omcbuild doctor --json",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), g) },
	}
}

func runDoctor(ctx context.Context, g *global) error {
	findings := doctor.Examine(ctx, doctor.Patient{Path: os.Getenv("PATH"), Env: os.Environ(), Dir: os.TempDir(), Modules: g.nativeModules()})
	var list diag.List
	for _, f := range findings {
		if f.Ill() {
			list.Add(diag.Diagnostic{Code: "doctor", Message: f.Name + ": " + f.Detail, Hint: f.Hint})
		}
	}
	document := struct {
		report.Outcome
		Findings []doctor.Finding `json:"findings"`
	}{report.NewOutcome(list), findings}
	return g.conclude(list, document, func(w io.Writer, style report.Style) {
		rows := make([][]string, len(findings))
		for i, f := range findings {
			rows[i] = []string{string(f.Status), f.Name, f.Detail, f.Hint}
			if f.Status == doctor.OK {
				rows[i][3] = ""
			}
		}
		report.Table(w, style, []string{"status", "item", "found", "to get it"}, rows)
	})
}

// nativeModules lists what the bundles of the plugins leave external; doctor
// also works where there is no project.
func (g *global) nativeModules() []string {
	p, several, err := g.open()
	if err != nil {
		return nil
	}
	projects := []*project.Project{p}
	if several != nil {
		projects = nil
		for _, m := range several.Plugins {
			projects = append(projects, m.Project)
		}
	}
	var modules []string
	for _, p := range projects {
		if p == nil {
			continue
		}
		for _, b := range p.Bundles {
			modules = append(modules, b.External...)
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}

// thisMachine fills a Machine from the environment. The error says that node
// is missing.
func thisMachine() (pipeline.Machine, error) {
	home, _ := os.UserHomeDir()
	m := pipeline.Machine{Path: os.Getenv("PATH"), Home: home, Temp: os.TempDir(), Env: os.Environ()}
	node, err := process.LookPath("node", m.Path)
	if err != nil {
		return m, diag.Misuse(diag.Diagnostic{Code: "no-node", Message: "node is not on PATH", Hint: "install Node.js 20 or later; omcbuild doctor shows what else is missing"}).Because(err)
	}
	m.Node = node
	return m, nil
}
