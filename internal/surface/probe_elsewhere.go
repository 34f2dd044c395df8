package surface

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

//go:embed elsewhere.cjs
var elsewhereProgram []byte

// Elsewhere is a conversation held where everything is otherwise that differs
// between the machines of users: the clock, the time zone, the language, the
// user, the operating system that the program sees, and the folders. What the
// program looked at until its tools were listed is written down.
type Elsewhere struct {
	Conversation *Conversation
	Sights       []Sight // in the order in which they were seen first
	// Functions are those of the bundle; nil unless it was asked which of them run, and when
	// that could not be told.
	Functions []Function
}

// Sight is something that may be otherwise on another machine, and at which a
// server looked while it started.
type Sight struct {
	Kind SightKind
	What string // the variable, path, program or module; empty where the kind says all
}

// SightKind says what a Sight is of.
type SightKind string

// The kinds of sights. Paths are shortened as in stderr.
const (
	SawVariable  SightKind = "variable"  // it asked for an environment variable by name
	SawVariables SightKind = "variables" // it took all of them ("all"), or went through their names ("names")
	SawFile      SightKind = "file"      // it reads, or would read, a file or folder that is not part of the product
	SawExistence SightKind = "existence" // it asked whether such a file is there
	SawProgram   SightKind = "program"   // it starts a program
	SawThread    SightKind = "thread"    // it starts a thread, which is not followed
	SawNative    SightKind = "native"    // it loads compiled code, which is not followed
	SawNetwork   SightKind = "network"   // it asks somebody on the network
	SawDatabase  SightKind = "database"  // it opens a database
	SawModule    SightKind = "module"    // it asks for a package that the bundle does not hold
	SawStdin     SightKind = "stdin"     // it reads its input in another way than by process.stdin
	SawVersion   SightKind = "version"   // it asks whether Node has a module that not every version has
	SawItself    SightKind = "itself"    // it looks at its own text; noted only where it is noted which functions run
	SawTooMuch   SightKind = "much"      // it looks at more than is written down here
)

// Limits on what is read of the notes of a process elsewhere.
const (
	mostNotes  = 4 << 20 // bytes
	mostSights = 1000
)

