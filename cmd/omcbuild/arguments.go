package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"omcbuild/internal/diag"
)

// noArguments refuses words after a command that takes flags only.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return wrongArguments(c, c.CommandPath()+" takes no argument, and was given "+strings.Join(args, " "), "")
}

// atMostOne refuses more than one of what is named.
func atMostOne(what, example string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return wrongArguments(c, fmt.Sprintf("%s takes one %s, and was given %d: %s", c.CommandPath(), what, len(args), strings.Join(args, " ")), example)
	}
}

// justOne refuses none as well.
func justOne(what, example string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return wrongArguments(c, "the "+what+" is not named", example)
		}
		return atMostOne(what, example)(c, args)
	}
}

func wrongArguments(c *cobra.Command, message, example string) error {
	hint := helpOf(c)
	if example != "" {
		hint = "for example " + example + "; " + hint
	}
	return diag.Misuse(diag.Diagnostic{Code: "usage", Message: message, Hint: hint})
}

// helpOf says where the flags of a command are explained.
func helpOf(c *cobra.Command) string {
	what := "its flags"
	if c.HasSubCommands() {
		what = "the commands and their flags"
	}
	return c.CommandPath() + " --help shows " + what
}
