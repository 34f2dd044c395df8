package project

import "omcbuild/internal/lazyregexp"

var (
	secretNames = lazyregexp.New(`(?i)^(?:\.env(?:\..+)?|\.envrc|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|p12|pfx|key|jks|keystore|kdbx)|\.netrc|_netrc|\.pypirc|\.git-credentials|\.htpasswd|credentials(?:\.(?:json|ya?ml|toml|ini))?|service[-_]account.*\.json)$`)
	samples     = lazyregexp.New(`(?i)\.(?:example|sample|template|dist|defaults)$`)
	token       = lazyregexp.New(`(?m)^[^#;\n]*(?:_authToken|_password|_auth)\s*=\s*[^$\s]`)
	leftBehind  = lazyregexp.New(`(?:^|/)(?:\.DS_Store|\._[^/]*|(?i:Thumbs\.db|ehthumbs\.db|desktop\.ini)|\.AppleDouble(?:/.*)?|\.Spotlight-V100(?:/.*)?|\.Trashes(?:/.*)?|__MACOSX(?:/.*)?|__pycache__(?:/.*)?|[^/]*\.py[co]|npm-debug\.log[^/]*|yarn-error\.log|\.directory|\$RECYCLE\.BIN(?:/.*)?)$`)
)

// HoldsSecrets reports whether a file of that name, without its folder, usually holds
// secrets. Files that show others what to write there are none.
func HoldsSecrets(name string) bool {
	return secretNames.MatchString(name) && !samples.MatchString(name)
}

// HoldsToken reports whether the text of an .npmrc file has a token or password
// written out.
func HoldsToken(text string) bool { return token.MatchString(text) }

// IsLeftBehind reports whether a file, by its slash separated path, was left behind
// by a system or a program.
func IsLeftBehind(file string) bool { return leftBehind.MatchString(file) }
