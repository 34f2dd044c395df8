package release

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
)

// SumsFile is the name of the file of checksums beside the packages.
const SumsFile = "SHA256SUMS"

// Sum is one line of a file of checksums.
type Sum struct {
	Digest string // SHA-256, 64 hexadecimal digits
	File   string // slash separated, from the folder of the checksums
}

// SumOf returns the line of a file.
func SumOf(file string, contents []byte) Sum {
	digest := sha256.Sum256(contents)
	return Sum{hex.EncodeToString(digest[:]), file}
}

// EncodeSums returns the lines as sha256sum -c reads them, in the order of the files.
func EncodeSums(sums []Sum) []byte {
	sums = slices.Clone(sums)
	slices.SortFunc(sums, func(a, b Sum) int { return cmp.Compare(a.File, b.File) })
	var out bytes.Buffer
	for _, s := range sums {
		fmt.Fprintf(&out, "%s  %s\n", s.Digest, s.File)
	}
	return out.Bytes()
}

// DecodeSums reads such lines. Others, and files that lie elsewhere, are passed over.
func DecodeSums(text []byte) (sums []Sum) {
	for line := range strings.Lines(string(text)) {
		digest, file, found := strings.Cut(strings.TrimRight(line, "\r\n"), "  ")
		clean := path.Clean(file)
		if raw, err := hex.DecodeString(digest); !found || err != nil || len(raw) != sha256.Size || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
			continue
		}
		sums = append(sums, Sum{digest, clean})
	}
	return sums
}

// FolderSums returns the lines of a payload that lies in a folder of that name.
func (p *Payload) FolderSums(folder string) []Sum {
	sums := make([]Sum, 0, len(p.files))
	for _, f := range p.files {
		sums = append(sums, SumOf(path.Join(folder, f.Path), f.Contents))
	}
	return sums
}
