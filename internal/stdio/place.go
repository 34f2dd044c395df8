package stdio

import (
	"bytes"
	"encoding/json"
)

// AroundID splits a message at the value of its id: line is before, the id, after. It
// reports false when the message has no id, or more than one.
func AroundID(line json.RawMessage) (before, id, after json.RawMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, nil, nil, false
	}
	found := 0
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, nil, false
		}
		if name == "id" {
			end := int(d.InputOffset())
			before, id, after = line[:end-len(value)], value, line[end:]
			found++
		}
	}
	return before, id, after, found == 1
}
