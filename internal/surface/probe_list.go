package surface

import (
	"encoding/json"
	"fmt"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
)

// mostPages is how many pages of tools are read, of a server whose pages do not end.
const mostPages = 500

// list reads all pages of tools/list.
func (t *talk) list() {
	if t.failure != nil {
		return
	}
	seen := map[string]bool{}
	message := request(1, "tools/list", "", t.Generation)
	for range mostPages {
		reply := t.need(message)
		if reply == nil {
			return
		}
		if reply.Error != nil {
			t.refusedList(reply.Error)
			return
		}
		cursor, more := t.readPage(reply.Result)
		if !more {
			t.Listed, t.List, t.listedAt = true, t.since(reply), reply.At
			return
		}
		if seen[cursor] {
			t.List = t.since(reply)
			break
		}
		seen[cursor] = true
		message = request(t.id(), "tools/list", member("cursor", cursor), t.Generation)
	}
	t.Listed, t.listedAt = true, time.Now()
	t.found.Add(diag.Diagnostic{
		Code: "tools-list-loop", Level: diag.Warning,
		Message: fmt.Sprintf("the pages of tools/list do not end: after %d tools the cursor is one that has been used, or there are more than %d pages", len(t.Surface.Tools), mostPages),
		Hint:    "leave nextCursor out of the last page",
	})
}

// readPage adds the tools of one page and returns the cursor of the next.
func (t *talk) readPage(result json.RawMessage) (cursor string, more bool) {
	page := object(result)
	var tools []json.RawMessage
	raw := page["tools"]
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &tools) != nil {
		t.found.Add(listInvalid("tools is " + missingOr(raw, "not an array")))
	}
	for _, tool := range tools {
		t.Surface.Tools = append(t.Surface.Tools, ParseTool(tool))
	}
	next, present := page["nextCursor"]
	cursor, isString := stringValue(next)
	if present && !isString {
		t.found.Add(listInvalid("nextCursor is " + missingOr(next, "not a string")))
	}
	return cursor, cursor != ""
}

func listInvalid(what string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: "tools-list-invalid", Message: "the answer to tools/list loses every tool in the client: " + what,
		Hint: "answer with an array of tools and, unless it is the last page, a nextCursor string; the client shows the server as connected, without tools",
	}
}

// refusedList reports an error answer, unless the server announces no tools.
func (t *talk) refusedList(err *stdio.RPCError) {
	if t.announcesTools() {
		d := refused("tools-list-error", "tools/list", err)
		d.Hint = "the client shows the server as connected, without tools; " + d.Hint
		t.found.Add(d)
		return
	}
	t.Listed, t.listedAt = true, time.Now()
	t.found.Add(diag.Diagnostic{
		Code: "no-tools", Level: diag.Note, Message: "has no tools: it announces none and refuses tools/list",
		Hint: "a server of prompts and resources alone is fine; one with tools has to announce the tools capability",
	})
}

// announcesTools reports whether the first answer had the capability.
func (t *talk) announcesTools() bool {
	for _, e := range t.Exchanges {
		answer, ok := stdio.Parse(e.Answer)
		if !ok || e.Method != "initialize" && e.Method != "server/discover" || answer.Result == nil {
			continue
		}
		if _, announced := object(object(answer.Result)["capabilities"])["tools"]; announced {
			return true
		}
	}
	return false
}
