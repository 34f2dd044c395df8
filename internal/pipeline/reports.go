package pipeline

import (
	"encoding/json"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/schemadiff"
)

// BundleReport is one bundle after a build or a verify.
type BundleReport struct {
	Name       string        `json:"name"`
	Entry      string        `json:"entry"`
	Outfile    string        `json:"outfile"`
	Bytes      int64         `json:"bytes"`
	GzipBytes  int64         `json:"gzipBytes"`
	Inputs     int           `json:"inputs"` // number of source files in it
	DurationMs int64         `json:"durationMs"`
	UpToDate   bool          `json:"upToDate"`
	Externals  []string      `json:"externals,omitempty"`
	Verify     *VerifyReport `json:"verify,omitempty"` // nil when it was not run
}

// VerifyReport is what a bundle did when it ran as the real client runs it.
type VerifyReport struct {
	Ran          bool         `json:"-"`            // whether it got as far as answering
	InitializeMs int64        `json:"initializeMs"` // from the start of the process to the answer
	ListMs       int64        `json:"listMs"`
	Tools        int          `json:"tools"`
	OK           bool         `json:"ok"`
	MayFail      string       `json:"mayFail,omitempty"` // why it did not get that far, and may
	Exit         string       `json:"exit,omitempty"`    // "exit code 0", "signal killed"
	Stderr       []string     `json:"stderr,omitempty"`  // last lines
	Noise        []string     `json:"noise,omitempty"`   // first lines on stdout that are not protocol
	Changes      []Change     `json:"changes,omitempty"` // since the lock file
	Calls        []CallReport `json:"calls,omitempty"`
}

// CallReport is what a tool answered that verify was asked to call.
type CallReport struct {
	Tool       string `json:"tool"`
	IsError    bool   `json:"isError"`
	Text       string `json:"text"` // the first text of the answer
	DurationMs int64  `json:"durationMs"`
}

// Change is one semantic difference of a tool surface.
type Change struct {
	Bundle string `json:"bundle,omitempty"`
	schemadiff.Change
}

// String renders the change on one line.
func (c Change) String() string { return c.Message }

// ToolReport is one tool as the model sees it.
type ToolReport struct {
	Bundle         string          `json:"bundle"`
	Name           string          `json:"name"`
	FullName       string          `json:"fullName"`
	FullNameLength int             `json:"fullNameLength"` // characters; the API takes 64
	Parameters     []string        `json:"parameters"`     // an optional one ends in "?"
	Hints          []string        `json:"hints"`          // the annotations that are true
	Annotations    json.RawMessage `json:"annotations,omitempty"`
	Description    string          `json:"description"`
	InputSchema    json.RawMessage `json:"inputSchema"`
	Bytes          int64           `json:"bytes"`
	Tokens         int             `json:"tokens"` // estimated
}

// CostReport sums up one server.
type CostReport struct {
	Bundle       string `json:"bundle"`
	Tools        int    `json:"tools"`
	Bytes        int64  `json:"bytes"`
	Tokens       int    `json:"tokens"`
	Prefix       string `json:"prefix"`
	PrefixTokens int    `json:"prefixTokens"`           // over all tools
	TokensBefore *int   `json:"tokensBefore,omitempty"` // by the lock file, when there is one
	Method       string `json:"method"`                 // how tokens are estimated
}

// ToolCall is a call that verify makes besides the client's own sequence.
type ToolCall struct {
	Name      string
	Arguments json.RawMessage
}

// BuildOptions are the switches of build.
type BuildOptions struct {
	Minify, Sourcemap, Typecheck bool
	Metafile                     string            // absolute path for esbuild's metafile; "" for none
	Verify                       bool              // run the bundles and check what they offer
	Frozen                       bool              // change nothing; anything stale is an error
	Update                       bool              // accept breaking changes of the surface
	Env                          map[string]string // for the bundles' runs; never shown
	ToolVersion                  string
	CacheDir                     string
	Machine                      Machine
	BeforeBundling               func() // called when a bundle is about to be made, for each; nil for nothing
}

// BuildResult is what a build did.
type BuildResult struct {
	Bundles     []BundleReport
	Metadata    []FileReport
	Steps       []StepReport
	Diagnostics diag.List
	Duration    time.Duration
}

// VerifyOptions are the switches of verify and tools.
type VerifyOptions struct {
	Plugin      bool // check manifests, paths and files too
	ForListing  bool // count what a directory of plugins objects to one level higher
	Update      bool // write the lock files
	Calls       []ToolCall
	Env         map[string]string // for the bundles' runs; never shown
	ToolVersion string
	CacheDir    string
	Machine     Machine
}

// VerifyResult is what the bundles on disk did and offer.
type VerifyResult struct {
	Bundles     []BundleReport
	Tools       []ToolReport
	Costs       []CostReport
	Steps       []StepReport
	Diagnostics diag.List
	Duration    time.Duration
}

// SyncOptions are the switches of sync.
type SyncOptions struct {
	Check    bool // change nothing; anything to change is an error
	CacheDir string
}

// SyncResult lists the metadata files.
type SyncResult struct {
	Metadata    []FileReport
	Diagnostics diag.List
}

// DiffOptions say what to compare the bundles on disk with.
type DiffOptions struct {
	Against  string // a git revision, or the path of a lock file
	Dir      string // the folder that a path in Against is relative to
	CacheDir string
	Machine  Machine
}

// DiffResult is the semantic difference and the bump it asks for.
type DiffResult struct {
	Changes     []Change
	Bump        string // major, minor, patch or none
	BumpReason  string // why it is less than the changes seem to ask for; empty where it is not
	Diagnostics diag.List
}
