package pipeline

import (
	"context"
	"errors"
	"testing"

	"omcbuild/internal/diag"
)

// What goes on beside other steps is waited for by one of them, whatever that is told,
// and given up when the steps before that one stop.
func TestStepsBesideOthers(t *testing.T) {
	yes, no := func(*run) string { return "" }, func(*run) string { return "no" }
	wrong := diag.Diagnostic{Code: "type"}
	cases := map[string]struct {
		first, waits func(context.Context, *run) error
		skip         func(*run) string // of the one that waits
		finds        diag.List         // the one beside
		fails        error
		want         string
		codes        int
		stuck        bool // it ends only when it is given up, for which the step before decides
	}{
		"it finds nothing":              {found(), found(), yes, nil, nil, "beside, a, waits, b", 0, false},
		"it finds an error":             {found(), found(), yes, diag.List{wrong}, nil, "beside, a, waits", 1, false},
		"it fails":                      {found(), found(), yes, nil, diag.Fail(wrong), "beside, a, waits", 1, false},
		"the one that waits finds more": {found(), found(diag.Diagnostic{Code: "run"}), yes, diag.List{wrong}, nil, "beside, a, waits", 2, false},
		"the one that waits is skipped": {found(), found(), no, diag.List{wrong}, nil, "beside, a, waits (no)", 1, false},
		"one before finds an error":     {found(diag.Diagnostic{Code: "syntax"}), found(), yes, diag.List{wrong}, nil, "beside, a", 2, false},
		"one before decides":            {found(diag.Diagnostic{Code: "syntax"}), found(), yes, nil, nil, "beside (given up), a", 1, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ended := false
			beside := func(ctx context.Context, _ *run) (diag.List, error) {
				if c.stuck {
					<-ctx.Done()
				}
				ended = true
				return c.finds, c.fails
			}
			r := &run{}
			err := r.do(t.Context(), []step{{name: "beside", beside: beside}, {name: "a", do: c.first, decides: c.stuck}, {name: "waits", do: c.waits, skip: c.skip, waits: true}, {name: "b", do: found()}})
			if err != nil || names(r) != c.want || len(r.diagnostics) != c.codes || !ended {
				t.Errorf("did %q with %v (%v), want %q; the one beside ended: %v", names(r), r.diagnostics, err, c.want, ended)
			}
		})
	}
}

func TestStepsBesideOthersEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	beside := func(ctx context.Context, _ *run) (diag.List, error) { <-ctx.Done(); return nil, ctx.Err() }
	interrupted := func(context.Context, *run) error { cancel(); return nil }
	r := &run{}
	err := r.do(ctx, []step{{name: "beside", beside: beside}, {name: "a", do: interrupted, waits: true}, {name: "b", do: found()}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
