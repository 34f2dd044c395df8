package inspect

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"omcbuild/internal/jsscan"
	"omcbuild/internal/lazyregexp"
)

// Command lines and code may hold passwords. What is shown of them says which
// program is meant and no more: names of programs, flags, files and scripts.
// Everything else is replaced.
const hidden = "…"

var (
	// secretName is in the names of what is secret: as a part of a word, or as
	// a word of its own between dots, dashes and capitals.
	secretName = lazyregexp.New(`(?i:secret|token|passw|passphrase|credential|auth|api_?-?key|private_?-?key|pwd|dsn|cookie)` +
		`|(?i:(^|[^a-z])(pass|passes|pin|otp|keys?|pw|psk|pat|jwt|salt|seed|session)([^a-z]|$))|[a-z](Pass|Pin|Otp|Key|Pw)([^a-z]|$)|(PASS|Pass|pass)$`)
	secretValue = lazyregexp.New(`(^|[^A-Za-z0-9])(sk[-_]|gh[opsur]_|github_pat_|glpat-|npm_[A-Za-z0-9]{20}|xox[abeprs]-|AKIA|AIza|eyJ)|-----BEGIN` +
		`|(?i)bearer\s|://[^/\s@]*:[^/\s]*@`)
	plainWord = lazyregexp.New(`^[a-z][a-z:-]*$`)
	plainPath = lazyregexp.New(`^\$?\{?[@A-Za-z0-9_.*{},\[\]/\\-]+$`)
	plainFlag = lazyregexp.New(`^--?[A-Za-z][A-Za-z0-9.-]*$`)
	extension = lazyregexp.New(`^\.[a-z][a-z0-9]{0,5}$`)
	folders   = lazyregexp.New(`^\.{0,2}(/?[a-z_-]*\.{0,2})(/[a-z_.-]+)*$`)
	variable  = lazyregexp.New(`^\$[A-Za-z_][A-Za-z_0-9]*$`)
	assigned  = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// looksSecret reports whether a value of a build must not be copied anywhere.
func looksSecret(name, value string) bool {
	plain := strings.Trim(value, `'"`)
	return secretLike(value) || secretName.MatchString(name) && !slices.Contains([]string{"", "true", "false", "null", "undefined"}, plain) && !strings.HasPrefix(value, "process.env.")
}

// secretLike reports whether a text looks like a key, a password in an address
// or the like, whatever it is called.
func secretLike(text string) bool { return secretValue.MatchString(text) || tokenLike(text) }

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

// switches are values of environment variables that say yes or no.
var switches = []string{"true", "false", "on", "off", "yes", "no", "0", "1", "production", "development"}

// choices are values of the variables that choose one of a few.
var (
	choices = []string{"test", "debug", "info", "warn", "error", "trace", "silent", "stdio"}
	chooses = lazyregexp.New(`^([A-Z0-9_]+_)?(ENV|MODE|LEVEL|TRANSPORT)$`)
)

// harmless reports whether a variable's value may be copied: a switch, a choice
// of a variable that is named like one, or the number of a port.
func harmless(name, value string) bool {
	_, err := strconv.ParseUint(value, 10, 16)
	switch {
	case secretName.MatchString(name):
		return false
	case slices.Contains(switches, value):
		return true
	case name == "PORT" || strings.HasSuffix(name, "_PORT"):
		return err == nil
	}
	return chooses.MatchString(name) && slices.Contains(choices, value)
}

// pathLike reports whether a word reads like the path of a file.
func pathLike(w string) bool {
	return plainPath.MatchString(w) && !secretLike(w) && (folders.MatchString(w) || extension.MatchString(path.Ext(w)) || strings.HasSuffix(w, "/"))
}

// shown returns what a command line is called. Of values only those are shown
// that are files of the repository or look like ones.
func (r *repository) shown(words []string) string {
	var out []string
	flag := "" // that the word before was
	for n, w := range words {
		name, val, valued := strings.Cut(w, "=")
		switch {
		case assigned.MatchString(w) || valued && plainFlag.MatchString(name):
			if !pathLike(val) && !variable.MatchString(val) || plainWord.MatchString(val) || secretName.MatchString(name) {
				w = name + "=" + hidden
			}
		case secretName.MatchString(flag), secretLike(w), strings.Contains(w, "=") && n > 0:
			w = hidden
		case plainFlag.MatchString(w), w == "--", variable.MatchString(w), pathLike(w) && (flag == "" || !plainWord.MatchString(w)), w != "" && plainPath.MatchString(w) && (n == 0 || r.exists(path.Clean(w))):
		case flag == "" && plainWord.MatchString(w), slices.Contains(switches, w):
		default:
			w = hidden
		}
		if flag = ""; plainFlag.MatchString(w) {
			flag = w
		}
		if w != hidden || len(out) == 0 || out[len(out)-1] != hidden {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// shownText is shown for a line of a shell that was not split. What stands in
// quotes is left out.
func (r *repository) shownText(line string) string {
	var b strings.Builder
	var quote rune
	for _, c := range line {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
			b.WriteString("'")
		default:
			b.WriteRune(c)
		}
	}
	var out []string
	var words []string
	for _, w := range strings.Fields(b.String()) {
		if strings.IndexFunc(w, func(c rune) bool { return !strings.ContainsRune("|&;<>(){}!", c) }) >= 0 {
			words = append(words, w)
			continue
		}
		if len(words) > 0 {
			out = append(out, r.shown(words))
		}
		out, words = append(out, w), nil
	}
	if len(words) > 0 {
		out = append(out, r.shown(words))
	}
	return strings.Join(out, " ")
}

// shownCode returns an expression without the texts in it, but for those that
// are files or words.
func shownCode(file *jsscan.File, from, to int) string {
	var b strings.Builder
	end := file.Tokens[from].Start
	for i := from; i <= to && b.Len() < 200; i++ {
		t := file.Tokens[i]
		if t.Start > end {
			b.WriteByte(' ')
		}
		end = t.End
		source := file.Source(i)
		switch t.Kind {
		case jsscan.String:
			if inner := source[1 : len(source)-1]; !pathLike(inner) && !plainWord.MatchString(inner) {
				source = source[:1] + hidden + source[len(source)-1:]
			}
		case jsscan.TemplatePart:
			head, tail := source[:1], ""
			if inner := strings.TrimSuffix(source[1:], "${"); len(inner) < len(source)-1 {
				tail = "${"
			} else {
				tail = "`"
			}
			if inner := strings.TrimSuffix(strings.TrimSuffix(source[1:], "${"), "`"); inner != "" && strings.ContainsFunc(inner, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) && !pathLike(strings.Trim(inner, "/")+".x") {
				source = head + hidden + tail
			}
		case jsscan.Number:
			if len(source) > 3 {
				source = hidden
			}
		case jsscan.Regex:
			if secretLike(source) {
				source = hidden
			}
		}
		b.WriteString(source)
	}
	return b.String()
}

// shownProgram is the program of a server, when it is the name of one.
func (r *repository) shownProgram(command string) string {
	if strings.ContainsAny(command, " =") || !plainPath.MatchString(command) || secretLike(command) {
		return "a command line"
	}
	return clip(command)
}
