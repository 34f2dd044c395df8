package bundler

import "testing"

func TestRanges(t *testing.T) {
	cases := []struct {
		text    string
		in, out []version
	}{
		{"^1.2.3", []version{{1, 2, 3}, {1, 9, 0}}, []version{{1, 2, 2}, {2, 0, 0}}},
		{"^0.2.3", []version{{0, 2, 3}, {0, 2, 9}}, []version{{0, 3, 0}, {0, 2, 2}}},
		{"^0.0.3", []version{{0, 0, 3}}, []version{{0, 0, 4}}},
		{"^0", []version{{0, 9, 9}}, []version{{1, 0, 0}}},
		{"^0.0", []version{{0, 0, 9}}, []version{{0, 1, 0}}},
		{"~1.2", []version{{1, 2, 9}}, []version{{1, 3, 0}}},
		{"~1.2.3", []version{{1, 2, 9}}, []version{{1, 2, 2}, {1, 3, 0}}},
		{"1.2.3", []version{{1, 2, 3}}, []version{{1, 2, 4}, {1, 2, 2}}},
		{"1.x", []version{{1, 9, 9}}, []version{{2, 0, 0}, {0, 9, 9}}},
		{"*", []version{{0, 0, 0}, {99, 0, 0}}, nil},
		{"", []version{{3, 2, 1}}, nil},
		{">= 1.2 <2", []version{{1, 2, 0}}, []version{{2, 0, 0}, {1, 1, 9}}},
		{">1.2.3", []version{{1, 2, 4}}, []version{{1, 2, 3}}},
		{"<=1.2", []version{{1, 2, 9}}, []version{{1, 3, 0}}},
		{"1.2 - 2", []version{{1, 2, 0}, {2, 9, 9}}, []version{{3, 0, 0}}},
		{"^1 || ^3", []version{{1, 1, 1}, {3, 0, 0}}, []version{{2, 0, 0}}},
		{"v1.0.0-beta.1", []version{{1, 0, 0}}, []version{{1, 0, 1}}},
	}
	for _, c := range cases {
		w, ok := readRange(c.text)
		if !ok {
			t.Errorf("%q: not read", c.text)
			continue
		}
		for _, v := range c.in {
			if !w.holds(v) {
				t.Errorf("%q does not hold %v", c.text, v)
			}
		}
		for _, v := range c.out {
			if w.holds(v) {
				t.Errorf("%q holds %v", c.text, v)
			}
		}
	}
	for _, text := range []string{"latest", "git+ssh://host/x", "workspace:*", "npm:other@1", "file:../x"} {
		if _, ok := readRange(text); ok {
			t.Errorf("%q was read", text)
		}
	}
}

// holds does what the header does at run time.
func (w wanted) holds(v version) bool {
	for _, s := range w.Spans {
		if !v.less(*s[0]) && (s[1] == nil || v.less(*s[1])) {
			return true
		}
	}
	return false
}