// elsewhereVariables are what a user's environment may have, in the place of what
// that of the first conversation has, or lacks.
func elsewhereVariables(f *folder) []string {
	home := f.path("home")
	list := []string{
		"TZ=Pacific/Kiritimati", "LANG=de_DE.UTF-8", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de",
		"USER=somebody", "USERNAME=somebody", "LOGNAME=somebody", "SHELL=/bin/zsh", "TERM=xterm-kitty", "COLORTERM=truecolor",
		"PWD=" + f.path("project"), "OLDPWD=" + home, "EDITOR=vi", "VISUAL=vi", "PAGER=less", "_=/usr/bin/env", "HOSTNAME=elsewhere", "COMPUTERNAME=ELSEWHERE",
		"DISPLAY=:9", "WAYLAND_DISPLAY=wayland-9", "TERM_PROGRAM=vscode", "CLAUDE_CODE_ENTRYPOINT=elsewhere",
		"APPDATA=" + filepath.Join(home, "AppData", "Roaming"), "LOCALAPPDATA=" + filepath.Join(home, "AppData", "Local"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"), "XDG_STATE_HOME=" + filepath.Join(home, ".local", "state"),
		"XDG_RUNTIME_DIR=" + f.path("tmp"), "XDG_SESSION_TYPE=wayland", "XDG_CURRENT_DESKTOP=KDE",
		"ProgramFiles=" + filepath.Join(home, "Program Files"), "ProgramFiles(x86)=" + filepath.Join(home, "Program Files (x86)"), "ProgramData=" + filepath.Join(home, "ProgramData"),
		"HOMEDRIVE=C:", "HOMEPATH=" + home, "PATHEXT=.COM;.EXE;.BAT;.CMD", "OS=Windows_NT", "PROCESSOR_ARCHITECTURE=ARM64",
	}
	if runtime.GOOS != "windows" { // where programs need the real ones
		list = append(list, "SystemRoot="+filepath.Join(home, "Windows"), "windir="+filepath.Join(home, "Windows"), "SystemDrive=C:", "ComSpec=cmd.exe")
	}
	return list
}

// Ambient reports whether a variable belongs to nearly every environment, so that
// it cannot turn a front off: of these, others are set in the conversation elsewhere
// than in the first.
func Ambient(name string) bool {
	for _, of := range [][]string{elsewhereVariables(&folder{}), (&folder{}).variables(&ProbeOptions{})} {
		for _, variable := range of {
			if known, _, _ := bytes.Cut([]byte(variable), []byte("=")); bytes.EqualFold(known, []byte(name)) {
				return true
			}
		}
	}
	return false
}

// AlwaysSet reports whether the client gives every server this variable.
func AlwaysSet(name string) bool {
	return slices.ContainsFunc((&folder{}).variables(&ProbeOptions{}), func(variable string) bool {
		return strings.HasPrefix(variable, name+"=")
	})
}

// elsewhere holds the conversation of the older client elsewhere. What is odd about
// it is not held against the server.
func elsewhere(ctx context.Context, o *ProbeOptions) (*Elsewhere, error) {
	e := &Elsewhere{}
	var err error
	e.Conversation, err = converse(ctx, o, (*talk).asOlderClient, func(f *folder, c *Conversation) {
		e.Sights = f.sights(c.listedAt)
		if o.NoteRan {
			e.Functions = f.functions()
		}
	})
	return e, err
}

// elsewhereFile writes the program that is preloaded elsewhere, or in a third world, and
// returns its path.
func (f *folder) elsewhereFile(o *ProbeOptions) (string, error) {
	name, program := f.path("elsewhere/elsewhere.cjs"), elsewhereProgram
	if o.third {
		name = f.path("elsewhere/third.cjs")
	} else if o.NoteRan {
		program = slices.Concat(elsewhereProgram, ranProgram)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	return name, os.WriteFile(name, program, 0o600)
}

// sights reads what was noted up to a moment.
func (f *folder) sights(until time.Time) (seen []Sight) {
	file, err := os.Open(f.path("elsewhere/elsewhere.jsonl"))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	tooMuch := Sight{Kind: SawTooMuch}
	notes, err := io.ReadAll(io.LimitReader(file, mostNotes+1))
	if err != nil || len(notes) > mostNotes {
		return []Sight{tooMuch}
	}
	for _, line := range bytes.Split(notes, []byte("\n")) {
		var note struct {
			Kind SightKind
			What string
			At   int64 // milliseconds
		}
		if json.Unmarshal(line, &note) != nil || note.At > until.UnixMilli() {
			continue
		}
		if len(seen) == mostSights {
			return append(seen, tooMuch)
		}
		seen = append(seen, Sight{Kind: note.Kind, What: f.shorten.Replace(note.What)})
	}
	return seen
}

// Differs says what was otherwise elsewhere than in the first conversation; "" when
// nothing was that a client could notice.
func (p *Probe) Differs() string {
	here, there := p.Conversations[0], p.Elsewhere.Conversation
	if !there.Listed {
		return "it lists no tools there" + there.lastWords()
	}
	if d, differ := difference(here, there); differ {
		return d.Message
	}
	return ""
}

// odd reports whether the conversation elsewhere shows anything that one here may
// not show. It is then held again, in the usual way.
func (e *Elsewhere) odd(here *Conversation) bool {
	c := e.Conversation
	_, differ := difference(here, c)
	return differ || c.failure != nil || !c.Listed || len(c.found)+len(c.Record.Noise)+len(c.Record.Strays) > 0 ||
		len(c.diagnoseEnd()) > 0 || here.failure != nil
}
