package release

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"omcbuild/internal/diag"
)

// Compare holds what an archive was unpacked to against the payload that it was made
// from: the same files, with the same bytes, and as startable. archive is its name, for
// the findings.
func (p *Payload) Compare(archive, dir string) (list diag.List) {
	differs := func(file, format string, args ...any) {
		list.Add(diag.Diagnostic{Code: "package-differs", Position: diag.Position{File: archive}, Message: file + " " + fmt.Sprintf(format, args...), Hint: "make the package again; when it happens again, this is a fault of omcbuild"})
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		differs("what is in it", "cannot be read: %v", err)
		return list
	}
	defer func() { _ = root.Close() }()
	there := map[string]bool{}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		there[name] = true
		f, known := p.File(name)
		if !known {
			differs(name, "is in it, and was not packed")
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		contents, err := root.ReadFile(filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case !bytes.Equal(contents, f.Contents):
			differs(name, "has other bytes in it than were packed")
		case runtime.GOOS != "windows" && (info.Mode()^f.Mode)&0o100 != 0:
			differs(name, "can be started in one of the two only: as it was packed, and as it is in it")
		}
		return nil
	})
	if err != nil {
		differs("what is in it", "cannot be read: %v", err)
	}
	for _, f := range p.files {
		if !there[f.Path] {
			differs(f.Path, "was packed, and is not in it")
		}
	}
	return list
}
