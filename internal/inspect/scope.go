package inspect

import (
	"path"
	"slices"

	"omcbuild/internal/jsscan"
	"omcbuild/internal/project"
)

// script is a JavaScript or TypeScript file of which values are read. It is
// never run: a name means what its one declaration says, and nothing when it
// has several, is assigned to later or is a parameter.
type script struct {
	repo     *repository
	path     string
	folder   string // that relative paths are resolved against: where the program is run
	file     *jsscan.File
	declared map[string][]int    // name → tokens at which its values begin
	picked   map[string]pick     // names taken out of an object: const { version } = …
	imported map[string]imported // name → what it imports
	unsure   map[string]string   // name → why its declaration does not tell its value
	bound    map[string]value    // names of loops that are being unrolled
	open     map[string]bool     // names being looked up, against circles
	regions  []region            // see around; nil until they are needed
	stop     int                 // the token at which reading ends, when not 0
	steps    int
	depth    int
}

type pick struct {
	key  string
	from int
}

// imported is one name that an import or a require brings in.
type imported struct{ module, name string } // name is "*" for all of it

func newScript(repo *repository, name string, file *jsscan.File) *script {
	s := &script{
		repo: repo, path: name, folder: ".", file: file, declared: map[string][]int{}, picked: map[string]pick{},
		imported: map[string]imported{}, unsure: map[string]string{}, bound: map[string]value{}, open: map[string]bool{},
	}
	for i := range file.Tokens {
		switch {
		case file.Is(i, "."):
		case file.Is(i-1, "."):
			s.changed(i)
		case file.Is(i, "const"), file.Is(i, "let"), file.Is(i, "var"):
			s.declaration(i + 1)
		case file.Is(i, "import"):
			s.importOf(i + 1)
		case file.Is(i, "function"):
			s.parameters(i)
		case file.Is(i, "=>"):
			s.arrowParameters(i)
		case file.Kind(i) == jsscan.Ident:
			s.changed(i)
		}
	}
	return s
}

// declaration notes what a name, or the names of a pattern, are declared as.
// Of "const a = 1, b = 2" only the first is read.
func (s *script) declaration(i int) {
	if s.file.Is(i, "{") {
		end := s.closeNear(i)
		if end < 0 || !s.file.Is(end+1, "=") {
			return
		}
		for j := i + 1; j < end; j++ {
			if s.file.Kind(j) != jsscan.Ident {
				continue
			}
			key, name := s.file.Source(j), s.file.Source(j)
			if s.file.Is(j+1, ":") {
				name = s.file.Source(j + 2)
				j += 2
			}
			s.picked[name] = pick{key, end + 2}
			s.required(name, key, end+2)
		}
		return
	}
	name := s.file.Source(i)
	for j := i + 1; j < min(i+40, len(s.file.Tokens)); j++ { // over a type
		if s.file.Is(j, "=") {
			s.declared[name] = append(s.declared[name], j+1)
			s.required(name, "*", j+1)
			return
		}
		if j == i+1 && !s.file.Is(j, ":") {
			break
		}
	}
	s.unsure[name] = "is set by the program"
}

// required notes a name that stands for require("module").
func (s *script) required(name, key string, i int) {
	if s.file.Is(i, "await") && s.file.Is(i+1, "import") {
		i++
	}
	if (s.file.Is(i, "require") || s.file.Is(i, "import")) && s.file.Is(i+1, "(") {
		if module, ok := s.file.Literal(i + 2); ok {
			s.imported[name] = imported{module, key}
		}
	}
}

// importOf notes the names of an import statement.
func (s *script) importOf(i int) {
	var names []imported // module holds the local name for now
	for j := i; j < min(i+200, len(s.file.Tokens)); j++ {
		switch {
		case s.file.Kind(j) == jsscan.String:
			for _, n := range names {
				s.imported[n.module] = imported{unquote(s.file.Source(j)), n.name}
			}
			return
		case s.file.Is(j, "*") && s.file.Is(j+1, "as"):
			names = append(names, imported{s.file.Source(j + 2), "*"})
			j += 2
		case s.file.Is(j, "from"), s.file.Is(j, "type"), s.file.Is(j, ","), s.file.Is(j, "{"), s.file.Is(j, "}"):
		case s.file.Kind(j) == jsscan.Ident && s.file.Is(j+1, "as"):
			names = append(names, imported{s.file.Source(j + 2), s.file.Source(j)})
			j += 2
		case s.file.Kind(j) == jsscan.Ident:
			name := s.file.Source(j)
			if j == i {
				name = "*" // the default export of a CommonJS package is all of it
			}
			names = append(names, imported{s.file.Source(j), name})
		default:
			return
		}
	}
}

// parameters marks the parameters of a function.
func (s *script) parameters(i int) {
	for j := i + 1; j < min(i+4, len(s.file.Tokens)); j++ {
		if s.file.Is(j, "(") {
			s.mark(j, s.closeNear(j))
			return
		}
	}
}

// closeNear is the end of a bracket that is not far away, or -1.
func (s *script) closeNear(i int) int {
	for j := i + 1; j < min(i+400, len(s.file.Tokens)); j++ {
		if s.file.Tokens[j].Parens == s.file.Tokens[i].Parens {
			return j
		}
	}
	return -1
}

func (s *script) arrowParameters(i int) {
	if s.file.Kind(i-1) == jsscan.Ident {
		s.mark(i-2, i)
		return
	}
	for j := i - 1; j >= max(0, i-400); j-- {
		if s.file.Is(j, "(") && s.file.Tokens[j].Parens == s.file.Tokens[i].Parens {
			s.mark(j, i)
			return
		}
		if s.file.Tokens[j].Parens < s.file.Tokens[i].Parens {
			return
		}
	}
}

