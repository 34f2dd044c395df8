package products

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Folder is a folder of products that is replaced as a whole: what was in it before is
// gone afterwards.
type Folder struct {
	Name  string // of the folder, below the root and in no other folder
	Files []File // below it; their modes are as given, whatever the umask
}

// WriteFolders brings folders and files into place under root, which is made when it
// is not there, or none of them. The error is that of Write. What was in place stays
// until everything that is new lies beside it.
func WriteFolders(root string, folders []Folder, files []File) error {
	made, err := makeRoot(root)
	if err != nil {
		return unwritable(filepath.Base(root), err)
	}
	swaps := make([]swap, len(folders))
	undo := func() {
		for i := range swaps {
			swaps[i].undo()
		}
		for i := len(made) - 1; i >= 0; i-- {
			_ = os.Remove(made[i]) // fails when somebody put something into it
		}
	}
	for i, folder := range folders {
		if swaps[i], err = stageFolder(root, folder); err != nil {
			undo()
			return unwritable(folder.Name, err)
		}
	}
	for i := range swaps {
		if err := swaps[i].commit(); err != nil {
			undo()
			return unwritable(folders[i].Name, err)
		}
	}
	if _, err := Write(root, files); err != nil {
		undo()
		return err
	}
	for i := range swaps {
		_ = os.RemoveAll(swaps[i].old)
		sweepFolders(root, folders[i].Name)
	}
	return nil
}

// sweepFolders removes what a killed run left of a folder, beside it.
func sweepFolders(root, name string) {
	entries, _ := os.ReadDir(root)
	for _, entry := range entries {
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), "."+name+".new-") || strings.HasPrefix(entry.Name(), "."+name+".old-")) {
			_ = os.RemoveAll(filepath.Join(root, entry.Name()))
		}
	}
}

// makeRoot makes a folder with those that it is in, and returns what it made, the
// deepest last.
func makeRoot(root string) (made []string, err error) {
	for at := root; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append([]string{at}, made...)
	}
	return made, os.MkdirAll(root, 0o777)
}

// swap is a folder that is about to take the place of another.
type swap struct {
	target, staged, old string // old is "" when there was none
	done                bool
}

func stageFolder(root string, folder Folder) (swap, error) {
	s := swap{target: filepath.Join(root, folder.Name)}
	if folder.Name == "." || folder.Name != filepath.Base(folder.Name) || !filepath.IsLocal(folder.Name) {
		return s, errors.New("it is no name of a folder")
	}
	staged, err := os.MkdirTemp(root, "."+folder.Name+".new-")
	if err != nil {
		return s, err
	}
	s.staged = staged
	err = os.Chmod(staged, 0o755) //nolint:gosec // it is published
	for _, file := range folder.Files {
		if err == nil {
			err = stageFile(staged, file)
		}
	}
	return s, err
}

func stageFile(folder string, file File) error {
	if !filepath.IsLocal(filepath.FromSlash(file.Path)) {
		return errors.New("it lies outside the folder")
	}
	for at := path.Dir(file.Path); at != "."; at = path.Dir(at) {
		full := filepath.Join(folder, filepath.FromSlash(at))
		if err := os.MkdirAll(full, 0o755); err != nil {
			return err
		}
		if err := os.Chmod(full, 0o755); err != nil { //nolint:gosec // it is published
			return err
		}
	}
	target := filepath.Join(folder, filepath.FromSlash(file.Path))
	if err := os.WriteFile(target, file.Contents, file.Mode.Perm()); err != nil {
		return err
	}
	return os.Chmod(target, file.Mode.Perm())
}

// commit puts the staged folder in place, and what was there beside it.
func (s *swap) commit() error {
	if _, err := os.Lstat(s.target); err == nil {
		old, err := os.MkdirTemp(filepath.Dir(s.target), "."+filepath.Base(s.target)+".old-")
		if err != nil {
			return err
		}
		s.old = old
		if err := rename(s.target, filepath.Join(old, "was")); err != nil {
			return err
		}
	}
	err := rename(s.staged, s.target)
	s.done = err == nil
	return err
}

// undo brings back what was there, and removes what was staged.
func (s *swap) undo() {
	if s.done {
		_ = os.RemoveAll(s.target)
	}
	if s.staged != "" {
		_ = os.RemoveAll(s.staged)
	}
	if s.old != "" {
		_ = rename(filepath.Join(s.old, "was"), s.target)
		_ = os.Remove(s.old) // empty, unless that failed
	}
}
