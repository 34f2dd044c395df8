package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// maxLockBytes is the largest lock file that is read; the lock of a server with
// a thousand tools is a few megabytes.
const maxLockBytes = 32 << 20

// Lock is the recorded offer of a server: what is written beside the bundle, so
// that a review shows what changed for the model. It holds the parts of a Surface
// that clients and models act on; the instructions and members of a tool that
// have no place here are not part of the record.
type Lock struct {
	Server   LockServer
	Protocol []string // protocol versions, as in Surface.Protocols
	Tools    []LockTool
}

// LockServer is who the server says it is.
type LockServer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// LockTool is one tool of a lock. Description and the raw members are nil when
// the server sends none.
type LockTool struct {
	Name         string          `json:"name"`
	Description  *string         `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
}

// LockPath returns where the lock of a bundle lies: bridge/mcp-server.tools.json
// for bridge/mcp-server.cjs.
func LockPath(outfile string) string {
	if dot := strings.LastIndexByte(outfile, '.'); dot > strings.LastIndexByte(outfile, '/')+1 {
		outfile = outfile[:dot]
	}
	return outfile + ".tools.json"
}

// NewLock records a surface.
func NewLock(s Surface) Lock {
	lock := Lock{
		Server:   LockServer{Name: s.ServerName, Version: s.ServerVersion},
		Protocol: s.Protocols,
	}
	for _, tool := range s.Tools {
		lock.Tools = append(lock.Tools, LockTool{
			Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema,
			OutputSchema: tool.OutputSchema, Annotations: tool.Annotations,
		})
	}
	return lock
}

// Surface returns the recorded offer in the shape of a probed one. Each tool's
// Raw is its entry in the lock.
func (l Lock) Surface() Surface {
	s := Surface{ServerName: l.Server.Name, ServerVersion: l.Server.Version, Protocols: l.Protocol}
	for _, tool := range l.Tools {
		raw, err := tool.encode()
		if err != nil {
			raw = []byte("{}")
		}
		s.Tools = append(s.Tools, ParseTool(raw))
	}
	return s
}

// Equal reports whether two locks would be written as the same bytes.
func (l Lock) Equal(other Lock) bool {
	left, err := EncodeLock(l)
	if err != nil {
		return false
	}
	right, err := EncodeLock(other)
	return err == nil && bytes.Equal(left, right)
}

// EncodeLock writes a lock as it stands on disk: two-space JSON in registration
// order, the server's member order kept inside schemas, HTML characters as
// themselves, a newline at the end. The same lock gives the same bytes on every
// machine. The error names a tool whose schema or annotations are no JSON.
func EncodeLock(l Lock) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"server":{"name":%s,"version":%s},"protocol":[`, quote(l.Server.Name), quote(l.Server.Version))
	for i, version := range l.Protocol {
		b.WriteString(comma(i))
		b.Write(quote(version))
	}
	b.WriteString(`],"tools":[`)
	for i, tool := range l.Tools {
		text, err := tool.encode()
		if err != nil {
			return nil, fmt.Errorf("recording tool %q: %w", tool.Name, err)
		}
		b.WriteString(comma(i))
		b.Write(text)
	}
	b.WriteString("]}")
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return nil, fmt.Errorf("recording the tool surface: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// encode returns the tool as canonical JSON.
func (t LockTool) encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"name":`)
	b.Write(quote(t.Name))
	if t.Description != nil {
		b.WriteString(`,"description":`)
		b.Write(quote(*t.Description))
	}
	for _, member := range []struct {
		name string
		raw  json.RawMessage
	}{{"inputSchema", t.InputSchema}, {"outputSchema", t.OutputSchema}, {"annotations", t.Annotations}} {
		if member.raw == nil {
			continue
		}
		text, err := Canonical(member.raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", member.name, err)
		}
		fmt.Fprintf(&b, `,"%s":%s`, member.name, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func comma(index int) string {
	if index == 0 {
		return ""
	}
	return ","
}

// ReadLock reads the lock file at the slash separated path file below root. A
// missing file is an error that errors.Is(err, fs.ErrNotExist) recognises; every
// other error is a *diag.Failure that names the file and the place in it.
func ReadLock(root, file string) (Lock, error) {
	data, err := readLockFile(root, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Lock{}, fmt.Errorf("reading %s: %w", file, fs.ErrNotExist)
	case err != nil:
		return Lock{}, unreadableLock(file, err)
	}
	return ParseLock(file, data)
}

// readLockFile looks at what it opens before it does: to open a pipe in the
// place of a lock would take forever.
func readLockFile(root, file string) ([]byte, error) {
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	handle, err := project.OpenRegular(folder, file)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	return io.ReadAll(io.LimitReader(handle, maxLockBytes+1))
}

func unreadableLock(file string, err error) error {
	var path *fs.PathError
	cause := err
	if errors.As(err, &path) {
		cause = path.Err
	}
	return diag.Fail(diag.Diagnostic{
		Code: "lock-unreadable", Position: diag.Position{File: file},
		Message: fmt.Sprintf("the tool lock cannot be read: %v", cause),
		Hint:    "make the file readable, or delete it and build to write a new one",
	}).Because(err)
}
