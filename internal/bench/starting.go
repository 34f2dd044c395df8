package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/stdio"
)

const initializeParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`

// emptyLoop answers what a client asks first with constants, and does nothing else.
//
//go:embed emptyloop.js
var emptyLoop string

// server is a server to start: the file, and what its environment has beside the
// usual.
type server struct {
	file string
	env  []string
}

// eagerly has a server load at once, without the recorded answers in front of it.
func (s server) eagerly() server { return server{file: s.file, env: append(s.env, "OMCBUILD_FRONT=0")} }

// opening is a conversation with a server that has answered what every client
// asks first.
type opening struct {
	client      *stdio.Client
	initialized cost // from the start of the process to the answer to initialize
	listed      cost // to the answer to tools/list; its processor time is that of the process alone
	answers     map[string]json.RawMessage
}

// open starts a server as a client does. Close of the client is to be called.
func (l *lab) open(ctx context.Context, s server) (*opening, error) {
	command := l.command(l.project(), l.node, s.file)
	command.Env = append(command.Env, s.env...)
	client, err := stdio.Start(ctx, command, stdio.Options{})
	if err != nil {
		return nil, err
	}
	o := &opening{client: client, answers: map[string]json.RawMessage{}}
	if err := o.greet(ctx); err != nil {
		client.Kill()
		client.Close(0)
		return nil, fmt.Errorf("%s: %w", filepath.Base(s.file), err)
	}
	return o, nil
}

func (o *opening) greet(ctx context.Context) error {
	if err := o.ask(ctx, 1, "initialize", initializeParams); err != nil {
		return err
	}
	o.initialized.wall = time.Since(o.client.Started())
	if err := o.client.Notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	if err := o.ask(ctx, 2, "tools/list", "{}"); err != nil {
		return err
	}
	o.listed.wall = time.Since(o.client.Started())
	if used, err := threadTimes(o.client.PID()); err == nil {
		o.listed.cpu = since(nil, used)
	}
	return nil
}

func (o *opening) ask(ctx context.Context, id int, method, params string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	reply, err := o.client.Call(ctx, json.RawMessage(fmt.Sprint(id)), method, json.RawMessage(params))
	if err != nil {
		return err
	}
	if len(reply.Result) == 0 {
		return fmt.Errorf("%s is answered with an error: %.200s", method, reply.Raw)
	}
	o.answers[method] = reply.Result
	return nil
}

// project is the folder that servers are started in.
func (l *lab) project() string { return l.home() }

// listed times a server up to its answer to tools/list; initialized, up to that to
// initialize.
func (l *lab) listed(s server) measure {
	return l.start(s, func(o *opening) cost { return o.listed })
}

func (l *lab) initialized(s server) measure {
	return l.start(s, func(o *opening) cost { return o.initialized })
}

func (l *lab) start(s server, took func(*opening) cost) measure {
	return func(ctx context.Context) (cost, error) {
		o, err := l.open(ctx, s)
		if err != nil {
			return cost{}, err
		}
		o.client.Close(5 * time.Second)
		return took(o), nil
	}
}

// shipped is the server `t` as a user gets it.
func (l *lab) shipped() server {
	return server{file: filepath.Join(l.root, filepath.FromSlash(outfile))}
}

// takeStarting times `t`, a program that only answers the same, and the published
// server that `t` can stand in for.
func takeStarting(ctx context.Context, l *lab, want wanted) (figures, error) {
	loop, err := l.emptyLoop(ctx)
	if err != nil {
		return nil, err
	}
	published, bare := subject{name: "reference"}, subject{name: "reference without its header"}
	if want.needs(published.name) || want.needs(bare.name) {
		published, bare = l.published(ctx, published, bare)
	}
	// What is compared takes tens of milliseconds, so there is time for more rounds.
	return inTurn(ctx, 2*l.rounds, want,
		subject{name: "empty Node loop", once: l.listed(server{file: loop})},
		subject{name: "t", once: l.listed(l.shipped())},
		subject{name: "t, loaded at once", once: l.listed(l.shipped().eagerly())},
		published, bare)
}

// published fills in the start of the published server, as it is and without what its
// build put in front of it.
func (l *lab) published(ctx context.Context, whole, bare subject) (subject, subject) {
	file, err := reference(ctx, l)
	if err != nil {
		whole.absent, bare.absent = err.Error(), err.Error()
		return whole, bare
	}
	whole.once = l.listed(server{file: file})
	cut, err := l.withoutHeader(file)
	if err != nil {
		bare.absent = err.Error()
		return whole, bare
	}
	bare.once = l.listed(server{file: cut})
	return whole, bare
}

// emptyLoop writes a server that has nothing but the answers of `t`.
func (l *lab) emptyLoop(ctx context.Context) (string, error) {
	o, err := l.open(ctx, l.shipped())
	if err != nil {
		return "", err
	}
	o.client.Close(5 * time.Second)
	constants := fmt.Sprintf("const initialized = %s;\nconst listed = %s;\n", quoted(o.answers["initialize"]), quoted(o.answers["tools/list"]))
	path := filepath.Join(l.work, "empty-loop.cjs")
	return path, os.WriteFile(path, []byte(constants+emptyLoop), 0o600)
}

// quoted writes a text as a JavaScript string.
func quoted(text []byte) []byte {
	out, err := json.Marshal(string(text))
	if err != nil {
		panic(err) // a string can always be written
	}
	return out
}

// takeHeader times the start of the server bundled without a header, and with ours
// where npm is absent, present, and slow; in all of them without a front.
func takeHeader(ctx context.Context, l *lab, want wanted) (figures, error) {
	bare, err := l.bundle(ctx, "bare.cjs", bundler.HeaderNone)
	if err != nil {
		return nil, err
	}
	ours, err := l.bundle(ctx, "ours.cjs", bundler.HeaderNodePath)
	if err != nil {
		return nil, err
	}
	slow := filepath.Join(l.work, "slow")
	if err := os.Mkdir(slow, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(slow, "npm"), []byte("#!/bin/sh\nsleep 5\n"), 0o700); err != nil {
		return nil, err
	}
	with := func(path string) server { return server{file: ours, env: []string{"PATH=" + path}} }
	return inTurn(ctx, l.rounds, want,
		subject{name: "no header", once: l.initialized(server{file: bare, env: []string{"PATH=/nowhere"}})},
		subject{name: "npm absent", once: l.initialized(with("/nowhere"))},
		subject{name: "npm present", once: l.initialized(with(l.path))},
		subject{name: "npm takes 5 s", once: l.initialized(with(slow + string(filepath.ListSeparator) + l.path))})
}

// bundle builds the repository's server into a file of the lab.
func (l *lab) bundle(ctx context.Context, name string, header bundler.Header) (string, error) {
	built, err := bundler.Build(ctx, serverOptions(l.root, header))
	if err != nil {
		return "", err
	}
	path := filepath.Join(l.work, name)
	return path, os.WriteFile(path, built.Outputs[0].Contents, 0o600)
}
