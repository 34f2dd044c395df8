package inspect

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The forms that the configuration accepts, as its schema states them.
var (
	packagePattern = regexp.MustCompile(`^(@[A-Za-z0-9._~-]+/)?[A-Za-z0-9._~-]+$`)
	definePattern  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(\.[A-Za-z_$][A-Za-z0-9_$]*)*$`)
	loaderPattern  = regexp.MustCompile(`^(\.[A-Za-z0-9_-]+)+$`)
	bundleName     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
	variableName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
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

var (
	secretName  = regexp.MustCompile(`(?i)(secret|token|passw|api_?key|credential|private_?key|auth)`)
	secretValue = regexp.MustCompile(`^['"]?(sk-|ghp_|gho_|github_pat_|xox[abp]-|AKIA|eyJ)`)
)

// looksSecret reports whether a value should not be copied anywhere.
func looksSecret(name, value string) bool {
	plain := strings.Trim(value, `'"`)
	return secretValue.MatchString(value) || tokenLike(value) || secretName.MatchString(name) && plain != "" && plain != "true" && plain != "false" && !definePattern.MatchString(value)
}

// maxBundleName is the length that the configuration accepts.
const maxBundleName = 40

func isBundleName(s string) bool { return len(s) <= maxBundleName && bundleName.MatchString(s) }

// tokenLike reports whether a text has 32 characters in a row that are letters
// and digits, with both among them, as keys and hashes have.
func tokenLike(s string) bool {
	run, letters, digits := 0, false, false
	for _, c := range []byte(s) {
		letter, digit := c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9'
		if !letter && !digit && c != '_' && c != '-' {
			run, letters, digits = 0, false, false
			continue
		}
		run, letters, digits = run+1, letters || letter, digits || digit
		if run >= 32 && letters && digits {
			return true
		}
	}
	return false
}

// choices are values of environment variables that say nothing but a choice.
var choices = []string{"true", "false", "on", "off", "yes", "no", "production", "development", "test", "debug", "info", "warn", "error", "stdio"}

// harmless reports whether a value may be copied: a choice or a small number.
func harmless(name, value string) bool {
	_, err := strconv.ParseUint(value, 10, 16)
	return !secretName.MatchString(name) && (err == nil || slices.Contains(choices, value))
}

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
