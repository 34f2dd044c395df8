package lint

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

const lspFile = ".lsp.json"

// lspServers returns the language servers of .lsp.json and of the manifest.
func (p *plugin) lspServers() (found []server) {
	add := func(doc *project.Document, keys []string) {
		var entries map[string]any
		_ = doc.Decode(&entries, keys...)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			s := server{key: key, doc: doc, keys: append(slices.Clone(keys), key)}
			s.fields, _ = entries[key].(map[string]any)
			found = append(found, s)
		}
	}
	if p.lsp != nil && p.lsp.Problem == nil {
		add(p.lsp, nil)
	}
	for _, doc := range p.lspMore {
		if doc.Problem == nil {
			add(doc, nil)
		}
	}
	if _, inline := p.stated()["lspServers"].(map[string]any); inline {
		add(p.manifest, []string{"lspServers"})
	}
	return found
}

func lspServer() rule[*plugin] {
	return rule[*plugin]{
		code: "lsp-server", level: diag.Error,
		meaning: "a language server is declared in a form that the client refuses",
		page: Page{
			Group: Servers,
			Why:   "In the manifest the client refuses the plugin for it, in few words. In .lsp.json nothing looks at it: the server is never started.",
			Wrong: `{"go": {"command": "gopls serve", "extensionToLanguage": {"go": "go"}}}`,
			Do:    "Write a command without arguments, args as a list, and extensionToLanguage from extensions with a dot to names of languages.",
		},
		find: func(p *plugin, report reporter) {
			for _, s := range p.lspServers() {
				for _, fault := range s.lspFaults() {
					report.at(s.at(fault.field), `write {"command": "gopls", "args": ["serve"], "extensionToLanguage": {".go": "go"}}`, "language server %s: %s", clip(printable(s.key)), fault.text)
				}
			}
		},
	}
}

// lspKeys are the keys of a language server with the kinds that they take.
func lspKeys() map[string]string {
	return map[string]string{
		"command": aString, "args": anArray, "extensionToLanguage": anObject, "transport": aString, "env": anObject,
		"initializationOptions": "", "settings": "", "workspaceFolder": aString, "startupTimeout": aNumber,
		"shutdownTimeout": aNumber, "restartOnCrash": aBoolean, "maxRestarts": aNumber, "diagnostics": "",
	}
}

func (s server) lspFaults() (found []fieldFault) {
	add := func(field, format string, args ...any) {
		found = append(found, fieldFault{field, fmt.Sprintf(format, args...)})
	}
	if s.fields == nil {
		add("", "the entry must be an object")
		return found
	}
	keys := lspKeys()
	for _, key := range slices.Sorted(maps.Keys(s.fields)) {
		kind, known := keys[key]
		switch {
		case !known:
			add(key, "the key %s is not known%s", clip(printable(key)), suggestion(key, slices.Sorted(maps.Keys(keys))))
		case kind != "" && valueType(s.fields[key]) != kind:
			add(key, "%s is %s and must be %s", key, valueType(s.fields[key]), kind)
		}
	}
	found = append(found, s.lspValues()...)
	switch command := s.text("command"); {
	case command == "":
		add("command", "command is missing")
	case strings.Contains(command, " ") && !strings.HasPrefix(command, "/"):
		add("command", "the command %s has a space; arguments belong into args", clip(printable(command)))
	}
	if transport := s.text("transport"); transport != "" && transport != "stdio" && transport != "socket" {
		add("transport", "transport %s is not stdio or socket", clip(printable(transport)))
	}
	languages, _ := s.fields["extensionToLanguage"].(map[string]any)
	if len(languages) == 0 {
		add("extensionToLanguage", "extensionToLanguage names no extension")
	}
	for _, extension := range slices.Sorted(maps.Keys(languages)) {
		if !strings.HasPrefix(extension, ".") {
			add("extensionToLanguage", "the extension %s has no dot in front", clip(printable(extension)))
		}
		if textOf(languages[extension]) == "" {
			add("extensionToLanguage", "the extension %s has no name of a language", clip(printable(extension)))
		}
	}
	return found
}

// lspValues looks inside the values whose types are right.
func (s server) lspValues() (found []fieldFault) {
	if list, ok := s.fields["args"].([]any); ok && len(stringsOf(list)) != len(list) {
		found = append(found, fieldFault{"args", "args must be an array of strings"})
	}
	env, _ := s.fields["env"].(map[string]any)
	for _, name := range sortedKeys(env) {
		if valueType(env[name]) != aString {
			found = append(found, fieldFault{"env", fmt.Sprintf("the variable %s must be a string", clip(printable(name)))})
		}
	}
	for _, field := range []struct {
		name  string
		least float64
	}{{"maxRestarts", 0}, {"shutdownTimeout", 1}, {"startupTimeout", 1}} {
		if number, ok := s.fields[field.name].(float64); ok && (number < field.least || number != math.Trunc(number)) {
			found = append(found, fieldFault{field.name, fmt.Sprintf("%s must be a whole number of at least %v", field.name, field.least)})
		}
	}
	return found
}
