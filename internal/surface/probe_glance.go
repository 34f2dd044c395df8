package surface

import "context"

// Glance starts a bundle and holds the start-up of the current client, up to the list of
// its tools. Then the process is killed: what a client does later, what the end of the
// process shows, and what an older client sees is left to Run. Of the options Call,
// AllProtocols and Elsewhere have no meaning here, and the Protocols of the Surface are
// those of this one start-up. The error is as that of Run.
func Glance(ctx context.Context, o ProbeOptions) (*Probe, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	c, err := converse(ctx, &o, func(t *talk) {
		t.brief = true
		if t.discover(); t.Listed && t.failure == nil {
			t.client.Kill()
		}
	}, nil)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	c.lost = c.lost || c.Listed // its end says nothing
	p := &Probe{Conversations: []*Conversation{c}}
	p.summarise()
	for _, d := range c.diagnose(&o) {
		d.File = o.FileName
		p.Diagnostics.Add(d)
	}
	return p, nil
}
