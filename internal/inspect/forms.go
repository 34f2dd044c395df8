package inspect

import (
	"encoding/json"
	"strings"

	"omcbuild/internal/lazyregexp"
)

// The forms that the configuration accepts, as its schema states them.
var (
	packagePattern = lazyregexp.New(`^(@[A-Za-z0-9._~-]+/)?[A-Za-z0-9._~-]+$`)
	definePattern  = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*(\.[A-Za-z_$][A-Za-z0-9_$]*)*$`)
	loaderPattern  = lazyregexp.New(`^(\.[A-Za-z0-9_-]+)+$`)
	bundleName     = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
	variableName   = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// loaders are those that the configuration accepts.
var loaders = []string{"base64", "binary", "copy", "css", "dataurl", "empty", "file", "js", "json", "jsx", "text", "ts", "tsx"}

// nodeModules are the modules of Node that are importable without node:.
var nodeModules = []string{
	"assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel",
	"dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process",
	"punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url",
	"util", "v8", "vm", "wasi", "worker_threads", "zlib",
}

// maxBundleName is the length that the configuration accepts.
const maxBundleName = 40

func isBundleName(s string) bool { return len(s) <= maxBundleName && bundleName.MatchString(s) }

func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func jsonText(s string) bool { return json.Valid([]byte(s)) }
