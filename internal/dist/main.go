// Command dist makes what omcbuild is released as: an archive of the program for each
// system, and the packages of npm that bring it.
//
//	go run ./internal/dist -version 1.2.3 [-out dist]
//
// It is run in the root of the repository. Everything is made in memory and put in place
// together, so an interrupted run leaves the last good release as it was. The same
// sources and the same version of Go, which go.mod names, give the same bytes anywhere.
//
//	targets.go   the systems, and compiling for them
//	notices.go   the licences of what was compiled in
//	archives.go  omcbuild_VERSION_SYSTEM_PROCESSOR.tar.gz or .zip, with their checksums
//	npm.go       dist/npm: the wrapper of the folder npm/, and a package for each system
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/products"
)

func main() {
	version := flag.String("version", "", "the version that is released, as `X.Y.Z`")
	out := flag.String("out", "dist", "the `FOLDER` to write to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *version, *out)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run makes a release in the folder out.
func run(ctx context.Context, version, out string) error {
	if _, err := semver.StrictNewVersion(version); err != nil {
		return fmt.Errorf("-version %q: write it as 1.2.3", version)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	tools, err := findTools(ctx, root)
	if err != nil {
		return err
	}
	builds := make([]build, 0, len(targets()))
	for _, t := range targets() {
		b, err := tools.build(ctx, t, version)
		if err != nil {
			return err
		}
		fmt.Printf("%s/%s  %.1f MB\n", t.system, t.processor, float64(len(b.program))/1e6)
		builds = append(builds, b)
	}
	return place(root, out, version, builds)
}

// place writes the archives, their checksums and the folder npm into out.
func place(root, out, version string, builds []build) error {
	archives, err := pack(root, version, builds)
	if err != nil {
		return err
	}
	packages, err := npmPackages(root, version, builds)
	if err != nil {
		return err
	}
	sums, err := withKnownSums(out, archives)
	if err != nil {
		return err
	}
	return products.WriteFolders(out, []products.Folder{{Name: "npm", Files: packages}}, append(archives, sums))
}
