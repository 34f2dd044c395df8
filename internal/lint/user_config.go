package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// option is one entry of userConfig.
type option struct {
	name   string
	value  any
	fields map[string]any
}

func (p *plugin) options() (found []option) {
	entries, _ := p.stated()["userConfig"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		fields, _ := entries[name].(map[string]any)
		found = append(found, option{name, entries[name], fields})
	}
	return found
}

// optionKeys are the keys of an option with the kinds that they take.
func optionKeys() map[string]string {
	return map[string]string{
		"type": aString, "title": aString, "description": aString, "sensitive": aBoolean, "required": aBoolean,
		"multiple": aBoolean, "default": "", "min": aNumber, "max": aNumber, "options": anArray,
	}
}

func userConfigForm() rule[*plugin] {
	return rule[*plugin]{
		code: "user-config-form", level: diag.Error,
		meaning: "an option of the user is declared in a form that the client refuses",
		page: Page{
			Group: Manifest,
			Why:   "The client refuses the whole plugin.",
			Wrong: `{"userConfig": {"time-zone": {"type": "text"}}}`,
			Do:    "Name the option with letters, digits and underscores; give it a type (string, number, boolean, directory or file), a title and a description.",
		},
		find: func(p *plugin, report reporter) {
			for _, o := range p.options() {
				for _, fault := range o.faults() {
					report.at(p.manifest.Position("userConfig", o.name, fault.field), `write {"type": "string", "title": …, "description": …}`, "option %s: %s", clip(printable(o.name)), fault.text)
				}
			}
		},
	}
}

var identifier = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (o option) faults() (found []fieldFault) {
	add := func(field, format string, args ...any) {
		found = append(found, fieldFault{field, fmt.Sprintf(format, args...)})
	}
	if !identifier.MatchString(o.name) {
		add("", "the name must be of letters, digits and underscores")
	}
	if o.fields == nil {
		add("", "must be an object")
		return found
	}
	keys := optionKeys()
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		kind, known := keys[key]
		switch {
		case !known:
			add(key, "the key %s is not known%s", clip(printable(key)), suggestion(key, slices.Sorted(maps.Keys(keys))))
		case kind != "" && valueType(o.fields[key]) != kind:
			add(key, "%s is %s and must be %s", key, valueType(o.fields[key]), kind)
		}
	}
	for _, key := range []string{"type", "title", "description"} {
		if o.fields[key] == nil {
			add(key, "%s is missing", key)
		}
	}
	kinds := []string{"string", "number", "boolean", "directory", "file"}
	if kind, ok := o.fields["type"].(string); ok && !slices.Contains(kinds, kind) {
		add("type", "type %s is not %s", clip(printable(kind)), strings.Join(kinds, ", "))
	}
	if o.fields["options"] != nil && (o.fields["type"] != "string" || o.fields["multiple"] == true || o.fields["sensitive"] == true) {
		add("options", "options are for a single string that is not sensitive")
	}
	if choices, ok := o.fields["options"].([]any); ok && len(stringsOf(choices)) != len(choices) {
		add("options", "options must be strings")
	}
	return found
}

// suggestion is the end of a message about a misspelled name.
func suggestion(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return "; " + near + " is"
	}
	return ""
}

func userConfigDefault() rule[*plugin] {
	return rule[*plugin]{
		code: "user-config-default", level: diag.Error,
		meaning: "the default of an option of the user, or its limits, cannot be right",
		page: Page{
			Group: Manifest,
			Why:   "The client does not compare them. A server gets a value of another type than it was promised, or no value can be entered.",
			Wrong: `{"port": {"type": "number", "default": "80", "min": 10, "max": 1}}`,
			Do:    "Give the default the option's type, or a list of it with multiple, and min a value below max.",
		},
		find: func(p *plugin, report reporter) {
			for _, o := range p.options() {
				for _, fault := range o.doubts() {
					report.at(p.manifest.Position("userConfig", o.name, fault.field), "correct the value", "option %s: %s", clip(printable(o.name)), fault.text)
				}
			}
		},
	}
}

// doubts returns what is wrong with an option whose form is right.
func (o option) doubts() (found []fieldFault) {
	lowest, hasMin := o.fields["min"].(float64)
	highest, hasMax := o.fields["max"].(float64)
	if hasMin && hasMax && lowest > highest {
		found = append(found, fieldFault{"min", fmt.Sprintf("min %v is above max %v", lowest, highest)})
	}
	value, given := o.fields["default"]
	kind := map[any]string{"string": aString, "directory": aString, "file": aString, "number": aNumber, "boolean": aBoolean}[textOf(o.fields["type"])]
	if !given || kind == "" {
		return found
	}
	values := []any{value}
	if list, ok := value.([]any); ok && o.fields["multiple"] == true {
		values = list
	}
	for _, each := range values {
		if valueType(each) != kind {
			found = append(found, fieldFault{"default", fmt.Sprintf("the default is %s and must be %s", valueType(each), kind)})
			break
		}
		number, isNumber := each.(float64)
		if isNumber && (hasMin && number < lowest || hasMax && number > highest) {
			found = append(found, fieldFault{"default", fmt.Sprintf("the default %v is outside of min and max", number)})
		}
	}
	if choices, ok := o.fields["options"].([]any); ok && len(values) == 1 && len(choices) > 0 && !slices.ContainsFunc(choices, func(c any) bool { return textOf(c) == textOf(value) }) {
		if _, plain := choices[0].(string); plain {
			found = append(found, fieldFault{"default", "the default is not among the options"})
		}
	}
	return found
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}
