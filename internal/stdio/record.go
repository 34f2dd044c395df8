package stdio

import (
	"encoding/json"
	"slices"
)

// Bounds of what a Record keeps of each kind.
const (
	keptMessages = 100
	keptBytes    = 64 << 10 // of one message
	keptAnswered = 4096     // ids, to tell a second answer from an unknown one
)

// Record is what a conversation left besides the answers to its calls.
type Record struct {
	Lines         int       // lines on stdout, messages and noise
	Bytes         int64     // bytes on stdout
	Noise         []Noise   // the first lines that are no messages
	NoiseLines    int       // how many there were
	Strays        []Stray   // the first answers that no call was waiting for
	Requests      []Message // the first requests of the server; all were answered
	Notifications []Message // the first notifications of the server
	Overrun       error     // *BudgetError or *FramingError for which the server was killed, also while it was being closed
	Stderr        []string  // first and last lines, made visible; a line between them says how many were left out
}

// Record returns what has been seen so far.
func (c *Client) Record() Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.record
	r.Noise = slices.Clone(r.Noise)
	r.Strays = slices.Clone(r.Strays)
	r.Requests = slices.Clone(r.Requests)
	r.Notifications = slices.Clone(r.Notifications)
	r.Stderr = c.stderr.lines()
	return r
}

// keep adds a message to one of the lists of the record.
func (c *Client) keep(list *[]Message, m *Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(*list) >= keptMessages {
		return
	}
	kept := *m
	if len(m.Raw) > keptBytes {
		kept.Params, kept.Raw = nil, slices.Clone(m.Raw[:keptBytes])
	}
	*list = append(*list, kept)
}

// StrayKind says why an answer belongs to no call.
type StrayKind string

// The kinds of strays.
const (
	NullID    StrayKind = "null"       // its id is null or absent
	OtherType StrayKind = "other type" // its id is that of a waiting call as another JSON type: "1" for 1
	Again     StrayKind = "again"      // its call has been answered, or has given up
	Unknown   StrayKind = "unknown"    // no call had its id
)

// Stray is an answer that no call was waiting for.
type Stray struct {
	Kind StrayKind
	ID   json.RawMessage // nil when absent
	Raw  json.RawMessage // the line, cut at 64 KiB
}

func (s Stray) id() string {
	if s.ID == nil {
		return "absent"
	}
	return string(s.ID)
}

// stray records an answer that nobody waits for, and tells the call for which it
// must have been meant. The caller holds the lock.
func (c *Client) stray(m *Message, key string) {
	s := Stray{Kind: Unknown, ID: m.ID, Raw: m.Raw[:min(len(m.Raw), keptBytes)]}
	var meant *call
	if m.ID == nil || key == "null" {
		s.Kind = NullID
		meant = c.onlyCall()
	} else if meant = c.pending[otherType(key)]; meant != nil {
		s.Kind = OtherType
	} else if c.answered.has(key) {
		s.Kind = Again
	}
	if len(c.record.Strays) < keptMessages {
		c.record.Strays = append(c.record.Strays, s)
	}
	if meant != nil {
		select {
		case meant.stray <- s:
		default:
		}
	}
}

// onlyCall returns the call that waits for an answer now, when there is exactly
// one.
func (c *Client) onlyCall() *call {
	var only *call
	for _, waiting := range c.pending {
		switch {
		case waiting.open:
		case only != nil:
			return nil
		default:
			only = waiting
		}
	}
	return only
}

// otherType writes the id 1 as "1" and the id "1" as 1.
func otherType(key string) string {
	if len(key) >= 2 && key[0] == '"' {
		return key[1 : len(key)-1]
	}
	return string(quote(key))
}

// answered remembers the last ids that were dealt with.
type answered struct {
	ids   map[string]bool
	order []string
	next  int
}

func (a *answered) add(key string) {
	if a.ids == nil {
		a.ids = map[string]bool{}
	}
	if a.ids[key] {
		return
	}
	a.ids[key] = true
	if len(a.order) < keptAnswered {
		a.order = append(a.order, key)
		return
	}
	delete(a.ids, a.order[a.next])
	a.order[a.next] = key
	a.next = (a.next + 1) % keptAnswered
}

func (a *answered) has(key string) bool { return a.ids[key] }
