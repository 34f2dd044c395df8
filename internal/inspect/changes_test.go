package inspect

import (
	"strings"
	"testing"
)

// TestChanges reads a value that the program changes later, in each way there
// is: it must not be taken for what its declaration says.
func TestChanges(t *testing.T) {
	const object = `let e = "a"; const o = { x: "a", y: ["b"] }; `
	for _, change := range []string{
		`o["x"] = 1`, `o['x'] = 1`, `o[k] = 1`, `Object.assign(o, { x: 1 })`, `Object.defineProperty(o, "x", d)`, `delete o.x`, `delete o["x"]`,
		`o.x += 1`, `o.x ??= 1`, `o.x ||= 1`, `o.x.z = 1`, `o?.x.push(1)`, `o["x"].push(1)`, `o.x[0] = 1`, `o.x++`, `--o.x`, `o.x **= 2`, `o.x >>= 2`,
	} {
		if v := reading(t, object+change+"; export default o.x").exported(); v.kind != unknown || !strings.Contains(v.why, "changed") {
			t.Errorf("%s: %+v", change, v)
		}
	}
	for _, change := range []string{
		`e = 1`, `e += ".c"`, `e &&= "b"`, `e ||= "b"`, `[e] = ["b"]`, `[q, e] = f()`, `({ e } = f())`, `({ q: e } = f())`, `for (e of f()) g()`, `for (e in f()) g()`, `e++`, `e -= 1`,
	} {
		if v := reading(t, object+change+"; export default e").exported(); v.kind != unknown || !strings.Contains(v.why, "changed") {
			t.Errorf("%s: %+v", change, v)
		}
	}
	for _, same := range []string{
		`if (e == "b") f()`, `if (e === "b") f()`, `if (e != o.x) f()`, `if (e <= 3 || e >= 2) f()`, `f(e, o.x)`, `const { q } = f(e)`, `const [r] = [e]`, `o.y.push(1)`, `o["y"] = 1`,
		`const p = { e: 1 }; p.e = 2`, `for (const q of [e]) f(q)`, `e.concat("b")`, `let q: { e: string } = f()`,
	} {
		if v := reading(t, object+same+"; export default e + o.x").exported(); v.text != "aa" {
			t.Errorf("%s: %+v", same, v)
		}
	}
}
