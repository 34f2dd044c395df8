// Package front records what a server answers while a client starts it, so that
// the bundle can answer that itself before the server is loaded.
//
// A recorded answer is a promise about every later start, on machines that nobody
// here has seen. So the way to one is long:
//
//	the server is asked    by both clients of surface.Run, each in a folder of its own, the
//	                       older one elsewhere: with another clock, user and system
//	Record judges          whether both heard the same, and whether the server looked at
//	                       anything on its way that is otherwise on another machine
//	bundler.WithFront      puts the answers before the server
//	Prove starts that      as another client, in a third world, and has the server behind
//	                       the front say all of it once more; and here, as the client does
//
// Stands is a shorter way with the answers that were recorded of an earlier server, for
// as long as they hold.
//
// What does not get through keeps its bundle without a front, with a warning that says
// why: a front that cannot be proved is worth less than a start that takes longer. Only
// a bundle that does not work with a front, and does without, is an error.
package front

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
	"omcbuild/internal/surface"
)

// Switch is the variable that tells a front how to behave: "0" loads the server at
// once, "prove" lets it say again what the front said.
const Switch = "OMCBUILD_FRONT"

// Options say what is known of a bundle beside its run.
type Options struct {
	File   string   // the bundle, for findings
	Env    []string // variables that turn the front off, as the configuration names them
	Given  []string // names of the variables that the run sets
	Args   []string // with which the server is started
	Minify bool     // shorten the front's own code
}

// Record makes the answers of a front of what was heard in a run that was held
// elsewhere too. The list says why there is none; it is empty when there is one.
func Record(p *surface.Probe, o Options) (*bundler.Front, diag.List) {
	if list := judge(p, o); len(list) > 0 {
		return nil, list
	}
	f := &bundler.Front{Env: slices.Sorted(slices.Values(o.Env)), Minify: o.Minify}
	for _, c := range p.Conversations {
		f.Answers = append(f.Answers, answers(c)...)
	}
	var conflict string
	if f.Answers, conflict = distinct(f.Answers); conflict != "" {
		return nil, diag.List{Refused(o.File, "it answers "+conflict+" otherwise each time")}
	}
	return f, nil
}

// The states of a conversation: which answers fit where.
const (
	greeted = "greeted" // initialize was answered
	ready   = "ready"   // and the client said that it is
	modern  = "modern"  // the stateless generation was found
	listed  = "listed"  // all tools were listed
)

// client is a pattern for what a client says of itself in initialize: anything, but that
// it can do no more than the one that asked here. What a server lists for one that can
// do more is not known.
func client(capabilities json.RawMessage) string {
	return `"capabilities":` + atMost(capabilities) + `,"clientInfo":"?object"`
}

// meta is the same for the stateless generation.
func meta(asked json.RawMessage) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":"?object",` +
		`"io.modelcontextprotocol/clientCapabilities":` + atMost(parameters(asked)["io.modelcontextprotocol/clientCapabilities"]) + `}`
}

// atMost fits an object with no other keys than this one.
func atMost(object json.RawMessage) string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(parameters(object))) {
		keys = append(keys, fmt.Sprintf(`%q:"?any"`, key+"?"))
	}
	return "{" + strings.Join(keys, ",") + "}"
}

// answers turns what was heard in one conversation into answers.
func answers(c *surface.Conversation) (list []bundler.FrontAnswer) {
	if !c.Listed {
		return nil
	}
	pages := 0
	var first *surface.Exchange
	for _, e := range c.Exchanges {
		a, ok := answer(c.Generation, e)
		if !ok || e.Method == "initialize" && first != nil && !otherVersion(*first, e) {
			continue
		}
		if e.Method == "initialize" && first == nil {
			first = &e
		}
		if e.Method == "tools/list" {
			pages = len(list)
		}
		list = append(list, a)
		if e.Method == "initialize" {
			list = append(list, bundler.FrontAnswer{
				Match: json.RawMessage(`{"method":"notifications/initialized","params?":{}}`), After: []string{greeted}, State: ready,
			})
		}
	}
	if len(list) > 0 && pages < len(list) {
		list[pages].Last, list[pages].State = true, listed
	}
	return list
}

