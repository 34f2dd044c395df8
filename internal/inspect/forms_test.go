package inspect

import "testing"

func TestSecretsAreNotCopied(t *testing.T) {
	for _, c := range []struct {
		name, value      string
		secret, harmless bool // as a define; as a variable
	}{
		{"VERSION", `"1.2.3"`, false, false},
		{"DEBUG", "true", false, true},
		{"PORT", "3000", false, true},
		{"PORT", "65536", false, false},
		{"MODE", "production", false, true},
		{"API_URL", `"https://api.example.org/v1/tools"`, false, false},
		{"API_KEY", "process.env.API_KEY", false, false},
		{"API_KEY", `"abc"`, true, false},
		{"GITHUB_TOKEN", "12345", true, false},
		{"PASSWORD", "test", true, false},
		{"process.env.SECRET_KEY", "hunter2", true, false},
		{"SIGNED", "undefined", false, false},
		{"DB", `"postgres://u:pw@db/x"`, true, false},
		{"DB_PASS", "12345", true, false},
		{"DBPASS", "1", true, false},
		{"DB_PWD", "test", true, false},
		{"dbPass", "true", false, false},
		{"ADMIN_PIN", "4242", true, false},
		{"OTP", "7", true, false},
		{"DIGITS", "4242", false, false},
		{"WORD", "test", false, false},
		{"LOG_LEVEL", "debug", false, true},
		{"MCP_PORT", "8080", false, true},
		{"SPIN", "on", false, true},
		{"KEYBOARD", "on", false, true},
		{"X", `"sk-ant-1"`, true, false},
		{"X", "'ghp_x'", true, false},
		{"X", `"0123456789abcdef0123456789abcdef"`, true, false},
		{"X", `"a-long-name-of-words-only-that-is-no-key"`, false, false},
	} {
		if got := looksSecret(c.name, c.value); got != c.secret {
			t.Errorf("looksSecret(%s, %s) is %v", c.name, c.value, got)
		}
		if got := harmless(c.name, c.value); got != c.harmless {
			t.Errorf("harmless(%s, %s) is %v", c.name, c.value, got)
		}
	}
}

func TestPlainName(t *testing.T) {
	for text, want := range map[string]string{
		"my server": "my-server", "@scope/name": "scope-name", "ünï": "n", "": "t", "--": "t", "a_b": "a_b",
		"0123456789012345678901234567890123456789x": "0123456789012345678901234567890123456789",
	} {
		if got := plainName(text); got != want || !isBundleName(got) {
			t.Errorf("plainName(%q) is %q, want %q", text, got, want)
		}
	}
}
