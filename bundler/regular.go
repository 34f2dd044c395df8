package bundler

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// maxSource is the size in bytes up to which a file is bundled. Everything that is
// bundled is in memory several times.
const maxSource = 256 << 20

var (
	errIrregular = errors.New("it is no regular file")
	errTooLarge  = fmt.Errorf("it is larger than %d MB", maxSource>>20)
)

// openRegular opens a file of bounded size. What is no regular file is refused:
// reading a pipe or a device may take forever. It looks before it opens, since to open
// a device may do something, and again at what it opened.
func openRegular(path string) (file *os.File, size int64, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, errIrregular
	}
	file, err = os.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err = file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errIrregular
	case info.Size() > maxSource:
		err = errTooLarge
	default:
		return file, info.Size(), nil
	}
	_ = file.Close()
	return nil, 0, err
}

// readRegular reads a file that openRegular opens.
func readRegular(path string) ([]byte, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text := make([]byte, size, size+1) // one more, so that the end is found without growing
	n, err := io.ReadFull(file, text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return text[:n], nil
	}
	return text, err
}

// unreadable says why a file that is there cannot be bundled.
func (b *build) unreadable(path string, err error) api.Message {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	hint := "make it a readable file, or import another"
	if b.plugAndPlay() {
		hint = plugAndPlayHint
	}
	return api.Message{Text: "the file cannot be read: " + err.Error(), Detail: finding{code: "unreadable-source", hint: hint, file: b.rel(path)}}
}

// settings are the files that esbuild opens on its own, in every folder that a source
// lies in or below.
var settings = []string{"package.json", "tsconfig.json", "jsconfig.json"}

// unusable tells what is wrong with a file that esbuild would open on its own, and never
// come back from. One that is not there is none.
func (b *build) unusable(path string) []api.Message {
	text, err := readRegular(path)
	switch {
	case errors.Is(err, errIrregular), errors.Is(err, errTooLarge):
		return []api.Message{b.unreadable(path, err)}
	case err != nil:
		return nil
	}
	return b.tooDeep(path, text, api.LoaderJSON)
}

// checkSettings looks at those around the entry, and at what they extend.
func (b *build) checkSettings() (found []api.Message) {
	add := func(file string) { found = append(found, b.unusable(file)...) }
	dir := b.o.Root
	if b.o.Entry != "" {
		dir = filepath.Dir(b.entry)
	}
	for ; len(found) == 0; dir = filepath.Dir(dir) {
		for _, name := range settings {
			file := filepath.Join(dir, name)
			if !exists(dir, name) {
				continue
			}
			if add(file); name != "package.json" && len(found) == 0 {
				b.extends(file, func(base string) { add(filepath.Join(b.o.Root, filepath.FromSlash(base))) }, 0)
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return found
}