// answer is that to one request; ok is false for requests that are the server's.
func answer(g surface.Generation, e surface.Exchange) (a bundler.FrontAnswer, ok bool) {
	if e.Answer == nil {
		return a, false
	}
	request, _ := stdio.Parse(e.Request)
	members := parameters(request.Params)
	a.Asks = true
	switch e.Method {
	case "server/discover":
		a.After = []string{bundler.FrontStart, modern}
		a.Match = pattern(e.Method, meta(members["_meta"]))
		if g == surface.Modern {
			a.State = modern
		} else {
			a.After = a.After[:1]
		}
	case "subscriptions/listen":
		a.After = []string{modern}
		a.Match = pattern(e.Method, meta(members["_meta"]), `"notifications":`+string(members["notifications"]))
	case "initialize":
		a.After, a.State = []string{bundler.FrontStart}, greeted
		a.Match = pattern(e.Method, `"protocolVersion":`+string(members["protocolVersion"]), client(members["capabilities"]))
	case "ping":
		a.After = []string{greeted, ready}
		a.Match = pattern(e.Method)
	case "tools/list":
		a.After = []string{ready}
		cursor := []string{}
		if written, paged := members["cursor"]; paged {
			cursor = append(cursor, `"cursor":`+string(written))
		}
		if g == surface.Modern {
			a.After, cursor = []string{modern}, append(cursor, meta(members["_meta"]))
		}
		a.Match = pattern(e.Method, cursor...)
	default:
		return a, false
	}
	line, ok := marked(e)
	a.Messages = []string{line}
	return a, ok
}

// pattern fits a request with these parameters and no others.
func pattern(method string, members ...string) json.RawMessage {
	optional := ""
	if len(members) == 0 {
		optional = "?"
	}
	return fmt.Appendf(nil, `{"method":%q,"params%s":{%s}}`, method, optional, strings.Join(members, ","))
}

func parameters(raw json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // none when there are none
	return members
}

// marked is a line of the server with the id's places marked.
func marked(e surface.Exchange) (string, bool) {
	_, id, _, ok := stdio.AroundID(e.Request)
	if !ok {
		return "", false
	}
	before, own, after, ok := stdio.AroundID(e.Answer)
	if ok {
		return string(before) + bundler.FrontID + string(after), bytes.Equal(own, id)
	}
	// A notification that speaks of the request: its id is a text that nothing else says.
	return strings.ReplaceAll(string(e.Answer), string(id), bundler.FrontID), len(id) > 2 && id[0] == '"'
}

// otherVersion reports whether the answer to a later initialize is that to the first
// but for the version, as it is then where the other version is asked for first.
func otherVersion(first, later surface.Exchange) bool {
	version := func(e surface.Exchange) string {
		request, _ := stdio.Parse(e.Request)
		return `"protocolVersion":` + string(parameters(request.Params)["protocolVersion"])
	}
	a, okA := marked(first)
	b, okB := marked(later)
	return okA && okB && strings.Replace(a, version(first), version(later), 1) == b
}

// distinct leaves out answers that stand there already, and names a request that has
// two answers.
func distinct(list []bundler.FrontAnswer) (out []bundler.FrontAnswer, conflict string) {
	seen := map[string]bundler.FrontAnswer{}
	for _, a := range list {
		key := fmt.Sprintf("%s %t", a.Match, a.Asks)
		known, there := seen[key]
		if there && !slices.Equal(known.Messages, a.Messages) {
			m, _ := stdio.Parse(append([]byte(`{"jsonrpc":"2.0",`), a.Match[1:]...))
			return nil, m.Method
		}
		if !there {
			out = append(out, a)
		}
		seen[key] = a
	}
	return out, ""
}
