package front

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
	"omcbuild/internal/surface"
)

// judge says why a front would not be safe; nothing when it is.
func judge(p *surface.Probe, o Options) diag.List {
	if list := alwaysOff(o); len(list) > 0 {
		return list
	}
	reasons := heard(p)
	if len(o.Args) > 0 {
		reasons = append([]string{"it is started with arguments, and what it lists may depend on them"}, reasons...)
	}
	if len(reasons) == 0 {
		reasons = looked(p.Elsewhere.Sights)
	}
	set := given(p.Elsewhere.Sights, o)
	if len(set) > 0 && len(reasons) == 0 {
		return diag.List{setForTheCheck(o.File, set)}
	}
	for _, name := range set {
		reasons = append(reasons, name+" is set for the check")
	}
	if len(reasons) > 0 {
		return diag.List{Refused(o.File, reasons...)}
	}
	if missing := undeclared(p.Elsewhere.Sights, o); len(missing) > 0 {
		return diag.List{variables(o, missing)}
	}
	return nil
}

// mostReasons is how many of the reasons against a front are said.
const mostReasons = 3

// Refused says why a bundle has no front.
func Refused(file string, reasons ...string) diag.Diagnostic {
	said := strings.Join(reasons[:min(mostReasons, len(reasons))], "; ")
	if more := len(reasons) - mostReasons; more > 0 {
		said += fmt.Sprintf("; and %d more reasons", more)
	}
	return diag.Diagnostic{
		Code: "front-refused", Level: diag.Warning, Position: diag.Position{File: file},
		Message: "gets no front, because its answers may differ from those recorded: " + said,
		Hint:    "let it list its tools without looking around, or set front to false",
	}
}

