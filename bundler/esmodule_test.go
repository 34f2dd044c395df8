package bundler

import (
	"testing"

	"omcbuild/internal/jsscan"
)

// Each source has the question once, as typeof module or typeof exports.
func TestModulesAskedFor(t *testing.T) {
	for source, answered := range map[string]bool{
		"if (typeof module === 'object') a()":                                              true,
		"(function (mod) { if (typeof exports == 'object') mod() })(x)":                    true,
		"(mod => { typeof exports == 'object' && mod() })(x)":                              true,
		"class A { m() { return typeof module } }":                                         true,
		"function a(x, exports) { exports.b = 1 } function b() { typeof exports }":         true,
		"function a() { var module = {}; f(module) } function b() { typeof module }":       true,
		"function b() { typeof module } f(a, module); g([exports], { module })":            true,
		"function b() { return typeof module } x.module = 1; x = { module: 2 }":            true,
		"function b() { return typeof module } module.exports = exports['a']":              true,
		"const f = module => module.id; function b() { typeof module }":                    true,
		"try { a() } catch (module) { b(module) } function b() { typeof module }":          true,
		"class A { module(a) { } } function b() { typeof module }":                         true,
		"`${(exports => 1)()} ${typeof exports}`":                                          true,
		"function a(exports) { return typeof exports }":                                    false,
		"function a(x, { exports }) { return () => typeof exports }":                       false,
		"function a(x, [, { y: module = 1 }]) { if (x) { typeof module } }":                false,
		"function a(...module) { typeof module }":                                          false,
		"function a(b = () => typeof module, module) { }":                                  false,
		"async function a(module: Module): Promise<void> { typeof module }":                false,
		"const f = (exports) => typeof exports":                                            false,
		"const f = (exports): string => typeof exports":                                    false,
		"f(exports => typeof exports)":                                                     false,
		"f(async module => { typeof module })":                                             false,
		"f(function exports() { typeof exports })":                                         false,
		"f(class module { m() { typeof module } })":                                        false,
		"f(function* module() { typeof module })":                                          false,
		"class A { constructor(private module: M) { typeof module } }":                     false,
		"class A { set b(module) { typeof module } }":                                      false,
		"function a() { if (x) { var module = 1 } return typeof module }":                  false,
		"function a() { let b = 1, exports; return typeof exports }":                       false,
		"function a() { let module\n[b] = c; return typeof module }":                       false,
		"function a() { const { b, module } = c; return () => typeof module }":             false,
		"function a() { const { b: module } = c; return typeof module }":                   false,
		"function a() { const [module] = c; return typeof module }":                        false,
		"function a() { for (const module of c) b(typeof module) }":                        false,
		"function a() { for (var { module } of c) { } return typeof module }":              false,
		"function a() { try { b() } catch (module) { typeof module } }":                    false,
		"function a() { try { b() } catch ({ module }) { typeof module } }":                false,
		"f(class { static { var module = 1; g(() => typeof module) } })":                   false,
		"f(class { static { var { module } = b; g(typeof module) } })":                     false,
		"function module() { } function a() { typeof module }":                             false,
		"class module { } function a() { typeof module }":                                  false,
		"import module from 'node:module'; function a() { typeof module }":                 false,
		"import { b as module } from './b'; function a() { typeof module }":                false,
		"import { module } from './b'; if (typeof module === 'object') a()":                false,
		"import * as exports from './b'; function a() { typeof exports }":                  false,
		"namespace module { export const a = 1 } function a() { typeof module }":           false,
		"function a() { return typeof module.exports }":                                    false,
		"function a() { return b.typeof module }":                                          false,
		"export function a(exports) { { let b; } return typeof exports }; let c = [x];":    false,
		"function a(b) { return b ? f(exports) : typeof exports; function exports() { } }": false,
	} {
		f, ok := jsscan.Scan(source + "\nexport {};")
		if !ok {
			t.Errorf("%s: not scanned", source)
			continue
		}
		if got := len(noModule(f)) == 1; got != answered {
			t.Errorf("%s: answered %v", source, got)
		}
	}
	f, _ := jsscan.Scan("function a() { return typeof module }")
	if got := noModule(f); got != nil {
		t.Errorf("no ES module: %v", got)
	}
}
