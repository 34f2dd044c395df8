package surface

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
)

// DefaultTimeout is how long a conversation may take, as long as the client
// waits for a server.
const DefaultTimeout = 30 * time.Second

// ProbeOptions say what to start and how.
type ProbeOptions struct {
	Bundle   []byte            // the finished file
	FileName string            // its path in the plugin, slash separated, for example "bridge/mcp-server.cjs"
	Extra    map[string][]byte // other files of the plugin that the bundle may read, by path in the plugin
	Tree     string            // absolute folder of the whole plugin as users get it, which is copied with its modes; "" for none
	Node     string            // absolute path of the node program
	Args     []string          // after the file; placeholders are filled in as the client does
	Launch   *Launch           // what to give to node instead of Bundle and Args; FileName is then only a name for findings
	Env      []string          // variables besides those of the client, "NAME=value"; they win
	Path     string            // PATH after the folder of node; "/usr/bin:/bin" when empty
	TempDir  string            // where the folders are made; that of the system when empty
	Timeout  time.Duration     // for each conversation up to the first Call, and for each Call; DefaultTimeout when 0
	Limits   stdio.Limits      // on what the server writes; 32 MiB a line and 128 MiB in all where 0
	Call     []Call            // tools to call once the list is there
	// AllProtocols starts the bundle once more for each older protocol version,
	// because some servers take only one initialize.
	AllProtocols bool
	// CallReadOnly calls one tool that says it changes nothing and needs no arguments, where
	// Call names none. Up to three are tried until one answers without an error.
	CallReadOnly bool
	// Elsewhere holds the older client's conversation elsewhere, and tells what the
	// server looked at. Where that shows anything odd, it is held here as well.
	Elsewhere bool
	// NoteRan has it noted which functions run elsewhere. That takes some more time there.
	NoteRan bool
	// Standby has processes that wait for the bundle; those that fit are used, and others are
	// started. Nil has none.
	Standby *Standby

	third bool // it is held in a world that is neither this one nor that of Elsewhere
}

// Launch is an entry of a server map. Its variables are filled in as the client does.
type Launch struct {
	Program string            // what is started: an absolute path once it is filled in; node when empty
	Args    []string          // all that follows the program
	Env     []string          // variables of the entry, "NAME=value"; they win over those of ProbeOptions
	Values  map[string]string // what ${NAME} stands for beside the variables, for example "user_config.city"
}

// Call names a tool to call.
type Call struct {
	Name      string
	Arguments json.RawMessage // a JSON object; an empty one when nil
}

// Probe is what was seen when a bundle ran.
type Probe struct {
	Surface Surface
	// Times from the start of the process to the answer; 0 when there was none.
	// Initialize is that of the handshake, Discover that of the stateless
	// protocol, List that of the last page of tools.
	Discover, Initialize, List time.Duration
	// Modern is the conversation in the stateless protocol, nil when the server
	// does not speak it. Legacy is the one with the handshake, nil only when it
	// did not get that far.
	Modern, Legacy *Conversation
	// Conversations are all that were held: first that of the current client,
	// which begins with server/discover, then that of an older one, which begins
	// with initialize.
	Conversations []*Conversation
	StdoutNoise   []stdio.Noise // stdout lines that are no messages, first of all conversations that had some
	Stderr        []string      // first and last lines, paths shortened to those in the plugin
	Exit          stdio.Exit
	Calls         []CallResult // one for each Call, as long as the server lived
	Diagnostics   diag.List
	Elsewhere     *Elsewhere // nil unless it was asked for
}

// Listed reports whether the server got as far as listing its tools.
func (p *Probe) Listed() bool { return p.main().Listed }

// main is the conversation that the result is taken from: the current client's,
// or the older one's when only that led to a list.
func (p *Probe) main() *Conversation {
	for _, c := range p.Conversations {
		if c.Listed {
			return c
		}
	}
	return p.Conversations[0]
}

