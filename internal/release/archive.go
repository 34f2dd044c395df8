package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"
	"unicode/utf8"
)

// Format is a form in which a package is made.
type Format string

// The forms.
const (
	Zip    Format = "zip"
	TarGz  Format = "tar.gz"
	MCPB   Format = "mcpb" // a zip file with a manifest of its own, for hosts of single servers
	Folder Format = "dir"  // a folder that can be published as a branch
)

// Formats lists the forms in the order in which they are made.
func Formats() []Format { return []Format{Zip, TarGz, MCPB, Folder} }

// DefaultTime is what archives say of when their files were changed, when nobody says
// otherwise: the first moment that a zip file can name. Any real time would make the
// archives of one version differ.
func DefaultTime() time.Time { return time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC) }

// lastZipTime is the last moment that a zip file can name.
func lastZipTime() time.Time { return time.Date(2107, time.December, 31, 23, 59, 58, 0, time.UTC) }

// ArchiveTime brings a time into the range that all archives can name, in whole
// pairs of seconds; the zero value gives DefaultTime.
func ArchiveTime(t time.Time) time.Time {
	switch t = t.UTC().Truncate(2 * time.Second); {
	case t.Before(DefaultTime()):
		return DefaultTime()
	case t.After(lastZipTime()):
		return lastZipTime()
	}
	return t
}

// EncodeZip returns the payload as a zip file. The same payload and time give the same
// bytes: files in their order, without folders, owners and extra fields, compressed as
// the standard library of this program's Go does it.
func EncodeZip(p *Payload, changed time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	date, clock := dosTime(ArchiveTime(changed))
	for _, f := range p.Files() {
		header := &zip.FileHeader{Name: f.Path, UncompressedSize64: uint64(len(f.Contents)), CRC32: crc32.ChecksumIEEE(f.Contents), ReaderVersion: 20}
		header.SetMode(f.Mode)
		header.CreatorVersion |= 20
		// The field Modified would add an extra field, and this format has a time of its own.
		header.ModifiedDate, header.ModifiedTime = date, clock //nolint:staticcheck // see above
		if !ascii(f.Path) {
			header.Flags |= 0x800 // the name is UTF-8
		}
		packed, err := deflate(f.Contents)
		if err != nil {
			return nil, err
		}
		if header.Method = zip.Deflate; len(packed) >= len(f.Contents) {
			header.Method, packed = zip.Store, f.Contents
		}
		header.CompressedSize64 = uint64(len(packed))
		entry, err := w.CreateRaw(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(packed); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// dosTime is a time as zip files write it, which ArchiveTime keeps in range.
func dosTime(t time.Time) (date, clock uint16) {
	return uint16(t.Day() + int(t.Month())<<5 + (t.Year()-1980)<<9), uint16(t.Second()/2 + t.Minute()<<5 + t.Hour()<<11) //nolint:gosec // see above
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

func deflate(contents []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(contents)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// EncodeTarGz returns the payload as a compressed tar file, under the same promise as
// EncodeZip. Its files belong to nobody.
func EncodeTarGz(p *Payload, changed time.Time) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range p.Files() {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: int64(len(f.Contents)), Mode: int64(f.Mode.Perm()), ModTime: ArchiveTime(changed)}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.Path, err)
		}
		if _, err := w.Write(f.Contents); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.Path, err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
