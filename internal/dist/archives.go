package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/products"
	"omcbuild/internal/release"
)

const noticesFile = "THIRD-PARTY-NOTICES"

// pack returns an archive for each build: a zip file for Windows, tar.gz elsewhere.
func pack(root, version string, builds []build) ([]products.File, error) {
	var out []products.File
	for _, b := range builds {
		var p release.Payload
		files := []release.File{{Path: b.file(), Mode: release.RunningMode, Contents: b.program}, {Path: noticesFile, Mode: release.PlainMode, Contents: b.notices}}
		for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return nil, err
			}
			files = append(files, release.File{Path: name, Mode: release.PlainMode, Contents: text})
		}
		for _, f := range files {
			if err := p.Add(f); err != nil {
				return nil, err
			}
		}
		name, encode := fmt.Sprintf("omcbuild_%s_%s_%s", version, b.system, b.processor), release.EncodeTarGz
		if b.system == "windows" {
			name, encode = name+".zip", release.EncodeZip
		} else {
			name += ".tar.gz"
		}
		archive, err := encode(&p, release.DefaultTime())
		if err != nil {
			return nil, err
		}
		out = append(out, products.File{Path: name, Contents: archive})
	}
	return out, nil
}

// withKnownSums returns the file of checksums of the archives. The lines of other files
// stay while these are there: omcbuild package writes into the same folder.
func withKnownSums(out string, archives []products.File) (products.File, error) {
	var sums []release.Sum
	for _, a := range archives {
		sums = append(sums, release.SumOf(a.Path, a.Contents))
	}
	text, err := os.ReadFile(filepath.Join(out, release.SumsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return products.File{}, err
	}
	for _, known := range release.DecodeSums(text) {
		again := slices.ContainsFunc(archives, func(a products.File) bool { return a.Path == known.File })
		if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(known.File))); err == nil && !again && !strings.HasPrefix(known.File, "npm/") {
			sums = append(sums, known)
		}
	}
	return products.File{Path: release.SumsFile, Contents: release.EncodeSums(sums)}, nil
}