// Run starts a bundle, holds both conversations, and ends it. Whatever is wrong
// with the bundle is in the Diagnostics of the Probe; the error is for what kept
// the bundle from being tried: a *diag.Failure of class Usage without a node or
// with impossible paths, a *StartError, that of ctx, or one of the file system. No process is
// left and no file when Run returns.
func Run(ctx context.Context, o ProbeOptions) (*Probe, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	p := &Probe{Conversations: make([]*Conversation, 2)}
	group, groupCtx := errgroup.WithContext(ctx)
	for i, hold := range []func(*talk){(*talk).asCurrentClient, (*talk).asOlderClient} {
		group.Go(func() (err error) {
			if i == 1 && o.Elsewhere {
				p.Elsewhere, err = elsewhere(groupCtx, &o)
				return err
			}
			p.Conversations[i], err = converse(groupCtx, &o, hold, nil)
			return err
		})
	}
	err := group.Wait()
	if err == nil && o.Elsewhere {
		err = p.holdHere(ctx, &o)
	}
	if err == nil && o.AllProtocols {
		err = p.tryProtocols(ctx, &o)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	p.summarise()
	p.diagnose(&o)
	return p, nil
}

// holdHere takes the conversation that was held elsewhere for the older client's,
// unless there is anything about it that must not be held against the server.
func (p *Probe) holdHere(ctx context.Context, o *ProbeOptions) (err error) {
	p.Conversations[1] = p.Elsewhere.Conversation
	if p.Elsewhere.odd(p.Conversations[0]) {
		p.Conversations[1], err = converse(ctx, o, (*talk).asOlderClient, nil)
	}
	return err
}

func (o *ProbeOptions) check() error {
	if info, err := os.Stat(o.Node); o.Node == "" || err != nil || info.IsDir() {
		return noNode(o.Node, err)
	}
	for _, file := range append(slices.Sorted(maps.Keys(o.Extra)), o.FileName) {
		if !filepath.IsLocal(filepath.FromSlash(file)) || filepath.FromSlash(file) == "." {
			return diag.Misuse(diag.Diagnostic{
				Code: "path-outside-plugin", Message: "the path does not stay inside the plugin, so the bundle cannot be started",
				Position: diag.Position{File: file}, Hint: "name files by their path below the plugin's folder",
			})
		}
	}
	return nil
}

func noNode(node string, err error) error {
	message := "no node program was found, and a bundle can only be verified by running it"
	if node != "" {
		message = "there is no node program at " + node
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			message = "node cannot be run: " + err.Error()
		}
	}
	return diag.Misuse(diag.Diagnostic{
		Code: "node-missing", Message: message,
		Hint: "install Node 20 or newer and have it in PATH, or build with --no-verify",
	}).Because(err)
}

func (o *ProbeOptions) setDefaults() {
	if o.Path == "" {
		o.Path = "/usr/bin:/bin"
	}
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Limits.LineBytes <= 0 {
		o.Limits.LineBytes = 32 << 20
	}
	if o.Limits.TotalBytes <= 0 {
		o.Limits.TotalBytes = 128 << 20
	}
}

// summarise fills the Probe from its conversations.
func (p *Probe) summarise() {
	main := p.main()
	p.Surface, p.List, p.Calls = main.Surface, main.List, main.Calls
	p.Stderr, p.Exit = main.Record.Stderr, main.Exit
	var protocols []string
	for _, c := range p.Conversations {
		if p.StdoutNoise == nil {
			p.StdoutNoise = c.Record.Noise
		}
		protocols = append(protocols, c.Surface.Protocols...)
		switch {
		case c.Generation == Modern && p.Modern == nil:
			p.Modern, p.Discover = c, c.Discover
		case c.Generation == Legacy && p.Legacy == nil:
			p.Legacy, p.Initialize = c, c.Initialize
		}
	}
	slices.Sort(protocols)
	p.Surface.Protocols = slices.Compact(protocols)
}
