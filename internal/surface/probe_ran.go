package surface

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"slices"

	"omcbuild/internal/stdio"
)

//go:embed ran.cjs
var ranProgram []byte

// mostRan is the size in bytes up to which a list of functions is read.
const mostRan = 16 << 20

// functionsFile says where the functions of a process elsewhere are written down.
const functionsFile = "elsewhere/ran.json"

// functions reads which functions of the bundle ran; nil when that was not written down.
func (f *folder) functions() (list []Function) {
	file, err := os.Open(f.path(functionsFile))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, mostRan+1))
	if err != nil || len(text) > mostRan || json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}

// Function is a function of a bundle, after a process of it has ended: from which
// to which UTF-16 unit of the file it reaches, and whether it ran, 1 for yes. Functions
// within one that did not run are left out. The first is the file as a whole.
type Function [3]int

// KeptElsewhere is an Elsewhere in which nothing was odd, in a form that survives encoding
// as JSON.
type KeptElsewhere struct {
	Exchanges []KeptExchange `json:"exchanges"`
	Sights    []Sight        `json:"sights"`
}

// KeptExchange is an Exchange, byte for byte.
type KeptExchange struct {
	Method  string `json:"method"`
	Request []byte `json:"request"`
	Answer  []byte `json:"answer"`
}

// Keep returns what can be recalled of e; nil when that would not be all that counts.
func (e *Elsewhere) Keep() *KeptElsewhere {
	c := e.Conversation
	if len(c.Record.Notifications)+len(c.Record.Requests) > 0 || slices.ContainsFunc(e.Sights, sawItself) {
		return nil
	}
	k := &KeptElsewhere{Sights: e.Sights}
	for _, exchange := range c.Exchanges {
		k.Exchanges = append(k.Exchanges, KeptExchange{exchange.Method, exchange.Request, exchange.Answer})
	}
	again := k.Recall()
	if again == nil || !reflect.DeepEqual(again.Conversation.Surface, c.Surface) || again.odd(c) || e.odd(c) {
		return nil
	}
	return k
}

func sawItself(s Sight) bool { return s.Kind == SawItself }

// Recall returns what was kept, without the times and what else only a process has; nil
// when it is not what Keep gives.
func (k *KeptElsewhere) Recall() *Elsewhere {
	t := &talk{Conversation: &Conversation{Generation: Legacy}}
	for _, e := range k.Exchanges {
		answer, ok := stdio.Parse(e.Answer)
		if !ok && e.Answer != nil {
			return nil
		}
		t.Exchanges = append(t.Exchanges, Exchange{Method: e.Method, Request: bytes.Clone(e.Request), Answer: bytes.Clone(e.Answer)})
		switch {
		case e.Method == "initialize" && !t.Listed:
			t.readHello(answer.Result)
		case e.Method == "initialize":
			if spoken, _ := stringValue(object(answer.Result)["protocolVersion"]); spoken != "" {
				t.Surface.Protocols = append(t.Surface.Protocols, spoken)
			}
		case e.Method == "tools/list":
			_, more := t.readPage(answer.Result)
			t.Listed = !more
		}
	}
	if !t.Listed || len(t.found) > 0 {
		return nil
	}
	return &Elsewhere{Conversation: t.Conversation, Sights: k.Sights}
}
