package bundler

import "strings"

// Most scripts need no repair, and looking closely costs as much as parsing. So each
// is first searched for some texts, all of them in one pass: what has none of them is
// left alone.

// symptoms are the reasons for a closer look at a script.
type symptoms struct{ zod, require, stub, place, runtime, program, umd, pattern, module bool }

func (s symptoms) any() bool { return s != symptoms{} }

// diagnose tells the symptoms of a script. Some are looked for in the project's own
// alone. CommonJS modules of packages do not count as asking who is the program: each is
// a function, in which the first way to ask it is answered rightly.
func (b *build) diagnose(path, text string) symptoms {
	has := b.clues.in(text)
	own := !inPackage(path)
	meta := has.any(clueMetaName) || own && has.any(clueMeta)
	s := symptoms{
		zod:     has.any(clueZod) && importsZod(text),
		require: has.any(clueCreateRequire|clueRequire) || own && has.any(clueModuleRequire),
		stub:    has.any(clueStub),
		place:   meta || has.any(clueMetaTaken|clueFolder|clueResolve) || own && has.any(clueFile) || has.any(cluePino) && namesTransport(text),
		pattern: own && (has.any(clueEnding) || has.any(clueImportCall) && mayImportByPattern(text)),
		module:  has.any(clueModule),
		program: (own || meta) && has.any(clueProgram) || own && (has.any(clueArguments|clueMeta) || has.any(clueRequireWord) && mayAskForProgram(text)),
		umd:     has.any(clueFactory) && strings.Contains(text[:min(len(text), umdHead)], "factory(require"),
	}
	s.runtime = own && (meta || s.place || s.require || has.any(clueElsewhere) || strings.Contains(text, "Bun"))
	return s
}

// umdHead is how far into a file the wrapper of a UMD module is looked for, in bytes.
const umdHead = 4096

// clues are the texts that a script has, one bit a kind.
type clues uint32

const (
	clueZod           clues = 1 << iota // the name of zod in quotes
	clueCreateRequire                   // a require of its own making
	clueRequire                         // esbuild's require that throws
	clueModuleRequire
	clueStub // what a bundler leaves where it found no module
	clueMeta
	clueMetaName  // a name of import.meta
	clueMetaTaken // names taken out of import.meta
	clueFolder
	clueFile
	clueResolve
	cluePino
	clueModule // an ES module that asks for CommonJS
	clueProgram
	clueArguments
	clueRequireWord
	clueImportCall
	clueEnding // a computed name of a module
	clueElsewhere
	clueFactory // the wrapper of a UMD module
)

func (c clues) any(of clues) bool { return c&of != 0 }

// clue is one text to look for. Rare are four bytes of it that are seldom in other
// places of JavaScript.
type clue struct {
	text, rare string
	kind       clues
}

// clueTexts are the texts of all clues.
var clueTexts = []clue{
	{`"zod`, `"zod`, clueZod}, {`'zod`, `'zod`, clueZod},
	{"createRequire", "quir", clueCreateRequire}, {"__require", "quir", clueRequire}, {"dule.require(", "quir", clueModuleRequire},
	{"Dynamic require of", "Dyna", clueStub}, {"Could not dynamically require", " dyn", clueStub},
	{"import.meta", "rt.m", clueMeta}, {"import.meta.", "rt.m", clueMetaName}, {"} = import.meta", "rt.m", clueMetaTaken},
	{"__dirname", "__di", clueFolder}, {"__filename", "__fi", clueFile}, {"quire.resolve(", "quir", clueResolve}, {"pino", "pino", cluePino},
	{"typeof module", "eof ", clueModule}, {"typeof exports", "eof ", clueModule},
	{"gv[1]", "gv[1", clueProgram}, {"quire.main", "quir", clueProgram}, {"dule.parent", "e.pa", clueProgram},
	{"port.meta.main", "rt.m", clueProgram}, {"s.mainModule", "nMod", clueProgram},
	{"argv", "argv", clueArguments}, {"quire", "quir", clueRequireWord},
	{"import(", "ort(", clueImportCall}, {`+ ".js"`, `".js`, clueEnding}, {`+ '.js'`, `+ '.`, clueEnding},
	{"Deno.", "eno.", clueElsewhere}, {npmPrefix, "pm_p", clueElsewhere}, {`Worker("`, `er("`, clueElsewhere}, {`Worker('`, `er('`, clueElsewhere},
	{`fork("`, `rk("`, clueElsewhere}, {`fork('`, `rk('`, clueElsewhere},
	{`FileSync("`, "eSyn", clueElsewhere}, {`FileSync('`, "eSyn", clueElsewhere}, {`readFile("`, "adFi", clueElsewhere}, {`readFile('`, "adFi", clueElsewhere},
	{"factory(require", "ry(r", clueFactory},
}

// clueStep is how many bytes the search goes on at a time: of so many threes of bytes
// that follow each other in a text, one is looked at.
const clueStep = 2

// clueFinder looks for all clues at once. Three bytes tell which clues may be around
// them.
type clueFinder struct {
	around [1 << threeBits]uint8 // bytes → index into placed
	placed [][]placedClue
}

// placedClue is a clue with the offset of three bytes in it.
type placedClue struct {
	clue
	at int
}

func newClueFinder() *clueFinder {
	f := &clueFinder{placed: make([][]placedClue, 1, 1+clueStep*len(clueTexts))}
	for _, c := range clueTexts {
		first := strings.Index(c.text, c.rare)
		for at := first; at < first+clueStep; at++ {
			list := &f.around[threeAt(c.text, at)]
			if *list == 0 {
				*list = uint8(len(f.placed)) //nolint:gosec // fewer than 100 clues, two threes of each
				f.placed = append(f.placed, nil)
			}
			f.placed[*list] = append(f.placed[*list], placedClue{c, at})
		}
	}
	return f
}

// in returns the clues that stand in a text.
func (f *clueFinder) in(text string) (found clues) {
	i := 0
	for ; i+8 <= len(text); i += 3 * clueStep {
		w := eight(text[i : i+8])
		if f.around[three(w)]|f.around[three(w>>16)]|f.around[three(w>>32)] != 0 {
			found |= f.at(text, i, found) | f.at(text, i+clueStep, found) | f.at(text, i+2*clueStep, found)
		}
	}
	for ; i+3 <= len(text); i += clueStep {
		found |= f.at(text, i, found)
	}
	return found
}

// at returns the clues around three bytes at an offset, beside those that are known.
func (f *clueFinder) at(text string, i int, known clues) (found clues) {
	for _, c := range f.placed[f.around[threeAt(text, i)]] {
		if known&c.kind == 0 && i >= c.at && strings.HasPrefix(text[i-c.at:], c.text) {
			found |= c.kind
		}
	}
	return found
}

// threeBits is how many bits are left of three bytes.
const threeBits = 13

// three makes a number of the last three bytes of w; others seldom have the same.
func three(w uint64) uint32 {
	return uint32(w) << 8 * 0x9E3779B1 >> (32 - threeBits) //nolint:gosec // the rest is cut off on purpose
}

func threeAt(text string, i int) uint32 {
	return three(uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16)
}

// eight is the number that eight bytes make; the compiler reads them at once.
func eight(t string) uint64 {
	_ = t[7]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}
