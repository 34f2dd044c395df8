package inspect

import (
	"path"
	"strings"

	"github.com/tailscale/hujson"

	"omcbuild/internal/project"
)

// memberOf returns a member of a value.
func (s *script) memberOf(v value, key string, i int) value {
	switch {
	case v.kind == object:
		return v.get(key)
	case v.kind == text && (key == "pathname" || key == "href"): // of a URL
		return v
	case key == "builtinModules":
		return value{kind: builtins, at: v.at}
	case v.kind == unknown:
		return v
	}
	return s.computed(i)
}

// method returns what a method of a value returns.
func (s *script) method(v value, name string, open int) value {
	switch {
	case v.kind == list && name == "join":
		return s.joined(v, open)
	case v.kind == builtins:
		return v
	case v.kind == text && name == "toString", v.kind == text && name == "trim" && v.text == strings.TrimSpace(v.text):
		return v
	case v.kind == unknown:
		return v
	}
	return opaque(v.at, "is computed with "+name+"()")
}

// joined is the join of a list of texts.
func (s *script) joined(v value, open int) value {
	separator := value{kind: text, text: ","}
	if args := s.arguments(open); len(args) > 0 {
		separator = args[0]
	}
	out := value{kind: text, at: v.at}
	for i, part := range v.list {
		if i > 0 {
			out = join(out, separator)
		}
		out = join(out, part)
	}
	return out
}

// call returns what a call returns, for the few functions that build scripts
// use to say where files are. The arguments begin after the bracket at open.
func (s *script) call(callee string, i, open int) value {
	switch base := callee[strings.LastIndexByte(callee, '.')+1:]; {
	case base == "join" || base == "resolve":
		return s.paths(base, i, open)
	case base == "dirname":
		return s.with(i, open, path.Dir)
	case base == "fileURLToPath" || base == "pathToFileURL" || callee == "String" || base == "normalize":
		return s.with(i, open, func(p string) string { return p })
	case callee == "URL":
		return s.url(i, open)
	case callee == "process.cwd":
		return value{kind: text, text: path.Join(rooted, s.folder), at: s.position(i)}
	case callee == "JSON.parse", callee == "defineConfig", callee == "Object.freeze":
		v, _ := s.read(open + 1)
		return v
	case callee == "JSON.stringify":
		v, _ := s.read(open + 1)
		if out, ok := v.json(); ok {
			return value{kind: text, text: out, at: v.at, version: v.version, name: v.name}
		}
		if v.kind == unknown {
			return v
		}
		return s.computed(i)
	case callee == "Object.keys" || callee == "Object.entries" || callee == "Object.values":
		return s.keys(callee, i, open)
	case base == "readFileSync" || base == "readFile" || callee == "require":
		return s.contents(callee, i, open)
	case strings.HasPrefix(callee, "builtinModules.") || strings.Contains(callee, ".builtinModules."):
		return value{kind: builtins, at: s.position(i)}
	}
	return s.computed(i)
}

// arguments reads the arguments of a call.
func (s *script) arguments(open int) []value { return s.array(open).list }

// with applies a function to a call's first argument, a path.
func (s *script) with(i, open int, change func(string) string) value {
	args := s.arguments(open)
	if len(args) == 0 || args[0].kind != text {
		return s.computed(i)
	}
	out := args[0]
	out.text = change(out.text)
	return out
}

// paths is path.join and path.resolve.
func (s *script) paths(base string, i, open int) value {
	out := ""
	if base == "resolve" {
		out = path.Join(rooted, s.folder)
	}
	args := s.arguments(open)
	for _, arg := range args {
		if arg.kind != text {
			return s.computed(i)
		}
		if base == "resolve" && strings.HasPrefix(arg.text, "/") {
			out = arg.text
			continue
		}
		out = path.Join(out, arg.text)
	}
	if len(args) == 0 {
		return s.computed(i)
	}
	return value{kind: text, text: out, at: s.position(i)}
}

// url is new URL(path, base).
func (s *script) url(i, open int) value {
	args := s.arguments(open)
	if len(args) != 2 || args[0].kind != text || args[1].kind != text {
		return s.computed(i)
	}
	return value{kind: text, text: path.Join(path.Dir(args[1].text), args[0].text), at: s.position(i)}
}

func (s *script) keys(callee string, i, open int) value {
	v, _ := s.read(open + 1)
	if v.kind == absent {
		return value{kind: list, at: v.at}
	}
	if v.kind != object {
		return s.computed(i)
	}
	out := value{kind: list, at: v.at}
	for _, m := range v.members {
		part := value{kind: text, text: m.key, at: m.value.at}
		switch callee {
		case "Object.values":
			part = m.value
		case "Object.entries":
			part = value{kind: list, list: []value{part, m.value}, at: m.value.at}
		}
		out.list = append(out.list, part)
	}
	return out
}

// contents is readFileSync and require of a JSON file: its value at once,
// which JSON.parse then passes on.
func (s *script) contents(callee string, i, open int) value {
	args := s.arguments(open)
	if len(args) == 0 || args[0].kind != text || path.Ext(args[0].text) != ".json" {
		return s.computed(i)
	}
	name := args[0].text
	if callee == "require" {
		name = path.Join(rooted, path.Dir(s.path), name)
	}
	return s.json(name, i)
}

// jsonValue reads JSON, with or without comments.
func jsonValue(file string, data []byte) value {
	doc := project.Parse(file, data, project.Relaxed)
	if doc.Problem != nil {
		return opaque(doc.Problem.Position, "is not valid: "+doc.Problem.Message)
	}
	return fromJSON(doc, &doc.Value)
}

// fromJSON turns a part of a document into a value.
func fromJSON(doc *project.Document, v *hujson.Value) value {
	at := doc.PositionOf(v.StartOffset)
	switch part := v.Value.(type) {
	case *hujson.Object:
		out := value{kind: object, at: at}
		for i := range part.Members {
			out.members = append(out.members, member{project.Text(&part.Members[i].Name), fromJSON(doc, &part.Members[i].Value)})
		}
		return out
	case *hujson.Array:
		out := value{kind: list, at: at}
		for i := range part.Elements {
			out.list = append(out.list, fromJSON(doc, &part.Elements[i]))
		}
		return out
	case hujson.Literal:
		switch part.Kind() {
		case '"':
			return value{kind: text, text: part.String(), at: at}
		case '0':
			return value{kind: number, text: string(part), at: at}
		case 't', 'f':
			return value{kind: boolean, text: string(part), at: at}
		}
	}
	return value{kind: absent, at: at}
}
