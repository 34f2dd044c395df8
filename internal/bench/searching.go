package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/stdio"
)

const (
	transcripts     = 50
	transcriptLines = 4000
)

// takeSearching times session_search in a running server over 250 MB of
// transcripts: for words that no line has, and for one that every line has.
func takeSearching(ctx context.Context, l *lab, want wanted) (figures, error) {
	bundle, err := l.bundle(ctx, "search.cjs", bundler.HeaderNone)
	if err != nil {
		return nil, err
	}
	home, project := filepath.Join(l.work, "searched"), filepath.Join(l.work, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	if err := writeTranscripts(home, project); err != nil {
		return nil, err
	}
	command := l.command(project, l.node, bundle)
	command.Env = append(command.Env, "HOME="+home)
	client, err := stdio.Start(ctx, command, stdio.Options{})
	if err != nil {
		return nil, err
	}
	defer client.Close(5 * time.Second)
	if _, err := client.Call(ctx, json.RawMessage("0"), "initialize", json.RawMessage(initializeParams)); err != nil {
		return nil, err
	}
	search := func(query string, matches int) measure {
		return func(ctx context.Context) (cost, error) { return searchOnce(ctx, client, query, matches) }
	}
	return inTurn(ctx, l.rounds, want,
		subject{name: "no line matches", once: search("zebrafish", 0)},
		subject{name: "every line matches", once: search("everywhere", transcripts*transcriptLines)})
}

// searchOnce times one call, and checks how many matches it reports.
func searchOnce(ctx context.Context, client *stdio.Client, query string, matches int) (cost, error) {
	began := time.Now()
	id := json.RawMessage(fmt.Sprint(began.UnixMicro())) // a number that JavaScript keeps
	params := fmt.Sprintf(`{"name":"session_search","arguments":{"query":%q}}`, query)
	reply, err := client.Call(ctx, id, "tools/call", json.RawMessage(params))
	took := time.Since(began)
	if err != nil {
		return cost{}, err
	}
	if !strings.Contains(string(reply.Raw), fmt.Sprintf(`totalMatches\": %d,`, matches)) {
		return cost{}, fmt.Errorf("session_search %q does not report %d matches", query, matches)
	}
	return cost{wall: took}, nil
}

// writeTranscripts writes sessions of the project as the client records them.
func writeTranscripts(home, project string) error {
	safe := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
			return r
		}
		return '-'
	}, project)
	folder := filepath.Join(home, ".claude", "projects", safe)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	text := strings.Repeat(`It reads \"files\" and writes tests — then it stops.\n`, 18) + "everywhere"
	for session := range transcripts {
		if err := writeTranscript(filepath.Join(folder, fmt.Sprintf("s%d.jsonl", session)), project, session, text); err != nil {
			return err
		}
	}
	return nil
}

func writeTranscript(path, project string, session int, text string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	for line := range transcriptLines {
		at := time.Unix(1790000000+int64(session*transcriptLines+line), 0).UTC().Format(time.RFC3339)
		_, _ = fmt.Fprintf(out, `{"parentUuid":"11111111-2222-4333-8444-%012d","isSidechain":false,"cwd":%q,"sessionId":"s%d","version":"2.0.1",`+
			`"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]},"timestamp":%q}`+"\n", line, project, session, text, at)
	}
	if err := out.Flush(); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
