package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// envFlag adds --env to a command that runs servers.
func envFlag(c *cobra.Command, words *[]string) {
	c.Flags().StringArrayVar(words, "env", nil, "run the servers with this variable, `KEY=VALUE`, or KEY alone for the value it has here; repeatable, never printed")
}

var envName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseEnv reads KEY=VALUE, and KEY for the variable of that name that is set here.
// Messages name the key alone.
func parseEnv(words []string) (map[string]string, error) {
	env := map[string]string{}
	for _, word := range words {
		key, value, given := strings.Cut(word, "=")
		if !envName.MatchString(key) {
			return nil, diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--env needs the name of a variable in front of its value", Hint: "for example --env API_KEY=dummy"})
		}
		if !given {
			if value, given = os.LookupEnv(key); !given {
				return nil, diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--env " + key + " has no value, and " + key + " is not set", Hint: "write --env " + key + "=VALUE, or set it"})
			}
		}
		env[key] = value
	}
	return env, nil
}
