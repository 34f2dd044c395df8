package release

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// directoryBytes bounds the directory of a zip file, which is held in memory.
const directoryBytes = 8 << 20

// rationed hands out so many bytes of a file and no more.
type rationed struct {
	from io.ReaderAt
	left int64
}

var errDirectory = fmt.Errorf("its directory is larger than %d MiB", directoryBytes>>20)

func (r *rationed) ReadAt(p []byte, at int64) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, errDirectory
	}
	return r.from.ReadAt(p, at)
}

func (u *unpacker) zip(file *os.File, size int64) error {
	ration := &rationed{file, directoryBytes}
	reader, err := zip.NewReader(ration, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // the path is judged below
		return err
	}
	if len(reader.File) > maxFiles {
		return errTooMany
	}
	ration.left = 1 << 62
	if err := sound(reader.File, size); err != nil {
		return err
	}
	for _, f := range reader.File {
		if err := u.zipped(f); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) zipped(f *zip.File) error {
	e := entry{name: f.Name, mode: f.Mode(), size: int64(f.UncompressedSize64)} //nolint:gosec // sound has looked at it
	if e.mode.IsDir() || !e.mode.IsRegular() {
		return u.entry(e)
	}
	contents, err := f.Open()
	if err != nil {
		return fmt.Errorf("%q cannot be read: %w", short(f.Name), err)
	}
	defer func() { _ = contents.Close() }()
	e.contents = contents
	return u.entry(e)
}

// sound says what is wrong with the entries of a zip file before any of them is
// written: encryption, sizes that add up to too much, parts that several share.
func sound(files []*zip.File, size int64) error {
	var total uint64
	spans := make([]span, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		switch {
		case f.Flags&1 != 0:
			return fmt.Errorf("%q is encrypted", short(f.Name))
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return fmt.Errorf("%q is compressed by method %d, which the client does not know", short(f.Name), f.Method)
		case f.UncompressedSize64 > maxBytes, f.CompressedSize64 > maxBytes:
			return errTooLarge
		case err != nil:
			return fmt.Errorf("%q cannot be found in it: %w", short(f.Name), err)
		}
		end := at + int64(f.CompressedSize64) // which fits, see above
		if at < 0 || end > size {
			return fmt.Errorf("%q ends behind the end of the archive", short(f.Name))
		}
		if total += f.UncompressedSize64; total > maxBytes {
			return errTooLarge
		}
		spans = append(spans, span{f.Name, at, end})
	}
	if total > fewAnyway && total/maxRatio > uint64(size) { //nolint:gosec // sizes of files are no less than 0
		return errBomb
	}
	return apart(spans)
}

// span is where the contents of an entry lie in the archive.
type span struct {
	name       string
	start, end int64
}

// apart says which entries lie in one another; each has a header in front of it.
func apart(spans []span) error {
	const header = 30 // bytes, and the name
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	for i := 1; i < len(spans); i++ {
		if before, s := spans[i-1], spans[i]; s.start < before.end+header {
			return fmt.Errorf("%q and %q lie in the same part of the archive", short(before.name), short(s.name))
		}
	}
	return nil
}

// stream counts what a compressed stream gives, and ends it when that is too much.
type stream struct {
	from   io.Reader
	given  int64
	packed int64
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.given += int64(n)
	switch {
	case s.given > maxBytes+headerRoom:
		return n, errTooLarge
	case s.given > fewAnyway && s.given/maxRatio > s.packed:
		return n, errBomb
	}
	return n, err
}

func (u *unpacker) tar(file *os.File, size int64) error {
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	counted := &stream{from: plain, packed: size}
	reader := tar.NewReader(counted)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, counted) // up to the checksum at its end
			return err
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if err := u.tarred(header, reader); err != nil {
			return err
		}
	}
}

func (u *unpacker) tarred(header *tar.Header, contents io.Reader) error {
	e := entry{name: header.Name, mode: header.FileInfo().Mode(), size: header.Size, contents: contents}
	sparse := header.Typeflag == tar.TypeGNUSparse
	for record := range header.PAXRecords {
		sparse = sparse || strings.HasPrefix(record, "GNU.sparse.")
	}
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		if u.files++; u.files > maxFiles {
			return errTooMany
		}
		return nil
	case tar.TypeLink:
		return fmt.Errorf("%q is a hard link to %q", short(header.Name), short(header.Linkname))
	case tar.TypeReg, tar.TypeDir, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeFifo, tar.TypeGNUSparse:
	default:
		e.mode |= fs.ModeIrregular
	}
	if sparse {
		return fmt.Errorf("%q has holes, so that its size says nothing", short(header.Name))
	}
	if header.Typeflag == tar.TypeReg && strings.HasSuffix(header.Name, "/") {
		e.mode = fs.ModeDir | e.mode.Perm()
	}
	return u.entry(e)
}
