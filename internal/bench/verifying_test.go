package main

import (
	"strings"
	"testing"
	"time"
)

func TestRoundsOfWatch(t *testing.T) {
	lines := strings.Join([]string{
		`{"round":1,"kind":"first","changed":[],"bundles":[{"name":"t","outfile":"bridge/mcp-server.cjs","ran":false}]}`,
		`no JSON`,
		`{"round":2,"kind":"settled","changed":[],"bundles":[{"name":"ast-engine","ran":true},{"name":"t","ran":false}]}`,
		`{"round":3,"kind":"settled","changed":[],"bundles":[{"name":"t","ran":true,"tools":55}]}`,
	}, "\n")
	rounds := make(chan round, 10)
	readRounds(strings.NewReader(lines), rounds)
	if got := len(rounds); got != 3 {
		t.Fatalf("read %d rounds, want 3", got)
	}
	if err := nextVerified(t.Context(), rounds, time.Minute); err != nil || len(rounds) != 0 {
		t.Errorf("%v: %d rounds are left behind the one that verified t", err, len(rounds))
	}
	if err := nextVerified(t.Context(), rounds, time.Minute); err == nil {
		t.Error("the end of the output is taken for a verified server")
	}
}
