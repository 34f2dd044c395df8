package surface

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// olderVersions are those that a handshake may end in besides the one offered
// first.
func olderVersions() []string { return []string{"2024-11-05", "2025-03-26", "2025-06-18"} }

// reinitialize asks a server that has been initialized for older versions. Many
// answer; one that does not tells nothing, and what it does then is not held
// against it.
func (t *talk) reinitialize() {
	for _, version := range olderVersions() {
		spoken, err := t.tryVersion(t.id(), version)
		if t.lost = err != nil; t.lost || spoken == "" {
			return
		}
		t.Surface.Protocols = append(t.Surface.Protocols, spoken)
	}
}

// tryVersion offers a version and returns the one that the server answers with,
// or "" when it refuses. The error says that there was no answer.
func (t *talk) tryVersion(id int, version string) (string, error) {
	reply, err := t.ask(discoverPatience, initializeRequest(id, version))
	if err != nil {
		return "", err
	}
	spoken, _ := stringValue(object(reply.Result)["protocolVersion"])
	return spoken, nil
}

// tryProtocols starts the bundle once more for each older version.
func (p *Probe) tryProtocols(ctx context.Context, o *ProbeOptions) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	spoken := make([]string, len(olderVersions()))
	for i, version := range olderVersions() {
		group.Go(func() error {
			_, err := converse(ctx, o, func(t *talk) { spoken[i], _ = t.tryVersion(0, version) }, nil)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, version := range spoken {
		if version != "" {
			c := p.Conversations[1]
			c.Surface.Protocols = append(c.Surface.Protocols, version)
		}
	}
	return nil
}
