package main

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/process"
)

// The published server that `t` can stand in for: the same that make compat
// compares the answers of `t` with.
const (
	referenceName    = "oh-my-claude-sisyphus"
	referenceVersion = "5.5.0"
	referenceSHA512  = "OXqzzFwPZ6CfCej1S7VM2/6rErioskmKluA+JEzRfZdKLQ3ci2iTVd/FZ7uu4UsOs9Gqs5mmtfT54jIKUqOjug=="
)

// reference returns the bundle of that server: of the package that make compat has
// unpacked, if nobody else can have put it there, or of one that is downloaded with npm
// and checked against its published digest. OMC_REFERENCE names an unpacked package instead.
func reference(ctx context.Context, l *lab) (string, error) {
	if given := os.Getenv("OMC_REFERENCE"); given != "" {
		return filepath.Abs(filepath.Join(given, outfile))
	}
	within := filepath.Join("package", filepath.FromSlash(outfile))
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("omcbuild-reference-%s-%d", referenceVersion, max(0, os.Getuid())))
	if !private(folder) || !exists(filepath.Join(folder, within)) {
		folder = filepath.Join(l.work, "reference")
	}
	bundle := filepath.Join(folder, within)
	if exists(bundle) {
		return bundle, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	return bundle, l.unpackReference(ctx, folder)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// publishedHeader is what the published bundle has in front of the server: it asks
// npm for the folder of global packages.
var publishedHeader = lazyregexp.New(`(?s)\ntry \{\n[^}]*?npm root -g.*?\n\} catch \([^)]*\) \{[^\n]*\}\n`)

// withoutHeader writes a bundle without it and returns the file.
func (l *lab) withoutHeader(bundle string) (string, error) {
	text, err := os.ReadFile(bundle)
	if err != nil {
		return "", err
	}
	cut := withoutHeader(text)
	if len(cut) == len(text) {
		return "", errors.New("the published bundle does not begin with the header that is known")
	}
	path := filepath.Join(l.work, "reference-without-header.cjs")
	return path, os.WriteFile(path, cut, 0o600)
}

func withoutHeader(text []byte) []byte {
	at := publishedHeader.FindStringSubmatchIndex(string(text[:min(len(text), 4000)]))
	if at == nil {
		return text
	}
	return slices.Concat(text[:at[0]], []byte("\n"), text[at[1]:])
}

// unpackReference downloads the package and unpacks it in a folder.
func (l *lab) unpackReference(ctx context.Context, folder string) error {
	archive := fmt.Sprintf("%s-%s.tgz", referenceName, referenceVersion)
	if err := l.helper(ctx, folder, "npm", "pack", "--silent", referenceName+"@"+referenceVersion); err != nil {
		return err
	}
	packed, err := os.ReadFile(filepath.Join(folder, archive))
	if err != nil {
		return err
	}
	if sum := sha512.Sum512(packed); base64.StdEncoding.EncodeToString(sum[:]) != referenceSHA512 {
		return fmt.Errorf("%s@%s: the archive is not the one that was published", referenceName, referenceVersion)
	}
	return l.helper(ctx, folder, "tar", "-xzf", archive)
}

// helper runs a program with the environment of the user, because it may have to
// know how to reach the network.
func (l *lab) helper(ctx context.Context, folder, name string, args ...string) error {
	path, err := process.LookPath(name, l.path)
	if err != nil {
		return err
	}
	_, err = timed(ctx, process.Command{Path: path, Args: args, Dir: folder, Env: os.Environ()})
	return err
}
