package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// saving are ways in which programs save "new" as src/main.ts.
var saving = map[string]func(p *project, path string){
	"write over it": func(p *project, path string) { p.must(os.WriteFile(path, []byte("new"), 0o644)) },
	"a temporary file renamed over it": func(p *project, path string) {
		p.must(os.WriteFile(path+".tmp.4711", []byte("new"), 0o644))
		p.must(os.Rename(path+".tmp.4711", path))
	},
	"a temporary file of another folder renamed over it": func(p *project, path string) {
		p.write("other/.main.ts.swap", "new")
		p.must(os.Rename(p.path("other/.main.ts.swap"), path))
	},
	"vim with a backup that is renamed": func(p *project, path string) {
		p.must(os.WriteFile(filepath.Join(filepath.Dir(path), "4913"), nil, 0o644))
		p.must(os.Remove(filepath.Join(filepath.Dir(path), "4913")))
		p.must(os.Rename(path, path+"~"))
		p.must(os.WriteFile(path, []byte("new"), 0o644))
		p.must(os.Chmod(path, 0o644))
		p.must(os.Remove(path + "~"))
	},
	"emptied, then written in parts": func(p *project, path string) {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		p.must(err)
		for _, part := range []string{"n", "e", "w"} {
			_, err = file.WriteString(part)
			p.must(err)
			p.must(file.Sync())
		}
		p.must(file.Close())
	},
	"removed, then made": func(p *project, path string) {
		p.must(os.Remove(path))
		p.must(os.WriteFile(path, []byte("new"), 0o644))
	},
	"the same size and time as before": func(p *project, path string) {
		info, err := os.Stat(path)
		p.must(err)
		p.must(os.WriteFile(path+".tmp", []byte("new"), 0o644))
		p.must(os.Chtimes(path+".tmp", info.ModTime(), info.ModTime()))
		p.must(os.Rename(path+".tmp", path))
	},
	"its folder replaced": func(p *project, path string) {
		p.must(os.CopyFS(p.path("src.new"), os.DirFS(p.path("src"))))
		p.write("src.new/main.ts", "new")
		p.must(os.Rename(p.path("src"), p.path("src.old")))
		p.must(os.Rename(p.path("src.new"), p.path("src")))
	},
	"its folder removed and made": func(p *project, path string) {
		p.must(os.RemoveAll(p.path("src")))
		p.write("src/lib/deep.ts", "old")
		p.write("src/main.ts", "new")
	},
}

// TestEveryWayOfSaving saves in each way, twice, because what replaces a file or
// a folder may end the watching of it.
func TestEveryWayOfSaving(t *testing.T) {
	for name, save := range saving {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, options Options) {
				p := watchProject(t, sources(), options)
				save(p, p.path("src/main.ts"))
				p.sees("src/main.ts", "new")
				p.write("src/main.ts", "between")
				p.sees("src/main.ts", "between")
				p.must(os.RemoveAll(p.path("src.old")))
				save(p, p.path("src/main.ts"))
				p.sees("src/main.ts", "new")
				p.write("src/lib/deep.ts", "after")
				p.sees("src/lib/deep.ts", "after")
			})
		})
	}
}

