package pipeline

import (
	"context"
	"errors"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
)

// prebuildTime is how long the making of sources may take.
const prebuildTime = 10 * time.Minute

// prebuildStep runs the project's own program that makes sources. It runs at every
// build: what it reads is known to nobody else.
func prebuildStep(ctx context.Context, r *run) error {
	words := r.project.Config.Prebuild
	command := strings.Join(words, " ")
	fail := func(what, hint string) error {
		return diag.Fail(diag.Diagnostic{Code: "prebuild", Position: r.prebuildPosition(), Message: command + " " + what, Hint: hint})
	}
	program, err := process.LookPath(words[0], r.machine.Path)
	if err != nil {
		return fail("cannot be started: "+words[0]+" is not on PATH", "install it, or correct prebuild")
	}
	limited, cancel := context.WithTimeout(ctx, prebuildTime)
	defer cancel()
	result, err := process.Run(limited, process.Command{Path: program, Args: words[1:], Dir: r.project.Root, Env: r.machine.Env}, 0)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return fail("does not end within "+prebuildTime.String(), "run it by hand; it must end by itself")
	case err != nil:
		return fail("cannot be started: "+err.Error(), "correct prebuild")
	case !result.Status.Success():
		return fail("ended with "+result.Status.String()+lastLine(result), "run it by hand in the root of the plugin to see all it prints")
	}
	return nil
}

// prebuildPosition is where the configuration names the program.
func (r *run) prebuildPosition() diag.Position {
	if doc := r.project.Config.Document; doc != nil {
		return doc.Position("prebuild")
	}
	return diag.Position{File: project.ConfigFile}
}

// lastLine is the last line that a program printed, its complaints before the rest.
func lastLine(result *process.Result) string {
	for _, text := range [][]byte{result.Stderr, result.Stdout} {
		if all := strings.TrimSpace(string(text)); all != "" {
			line := all[strings.LastIndexByte(all, '\n')+1:]
			return ": " + line[:min(len(line), 300)]
		}
	}
	return ""
}