// given are the variables that the run sets and that the answers may depend on: those
// that the server asked for, and those that are said to change its tools.
func given(sights []surface.Sight, o Options) (names []string) {
	for _, name := range o.Given {
		asked := slices.ContainsFunc(sights, func(s surface.Sight) bool { return s.Kind == surface.SawVariable && s.What == name })
		if name != Switch && (asked || slices.Contains(o.Env, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// alwaysOff finds variables of the configuration with which a front would never answer.
func alwaysOff(o Options) (list diag.List) {
	for _, name := range o.Env {
		if name == Switch || surface.AlwaysSet(name) {
			list.Add(diag.Diagnostic{
				Code: "front-refused", Level: diag.Warning, Position: diag.Position{File: o.File},
				Message: "gets no front, because front.env names " + name + ", which is set for every server: it would never answer",
				Hint:    "take " + name + " out of front.env",
			})
		}
	}
	return list
}

// setForTheCheck says that the run which would be recorded is none that users have.
func setForTheCheck(file string, names []string) diag.Diagnostic {
	all := strings.Join(names, ", ")
	return diag.Diagnostic{
		Code: "front-refused", Level: diag.Warning, Position: diag.Position{File: file},
		Message: "gets no front, because its answers may depend on values that only the check has: env in omcbuild.jsonc, or --env, sets " + all,
		Hint:    "read " + all + " when a tool is called, in its handler, and take the name out of env and front.env; or set front to false",
	}
}

func variables(o Options, missing []string) diag.Diagnostic {
	all := append(slices.Clone(o.Env), missing...)
	slices.Sort(all)
	list, _ := json.Marshal(slices.Compact(all))
	return diag.Diagnostic{
		Code: "front-variables", Level: diag.Warning, Position: diag.Position{File: o.File},
		Message: "gets no front, because it asks for variables before it has listed its tools, and its answers may depend on them: " + strings.Join(missing, ", "),
		Hint:    fmt.Sprintf(`name them: "front": { "env": %s }; where one of them is set, the server is loaded at once`, list),
	}
}

// heard compares what was said in the conversations.
func heard(p *surface.Probe) (reasons []string) {
	for _, c := range append(slices.Clone(p.Conversations), p.Elsewhere.Conversation) {
		switch {
		case len(c.Record.Noise) > 0:
			return []string{"it writes lines to stdout that are no messages"}
		case len(c.Record.Requests) > 0:
			return []string{"it asks the client for " + stdio.Visible([]byte(c.Record.Requests[0].Method), 60) + " while it starts"}
		}
		for _, n := range c.Record.Notifications {
			if n.Method != "notifications/subscriptions/acknowledged" {
				return []string{"it sends " + stdio.Visible([]byte(n.Method), 60) + " while it starts"}
			}
		}
	}
	if what := p.Differs(); what != "" {
		return []string{"with another clock, user, system or folder " + what}
	}
	return letters(p.Conversations[0], p.Elsewhere.Conversation)
}

// letters compares two conversations to the letter, as far as they overlap.
func letters(here, there *surface.Conversation) []string {
	if len(here.Surface.Tools) != len(there.Surface.Tools) {
		return []string{"it does not list the same tools at each start"}
	}
	for i, tool := range here.Surface.Tools {
		if !bytes.Equal(tool.Raw, there.Surface.Tools[i].Raw) {
			return []string{fmt.Sprintf("it does not describe %.60q to the letter the same at each start", tool.Name)}
		}
	}
	if here.Surface.ServerName != there.Surface.ServerName || here.Surface.ServerVersion != there.Surface.ServerVersion ||
		here.Surface.Instructions != there.Surface.Instructions {
		return []string{"it does not introduce itself to both protocol generations in the same words"}
	}
	if here.Generation != there.Generation {
		return nil
	}
	known := map[string]string{}
	for _, e := range there.Exchanges {
		line, _ := marked(e)
		known[request(e)] = line
	}
	for _, e := range here.Exchanges {
		line, _ := marked(e)
		if other, both := known[request(e)]; both && line != other && e.Method != "tools/call" {
			return []string{"it does not answer " + e.Method + " to the letter the same at each start"}
		}
	}
	return nil
}

// request is a request without its id.
func request(e surface.Exchange) string {
	before, _, after, _ := stdio.AroundID(e.Request)
	return string(before) + string(after)
}

// looked says at what the server looked that its answers may depend on.
func looked(sights []surface.Sight) (reasons []string) {
	for _, s := range sights {
		switch s.Kind {
		case surface.SawVariables:
			reasons = append(reasons, "it goes through the variables of the environment")
		case surface.SawFile:
			reasons = append(reasons, "it reads "+s.What)
		case surface.SawExistence:
			reasons = append(reasons, "it looks for "+s.What)
		case surface.SawProgram:
			reasons = append(reasons, "it starts "+s.What)
		case surface.SawThread:
			reasons = append(reasons, "it starts a thread")
		case surface.SawNative:
			reasons = append(reasons, "it loads compiled code: "+s.What)
		case surface.SawNetwork:
			reasons = append(reasons, "it uses the network")
		case surface.SawDatabase:
			reasons = append(reasons, "it opens a database")
		case surface.SawModule:
			reasons = append(reasons, "it asks for "+s.What+", which the bundle does not hold")
		case surface.SawStdin:
			reasons = append(reasons, "it reads its input without process.stdin")
		case surface.SawVersion:
			reasons = append(reasons, "it asks whether Node has "+s.What)
		case surface.SawTooMuch:
			reasons = append(reasons, "it looks at more than is written down here")
		}
	}
	return reasons
}

// undeclared are the variables that the server asked for and that front.env does not
// name. Those of every environment are left out: they were others elsewhere.
func undeclared(sights []surface.Sight, o Options) (names []string) {
	for _, s := range sights {
		if s.Kind == surface.SawVariable && s.What != Switch && !surface.Ambient(s.What) && !slices.Contains(o.Env, s.What) {
			names = append(names, s.What)
		}
	}
	slices.Sort(names)
	return names
}
