package lint

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"omcbuild/internal/project"
)

// hooksFileFaults looks at what a hooks file holds beside its hooks. Modules are
// named from the folder of the file.
func (p *plugin) hooksFileFaults(doc *project.Document, report reporter) {
	values := members(doc)
	if value, ok := values["description"]; ok && valueType(value) != aString {
		report.at(doc.Position("description"), "write text", "description is %s and must be a string", valueType(value))
	}
	modules, given := values["modules"]
	list, ok := modules.([]any)
	if given && !ok {
		report.at(doc.Position("modules"), `write ["./FILE.mjs"]`, "modules is %s and must be an array", valueType(modules))
	}
	for i, value := range list {
		file := textOf(value)
		if file == "" || !p.exists(path.Join(path.Dir(doc.Path), file)) {
			report.at(doc.Position("modules", strconv.Itoa(i)), "correct the path; it counts from the folder of the hooks file", "the module %s is not there", compact(value))
		}
	}
}

// faults returns the fields of a handler with values for which the client ignores
// the handler; those that its type needs are for others to look at.
func (h handler) faults() (found []fieldFault) {
	add := func(field, format string, args ...any) {
		found = append(found, fieldFault{field, fmt.Sprintf(format, args...)})
	}
	for _, field := range []struct{ name, kind string }{
		{"args", anArray}, {"async", aBoolean}, {"headers", anObject}, {"if", aString}, {"model", aString}, {"once", aBoolean}, {"statusMessage", aString},
	} {
		if value, ok := h.fields[field.name]; ok && valueType(value) != field.kind {
			add(field.name, "%s is %s and must be %s", field.name, valueType(value), field.kind)
		}
	}
	if list, ok := h.fields["args"].([]any); ok && len(stringsOf(list)) != len(list) {
		add("args", "args must be an array of strings")
	}
	headers, _ := h.fields["headers"].(map[string]any)
	for _, name := range sortedKeys(headers) {
		if valueType(headers[name]) != aString {
			add("headers", "the header %s must be a string", clip(printable(name)))
		}
	}
	if value, ok := h.fields["shell"]; ok && h.text("type") == "command" && !slices.Contains([]any{"bash", "powershell"}, value) {
		add("shell", "the shell %s is not bash or powershell", compact(value))
	}
	return found
}
