package surface

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/stdio"
)

// slowStart is the time to the first answer from which a start is called slow.
const slowStart = 3 * time.Second

// diagnose turns what the conversations showed into diagnostics: each kind once,
// the current client's first.
func (p *Probe) diagnose(o *ProbeOptions) {
	current, older := p.Conversations[0], p.Conversations[1]
	lists := []diag.List{current.diagnose(o), older.diagnose(o)}
	if current.endedBy("server/discover") && older.answeredFirst() {
		lists[0] = append(diag.List{exitsOnDiscover(current)}, without(lists[0], "bundle-throws", "bundle-exits")...)
	}
	if current.Generation == Modern && current.Listed && slices.ContainsFunc(lists[1], initializeRefused) {
		lists[1] = append(without(lists[1], "initialize-error"), onlyStateless())
	}
	known := map[string]bool{}
	for _, list := range lists {
		var added []string
		for _, d := range list {
			key := d.Code + "\x00" + d.Tool
			if !known[key] {
				d.File = o.FileName
				p.Diagnostics.Add(d)
				added = append(added, key)
			}
		}
		for _, key := range added {
			known[key] = true
		}
	}
	if d, differ := difference(current, older); differ {
		d.File = o.FileName
		p.Diagnostics.Add(d)
	}
	if modules := modulesAbove(o.TempDir); modules != "" {
		p.Diagnostics.Add(diag.Diagnostic{
			Code: "node-modules-above", Level: diag.Warning, Position: diag.Position{File: o.FileName},
			Message: "was tried below " + modules + ", where it may find modules that users do not have",
			Hint:    "remove that folder, or point TMPDIR elsewhere",
		})
	}
}

func initializeRefused(d diag.Diagnostic) bool { return d.Code == "initialize-error" }

func without(list diag.List, codes ...string) diag.List {
	return slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool { return slices.Contains(codes, d.Code) })
}

// endedBy reports whether the process ended when it was asked for a method.
func (c *Conversation) endedBy(method string) bool {
	var exit *stdio.ExitError
	return c.failure != nil && c.failure.method == method && errors.As(c.failure.err, &exit)
}

// answeredFirst reports whether the server answered its first request.
func (c *Conversation) answeredFirst() bool { return c.failure == nil || !c.failure.first }

// diagnose returns what one conversation shows.
func (c *Conversation) diagnose(o *ProbeOptions) diag.List {
	var list diag.List
	if c.failure != nil {
		list.Add(c.diagnoseFailure(o))
	}
	list.Add(c.explained()...)
	var framing *stdio.FramingError
	if len(c.Record.Noise) > 0 && (c.failure == nil || !errors.As(c.failure.err, &framing)) {
		list.Add(noiseDiagnostic(c.Record))
	}
	list.Add(c.diagnoseTimes()...)
	list.Add(c.diagnoseStrays()...)
	list.Add(c.diagnoseEnd()...)
	return list
}

// explained returns what was found, with what stderr says to a refusal that says
// nothing itself.
func (c *Conversation) explained() diag.List {
	list := slices.Clone(c.found)
	for i := range list {
		if !initializeRefused(list[i]) {
			continue
		}
		words := c.lastWords()
		list[i].Message += words
		if words == "" {
			list[i].Hint = "the client needs a result here; stderr is empty, so see whether the function that makes the server throws, for example at a list of tools that is undefined or at a tool that it has already"
		}
	}
	return list
}

func (c *Conversation) diagnoseTimes() diag.List {
	first := max(c.Discover, c.Initialize)
	if c.late && c.Initialize > 0 {
		if slices.ContainsFunc(c.Record.Strays, func(s stdio.Stray) bool { return string(s.ID) == discoverID }) {
			return diag.List{slow(first)}
		}
		return diag.List{{
			Code: "discover-ignored", Level: diag.Warning,
			Message: "does not answer server/discover, which the client sends first; every start takes 3 s longer",
			Hint:    "answer methods the server does not know with error -32601; a current SDK does that by itself",
		}}
	}
	if first > slowStart {
		return diag.List{slow(first)}
	}
	return nil
}

func slow(first time.Duration) diag.Diagnostic {
	return diag.Diagnostic{
		Code: "slow-start", Level: diag.Warning,
		Message: fmt.Sprintf("needs %.1f s to its first answer; the client waits 3 s before it goes on and gives up after 30 s", first.Seconds()),
		Hint:    "do expensive work when a tool is first called, and import heavy modules in the handlers that use them",
	}
}

func (c *Conversation) diagnoseStrays() diag.List {
	var list diag.List
	for _, s := range c.Record.Strays {
		if s.Kind != stdio.Again && s.Kind != stdio.Unknown || c.gaveUp(s) {
			continue
		}
		what := "answers a request twice"
		if s.Kind == stdio.Unknown {
			what = "answers a request that was never sent"
		}
		list.Add(diag.Diagnostic{
			Code: "reply-stray", Level: diag.Warning, Message: fmt.Sprintf("%s: id %s", what, stdio.Visible(s.ID, 60)),
			Hint: "send one answer for each request that has an id, and none for a notification",
		})
	}
	return list[:min(1, len(list))]
}

// gaveUp reports whether a stray is the late answer to a request.
func (c *Conversation) gaveUp(s stdio.Stray) bool {
	return slices.ContainsFunc(c.Exchanges, func(e Exchange) bool {
		m, _ := stdio.Parse(e.Request)
		return e.Answer == nil && string(m.ID) == string(s.ID)
	})
}

// diagnoseEnd judges how the process went when its input was closed.
func (c *Conversation) diagnoseEnd() diag.List {
	var list diag.List
	switch {
	case c.failure != nil || c.lost: // it did not get to a proper end
	case c.Exit.Step == process.Terminated || c.Exit.Step == process.Killed:
		list.Add(diag.Diagnostic{
			Code:    "exit-after-stdin",
			Message: fmt.Sprintf("does not exit within %.0f s of the end of its input and has to be ended", exitPatience.Seconds()),
			Hint:    "exit on the end of stdin: clear timers, close sockets and watchers, or call process.exit; each session of a user leaves such a process behind",
		})
	case c.Exit.Step == process.StdinClosed && !c.Exit.Success():
		list.Add(diag.Diagnostic{
			Code: "exit-status", Level: diag.Warning,
			Message: fmt.Sprintf("ends with %s when its input ends", c.Exit.ExitStatus),
			Hint:    "exit with 0 when the client leaves",
		})
	}
	if c.Exit.LeftBehind() {
		members := append(slices.Clone(c.Exit.Left), c.Exit.Remaining...)
		var names []string
		for _, m := range members[:min(3, len(members))] {
			names = append(names, stdio.Visible([]byte(m.Command), 80))
		}
		list.Add(diag.Diagnostic{
			Code:    "processes-left",
			Message: fmt.Sprintf("leaves %d of its processes running when it has ended: %s", len(members), strings.Join(names, "; ")),
			Hint:    "end child processes before exiting, and start the server with node directly, without a launcher in between",
		})
	}
	return list
}