func (s *script) mark(from, to int) {
	for j := max(from+1, 0); j < to; j++ {
		if s.file.Kind(j) == jsscan.Ident && !s.file.Is(j+1, ":") {
			s.unsure[s.file.Source(j)] = "is a parameter of a function"
		}
	}
}

// changers are the methods that change what they are called on.
var changers = []string{"push", "unshift", "splice", "pop", "shift", "sort", "reverse", "concat"}

// changed notes a name that something is assigned to, or that is changed in
// place.
func (s *script) changed(i int) {
	if s.file.Kind(i) != jsscan.Ident || s.file.Is(i-1, "const") || s.file.Is(i-1, "let") || s.file.Is(i-1, "var") {
		return
	}
	first := i
	for s.file.Is(first-1, ".") && s.file.Kind(first-2) == jsscan.Ident {
		first -= 2
	}
	assigned := s.file.Is(i+1, "=") && !s.file.Is(i+2, "=")
	altered := first < i && s.file.Is(i+1, "(") && slices.Contains(changers[:7], s.file.Source(i))
	if assigned && s.file.Is(i-1, ":") { // a type's default, never a variable
		return
	}
	if assigned || altered {
		s.unsure[s.file.Source(first)] = "is changed by the program"
	}
}

// word reads an operand that begins with a word.
func (s *script) word(i int) (value, int) {
	at, word := s.position(i), s.file.Source(i)
	switch word {
	case "true", "false":
		return value{kind: boolean, text: word, at: at}, i + 1
	case "null", "undefined":
		return value{kind: absent, at: at}, i + 1
	case "function":
		body := i
		for end := min(i+400, len(s.file.Tokens)); body < end && !s.file.Is(body, "{"); {
			body++
		}
		return value{kind: function, at: at, body: body, source: s}, s.after(min(body, len(s.file.Tokens)-1))
	case "import":
		if s.file.Is(i+1, ".") && s.file.Is(i+2, "meta") && s.file.Is(i+3, ".") {
			return s.own(s.file.Source(i+4), i), i + 5
		}
	}
	if s.file.Is(i+1, "=>") {
		return s.arrow(i, i+2)
	}
	names, n := word, i+1
	for s.file.Is(n, ".") && s.file.Kind(n+1) == jsscan.Ident {
		if s.file.Is(n+2, "(") {
			names, n = names+"."+s.file.Source(n+1), n+2
			break
		}
		if s.file.Source(n+1) == "env" && names == "process" {
			return s.computed(i), s.skip(i)
		}
		if !s.file.Is(n+2, ".") || !s.file.Is(n+4, "(") {
			break
		}
		names, n = names+"."+s.file.Source(n+1), n+2
	}
	if s.file.Is(n, "(") {
		return s.call(names, i, n), s.after(n)
	}
	return s.lookUp(word, i), i + 1
}

// own returns where the script itself is: import.meta.url and the like.
func (s *script) own(name string, i int) value {
	switch name {
	case "url", "filename", "__filename":
		return value{kind: text, text: path.Join(rooted, s.path), at: s.position(i)}
	case "dirname", "dir", "__dirname":
		return value{kind: text, text: path.Join(rooted, path.Dir(s.path)), at: s.position(i)}
	}
	return s.computed(i)
}

// lookUp returns what a name stands for.
func (s *script) lookUp(name string, i int) value {
	if v, ok := s.bound[name]; ok {
		return v
	}
	at := s.position(i)
	if s.open[name] {
		return opaque(at, "refers to itself")
	}
	s.open[name] = true
	defer delete(s.open, name)
	if why := s.unsure[name]; why != "" {
		return opaque(at, "is computed: "+name+" "+why)
	}
	if from, ok := s.imported[name]; ok {
		return s.module(from, i)
	}
	if p, ok := s.picked[name]; ok {
		v, _ := s.read(p.from)
		return s.memberOf(v, p.key, i)
	}
	switch places := s.declared[name]; len(places) {
	case 1:
		v, _ := s.read(places[0])
		return v
	case 0:
		if name == "__dirname" || name == "__filename" {
			return s.own(name, i)
		}
	default:
		return opaque(at, "is computed: "+name+" is declared in several places")
	}
	return s.computed(i)
}

// module returns what an import brings in, as far as that is known: the JSON
// file of that name, or the list of Node's own modules.
func (s *script) module(from imported, i int) value {
	switch {
	case from.name == "builtinModules":
		return value{kind: builtins, at: s.position(i)}
	case path.Ext(from.module) == ".json":
		v := s.json(path.Join(rooted, path.Dir(s.path), from.module), i)
		if from.name != "*" {
			v = s.memberOf(v, from.name, i)
		}
		return v
	}
	return opaque(s.position(i), "comes from "+clip(from.module))
}

// json reads a JSON file that a script reads.
func (s *script) json(name string, i int) value {
	file, ok := inside(s.folder, name)
	if !ok {
		return s.computed(i)
	}
	doc := s.repo.document(file, project.Relaxed)
	if doc == nil {
		return s.computed(i)
	}
	s.steps += len(doc.Data) / 1000
	v := fromJSON(doc, &doc.Value)
	if path.Base(file) == project.PackageFile {
		for n := range v.members {
			v.members[n].value.version = v.members[n].key == "version"
			v.members[n].value.name = v.members[n].key == "name"
		}
	}
	return v
}
