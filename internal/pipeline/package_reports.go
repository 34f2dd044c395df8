package pipeline

import (
	"slices"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/release"
)

// PackageOptions are the switches of package.
type PackageOptions struct {
	Formats           []release.Format
	Out               string            // absolute folder of the packages; made when it is not there
	Minify, Sourcemap bool              // as the bundles on disk were built; source maps are packed
	Time              time.Time         // that archives say of their files; zero is release.DefaultTime
	Env               map[string]string // for the bundles' runs; never shown
	ToolVersion       string
	CacheDir          string
	Machine           Machine
	BeforeBundling    func() // as in BuildOptions
}

// PackageResult is what was packed.
type PackageResult struct {
	Name, Version string
	Files         []PackedFile // in the order of their paths; what formats add to them is not in the list
	Bytes         int64        // of the files together
	Artifacts     []Artifact   // what lies in the folder of packages now; none when something is wrong
	Proof         *ProofReport // nil when it did not come to that
	Steps         []StepReport
	Diagnostics   diag.List
	Duration      time.Duration
}

// PackedFile is one file of a package.
type PackedFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Mode  string `json:"mode"` // octal, "0644" or "0755"
}

// Artifact is one package.
type Artifact struct {
	Path   string         `json:"path"` // from the plugin's root when it lies in there, else absolute
	Format release.Format `json:"format"`
	Bytes  int64          `json:"bytes"`  // of a folder those of its files
	SHA256 string         `json:"sha256"` // of a folder that of its lines in SHA256SUMS, as they are for the folder itself
	Files  int            `json:"files"`
}

// ProofReport is what the unpacked package did.
type ProofReport struct {
	OK      bool           `json:"ok"`
	Archive string         `json:"archive"` // that was unpacked
	Bundles []BundleReport `json:"bundles"`
	Tools   int            `json:"tools"` // of all servers
}

func (r *run) packageResult(took time.Duration) *PackageResult {
	pack := r.packing
	result := &PackageResult{Name: pack.identity.Name, Version: pack.identity.Version, Steps: r.steps, Diagnostics: r.shown(), Duration: took, Files: []PackedFile{}, Artifacts: []Artifact{}}
	if result.Name == "" {
		id := r.identity()
		result.Name, result.Version = id.Name, id.Version
	}
	if pack.payload != nil {
		result.Bytes = pack.payload.Bytes()
		for _, f := range pack.payload.Files() {
			result.Files = append(result.Files, PackedFile{f.Path, int64(len(f.Contents)), octal(f)})
		}
	}
	if pack.proof != nil {
		proof := &ProofReport{OK: !pack.proof.Diagnostics.HasErrors(), Archive: pack.artifacts[0].name, Bundles: pack.proof.Bundles, Tools: len(pack.proof.Tools)}
		result.Proof = proof
	}
	if !r.diagnostics.HasErrors() {
		for _, a := range pack.artifacts {
			result.Artifacts = append(result.Artifacts, r.describe(a))
		}
	}
	return result
}

func octal(f release.File) string {
	if f.Mode == release.RunningMode {
		return "0755"
	}
	return "0644"
}

func (r *run) describe(a artifact) Artifact {
	d := Artifact{Path: r.shownPackage(a.name), Format: a.format, Bytes: int64(len(a.bytes)), SHA256: release.SumOf("", a.bytes).Digest, Files: a.payload.Len()}
	if a.format == release.Folder {
		d.Bytes = a.payload.Bytes()
		d.SHA256 = release.SumOf("", release.EncodeSums(a.payload.FolderSums(""))).Digest
	}
	return d
}

// distinct leaves out what was found before, word for word: what is on disk, in the
// sources and in the package may have the same fault.
func distinct(list diag.List) diag.List {
	var out diag.List
	for _, d := range list {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}
