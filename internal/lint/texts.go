package lint

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// eachText calls visit for every string and member name in a JSON value, with a
// path such as "inputSchema/properties/zone/description". Nesting beyond the
// bound is left out.
func eachText(raw json.RawMessage, visit func(path, text string)) {
	var value any
	if json.Unmarshal(raw, &value) == nil {
		texts("", value, 0, visit)
	}
}

func texts(path string, value any, depth int, visit func(path, text string)) {
	if depth > maxSchemaDepth {
		return
	}
	join := func(step string) string {
		if path == "" {
			return step
		}
		return path + "/" + step
	}
	switch value := value.(type) {
	case string:
		visit(path, value)
	case []any:
		for i, element := range value {
			texts(join(strconv.Itoa(i)), element, depth+1, visit)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			step := join(clip(printable(name)))
			visit(step, name)
			texts(step, value[name], depth+1, visit)
		}
	}
}
