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
	declared map[string][]int           // name → tokens at which its values begin
	picked   map[string]pick            // names taken out of an object: const { version } = …
	imported map[string]imported        // name → what it imports
	unsure   map[string]string          // name → why its declaration does not tell its value
	altered  map[string][]string        // name → members that are assigned to or changed later
	bound    map[string]value           // names of loops that are being unrolled
	open     map[string]bool            // names being looked up, against circles
	regions  []region                   // see around; nil until they are needed
	known    map[int][]map[string]value // what contexts found for a region, by its first token
	reached  map[int]reach              // see reachOf, by a region's first token
	index    index
	stop     int // the token at which reading ends, when not 0
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
		repo: repo, path: name, folder: ".", file: file, index: newIndex(file), reached: map[int]reach{}, declared: map[string][]int{}, picked: map[string]pick{},
		imported: map[string]imported{}, unsure: map[string]string{}, altered: map[string][]string{}, bound: map[string]value{}, open: map[string]bool{},
	}
	for i := range file.Tokens {
		switch {
		case file.Is(i, "."):
		case file.Is(i-1, "."):
		case file.Is(i, "]"), file.Is(i, "}"):
			s.reassigned(i)
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
	for n != s.stop && s.file.Is(n, ".") && s.file.Kind(n+1) == jsscan.Ident {
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
		return s.without(v, name)
	case 0:
		if name == "__dirname" || name == "__filename" {
			return s.own(name, i)
		}
	default:
		return opaque(at, "is computed: "+name+" is declared in several places")
	}
	return s.computed(i)
}

// without marks the members of a variable's value that the program changes
// later.
func (s *script) without(v value, name string) value {
	if len(s.altered[name]) == 0 {
		return v
	}
	if v.kind != object {
		return opaque(v.at, "is computed: "+name+" is changed by the program")
	}
	v.members = slices.Clone(v.members)
	for _, key := range s.altered[name] {
		v.members = append(v.members, member{key, opaque(v.get(key).at, "is computed: "+name+"."+key+" is changed by the program")})
	}
	return v
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

// json reads a JSON file that a script reads. Of package.json alone the values
// are known: other files hold what belongs to one machine, and secrets, so
// nothing of them is copied or shown.
func (s *script) json(name string, i int) value {
	file, ok := inside(s.folder, name)
	if !ok {
		return s.computed(i)
	}
	if path.Base(file) != project.PackageFile {
		return opaque(s.position(i), "comes from "+clip(file)+"; values are taken from build scripts, their configuration and "+project.PackageFile+" alone")
	}
	doc := s.repo.document(file, project.Strict)
	if doc == nil {
		return s.computed(i)
	}
	s.steps += len(doc.Data) / 1000
	v := fromJSON(doc, &doc.Value)
	for n := range v.members {
		v.members[n].value.version = v.members[n].key == "version"
		v.members[n].value.name = v.members[n].key == "name"
	}
	return v
}