// TestWhatComesAndGoes follows files and folders that the first round did not
// know.
func TestWhatComesAndGoes(t *testing.T) {
	steps := map[string]func(p *project){
		"a new file": func(p *project) {
			p.write("src/fresh.ts", "1")
			p.sees("src/fresh.ts", "1")
			p.write("src/fresh.ts", "2")
			p.sees("src/fresh.ts", "2")
		},
		"a file that goes": func(p *project) {
			p.must(os.Remove(p.path("src/lib/deep.ts")))
			p.until("a round without it", func() bool { return p.seen["src/lib/deep.ts"] == "" })
		},
		"a file renamed in letter case": func(p *project) {
			p.must(os.Rename(p.path("src/main.ts"), p.path("src/Main.ts")))
			p.sees("src/Main.ts", "old")
		},
		"a file in a new folder": func(p *project) {
			p.write("src/a/b/c/fresh.ts", "1")
			p.sees("src/a/b/c/fresh.ts", "1")
			p.write("src/a/b/c/fresh.ts", "2")
			p.sees("src/a/b/c/fresh.ts", "2")
			p.write("src/a/b/second.ts", "1")
			p.sees("src/a/b/second.ts", "1")
		},
		"a folder that moves in with old files": func(p *project) {
			p.must(os.Rename(p.path("stock"), p.path("src/stock")))
			p.sees("src/stock/deep/old.ts", "stock")
			p.write("src/stock/deep/old.ts", "new")
			p.sees("src/stock/deep/old.ts", "new")
		},
		"a folder that goes": func(p *project) {
			p.must(os.RemoveAll(p.path("src/lib")))
			p.until("a round without it", func() bool { return p.seen["src/lib/deep.ts"] == "" })
			p.write("src/lib/deep.ts", "back")
			p.sees("src/lib/deep.ts", "back")
		},
		"a file that may be read now": func(p *project) {
			n := p.count()
			p.must(os.Chmod(p.path("src/main.ts"), 0o200))
			p.until("a round", func() bool { return len(p.rounds) == n+1 })
			p.must(os.Chmod(p.path("src/main.ts"), 0o644))
			p.until("another round", func() bool { return len(p.rounds) == n+2 })
		},
		"a file in a folder that is not looked below": func(p *project) {
			n := p.count()
			p.write("docs/schema.json", "1")
			p.write("tsconfig.json", "1")
			p.sees("tsconfig.json", "1")
			p.write("tsconfig.json", "2")
			p.sees("tsconfig.json", "2")
			p.must(os.Remove(p.path("tsconfig.json")))
			p.until("a round without it", func() bool { return p.seen["tsconfig.json"] == "" })
			if given := p.since(n); !slices.Equal(given, []string{"tsconfig.json"}) {
				p.t.Errorf("the rounds were given %v", given)
			}
		},
		"a known file": func(p *project) {
			p.write("package.json", `{"name":"x"}`)
			p.sees("package.json", `{"name":"x"}`)
		},
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, options Options) {
				files := sources()
				files["stock/deep/old.ts"] = "stock"
				step(watchProject(t, files, options))
			})
		})
	}
}

// TestAFileThatIsMissing is what an import of a file that is not there looks like:
// neither the file nor its folder exists.
func TestAFileThatIsMissing(t *testing.T) {
	ways(t, func(t *testing.T, options Options) {
		p := watchProject(t, sources(), options, func(p *project) {
			p.set = func() Set { return Set{Files: []string{p.path("src/main.ts"), p.path("gen/api/types.ts")}} }
		})
		p.write("gen/api/types.ts", "made")
		p.sees("gen/api/types.ts", "made")
		p.must(os.RemoveAll(p.path("gen")))
		p.until("a round without it", func() bool { return p.seen["gen/api/types.ts"] == "" })
		p.write("gen/api/types.ts", "again")
		p.sees("gen/api/types.ts", "again")
	})
}

// TestLinks changes what symbolic links lead to, and where they lead.
func TestLinks(t *testing.T) {
	lay := func(t *testing.T) string {
		outside, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"one", "two"} {
			if err := os.MkdirAll(filepath.Join(outside, version), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(outside, version, "shared.ts"), []byte(version), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return outside
	}
	ways(t, func(t *testing.T, options Options) {
		outside := lay(t)
		p := watchProject(t, sources(), options, func(p *project) {
			p.must(os.Symlink(filepath.Join(outside, "one"), p.path("src/shared")))
			p.must(os.Symlink(filepath.Join(outside, "one", "shared.ts"), p.path("src/single.ts")))
			set := p.set()
			set.Files = append(set.Files, filepath.Join(outside, "one", "shared.ts"), p.path("src/single.ts"))
			p.set = func() Set { return set }
		})
		seen := func(path string) func() bool {
			n := p.count()
			return func() bool { return len(p.given(n, path)) > 0 }
		}
		in := seen("shared.ts")
		p.must(os.WriteFile(filepath.Join(outside, "one", "shared.ts"), []byte("written"), 0o644))
		p.until("a round for a file behind a link", in)
		in = seen("single.ts")
		p.must(os.WriteFile(filepath.Join(outside, "one", "shared.ts"), []byte("again"), 0o644))
		p.until("a round for a link to a file", in)
		in = seen("shared")
		p.must(os.Symlink(filepath.Join(outside, "two"), p.path("other/next")))
		p.must(os.Rename(p.path("other/next"), p.path("src/shared")))
		p.until("a round for a link that leads elsewhere", in)
		in = seen("shared.ts")
		p.must(os.WriteFile(filepath.Join(outside, "two", "shared.ts"), []byte("new"), 0o644))
		p.until("a round for a file behind the new link", in)
	})
}
