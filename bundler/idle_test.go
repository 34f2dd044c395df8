package bundler

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// engine tells of each piece of text between « and » that it is a function which did not
// run, and between ‹ and › that it is one which ran.
func engine(marked string) (text string, functions [][2]int, ran []bool) {
	var open [][2]int
	units := 0
	for _, r := range marked {
		switch r {
		case '«', '‹':
			open = append(open, [2]int{units, int(r)})
		case '»', '›':
			last := open[len(open)-1]
			open = open[:len(open)-1]
			functions, ran = append(functions, [2]int{last[0], units}), append(ran, last[1] == '‹')
		default:
			text += string(r)
			units += len(utf16.Encode([]rune{r}))
		}
	}
	return text, functions, ran
}

func TestIdleBodies(t *testing.T) {
	for name, c := range map[string]struct {
		marked string
		idle   []string
	}{
		"one that ran, one that did not":    {`‹function a() { return 1; }› «function b() { return 2; }»`, []string{` return 2; `}},
		"one within another that ran":       {`‹function a() { const h = «() => { return 1; }»; return h; }›`, []string{` return 1; `}},
		"one within another that did not":   {`«function a() { return () => { return 1; }; }»`, []string{` return () => { return 1; }; `}},
		"methods and accessors":             {`const o = { «async f() { return 1; }», «get g() { return 2; }» };`, []string{` return 1; `, ` return 2; `}},
		"after other letters":               {"const a = \"\u00e9\u4e16\U0001F600\"; «function b() { return 2; }»", []string{` return 2; `}},
		"two that end together":             {`const a = ‹() => «function() { return 1; }»›;`, nil},
		"a constructor that is not there":   {`«class A extends f() { static x = g(); }»`, nil},
		"a function without braces":         {`const a = «() => ({ b: 1 })»;`, nil},
		"a place that is no function's":     {`«if (a) { b(); }» while (c) { d(); }`, nil},
		"functions that nothing is told of": {`function a() { return 1; }`, nil},
	} {
		text, functions, ran := engine(c.marked)
		idle, ok := IdleBodies(text, functions, ran)
		if !ok {
			t.Fatalf("%s: not read", name)
		}
		for _, inside := range c.idle {
			before, _, ok := idle.Awake(text)
			now, _, fine := idle.Awake(strings.Replace(text, inside, " other(); ", 1))
			if !ok || !fine || before != now {
				t.Errorf("%s: %q has a say", name, inside)
			}
		}
		if len(idle.Numbers) != len(c.idle) {
			t.Errorf("%s: %d idle bodies, want %d", name, len(idle.Numbers), len(c.idle))
		}
	}
}

func TestAwake(t *testing.T) {
	const marked = `const a = ‹function() { return «() => { first(); }»; }›(); «function b() { second(); return {}; }» end(b);`
	text, functions, ran := engine(marked)
	idle, _ := IdleBodies(text, functions, ran)
	if !slices.Equal(idle.Numbers, []int{1, 2}) {
		t.Fatalf("idle are %v", idle)
	}
	want, _, _ := idle.Awake(text)
	for name, c := range map[string]struct {
		old, now string
		same     bool
	}{
		"within a function":            {"second();", "if (x) { third(() => { return /[{]/; }); }", true},
		"in one within another":        {"first();", "`}`;", true},
		"another that ran":             {"return () =>", "go(); return () =>", false},
		"the top level":                {"end(b);", "end(a);", false},
		"parameters":                   {"b()", "b(c = go())", false},
		"a function more before":       {"function b()", "function c() { second(); } function b()", false},
		"one that ends, code, another": {"second(); return", "} go(); function c() { second(); return", false},
		"one that is called at once":   {"function b() { second(); return {}; }", "function b() { second(); return {}; } (function() { return {}; })();", false},
		"nothing inside":               {" second(); return {}; ", "", false},
		"what cannot be read":          {"second();", "(", false},
		"a function less":              {"function b() { second(); return {}; }", "const b = 1;", false},
	} {
		changed := strings.Replace(text, c.old, c.now, 1)
		got, here, ok := idle.Awake(changed)
		if same := ok && got == want; same != c.same {
			t.Errorf("%s: the same is %t", name, same)
		}
		if moved, quick := idle.Moved(text, changed); quick && (!c.same || !reflect.DeepEqual(moved, here)) || !quick && c.same {
			t.Errorf("%s: seen at once is %t, with %v, want %v", name, quick, moved, here)
		}
	}
}
