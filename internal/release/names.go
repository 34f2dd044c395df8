package release

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// Limits of a name. Windows holds paths of 259 characters, of which the folder that
// the client unpacks into takes its share; other systems hold 255 bytes a part.
const (
	maxPathUnits = 200 // of UTF-16, in a path from the plugin's root
	maxPartBytes = 255
)

// device matches the names that Windows keeps for devices, with any extension.
var device = lazyregexp.New(`(?i)^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$`)

// nameFault says why a path cannot be held by every system, or nil.
func nameFault(path string) *diag.Diagnostic {
	fault := func(format string, args ...any) *diag.Diagnostic {
		return &diag.Diagnostic{Code: "package-name", Position: diag.Position{File: path}, Message: fmt.Sprintf(format, args...), Hint: "rename it"}
	}
	switch {
	case !fs.ValidPath(path) || path == ".":
		return fault("is no path of a file below the plugin's root")
	case !utf8.ValidString(path):
		return fault("has a name that is not UTF-8")
	}
	if units := len(utf16.Encode([]rune(path))); units > maxPathUnits {
		return fault("has a path of %d characters, and Windows has room for about %d below the folder of a plugin", units, maxPathUnits)
	}
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case len(part) > maxPartBytes:
			return fault("has a name of %d bytes, the limit is %d", len(part), maxPartBytes)
		case device.MatchString(part):
			return fault("has the name of a device of Windows, which cannot be a file there: %s", part)
		case strings.ContainsAny(part, "<>:\"|?*\\"):
			return fault("has a character that Windows does not allow in names: %s", part)
		case strings.HasSuffix(part, "."), strings.HasSuffix(part, " "):
			return fault("has a name that ends in a dot or a space, which Windows cuts off: %q", part)
		case strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return fault("has a control character in its name: %q", part)
		}
	}
	return nil
}
