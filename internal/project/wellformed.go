package project

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// tooDeep returns the offset of the first bracket nested deeper than maxDepth,
// or -1. It runs before the parser, which recurses.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case '/':
			i = skipComment(text, i)
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// skipString returns the offset of the quote that ends the string at i.
func skipString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// skipComment returns the offset of the last byte of the comment at i, or i.
func skipComment(text []byte, i int) int {
	end := ""
	switch {
	case bytes.HasPrefix(text[i:], []byte("//")):
		end = "\n"
	case bytes.HasPrefix(text[i:], []byte("/*")):
		end = "*/"
	default:
		return i
	}
	if n := bytes.Index(text[i+2:], []byte(end)); n >= 0 {
		return i + 2 + n + len(end) - 1
	}
	return len(text)
}

// firstRelaxed returns the offset of the first comment or trailing comma, or -1.
func firstRelaxed(text []byte, value *hujson.Value) int {
	if value.IsStandard() {
		return -1
	}
	comma := -1 // offset of the last comma that nothing has followed yet
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
			continue
		case '/':
			return i
		case ',':
			comma = i
			continue
		case '}', ']':
			if comma >= 0 {
				return comma
			}
		case '"':
			i = skipString(text, i)
		}
		comma = -1
	}
	return 0
}

// duplicate returns the name of the first member whose key was used before in
// the same object, or nil.
func duplicate(value *hujson.Value) *hujson.Value {
	switch v := value.Value.(type) {
	case *hujson.Object:
		seen := make(map[string]bool, len(v.Members))
		for i := range v.Members {
			name := &v.Members[i].Name
			key := Text(name)
			if seen[key] {
				return name
			}
			seen[key] = true
			if found := duplicate(&v.Members[i].Value); found != nil {
				return found
			}
		}
	case *hujson.Array:
		for i := range v.Elements {
			if found := duplicate(&v.Elements[i]); found != nil {
				return found
			}
		}
	}
	return nil
}
