package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"omcbuild/internal/diag"
)

// ParseLock reads the bytes of a lock file; file is the name used in messages.
// Unknown members are refused, since they would be lost when the lock is next
// written. The error is a *diag.Failure.
func ParseLock(file string, data []byte) (Lock, error) {
	if len(data) > maxLockBytes {
		return Lock{}, brokenLock(file, data, 0, fmt.Sprintf("is larger than %d MB", maxLockBytes>>20))
	}
	var form struct {
		Server   *LockServer `json:"server"`
		Protocol *[]string   `json:"protocol"`
		Tools    *[]LockTool `json:"tools"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&form); err != nil {
		offset, reason := decodeProblem(err, decoder.InputOffset(), len(data))
		return Lock{}, brokenLock(file, data, offset, reason)
	}
	end := decoder.InputOffset()
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Lock{}, brokenLock(file, data, nextToken(data, end), "text after the end of the record")
	}
	for _, member := range []struct {
		name   string
		absent bool
	}{{"server", form.Server == nil}, {"protocol", form.Protocol == nil}, {"tools", form.Tools == nil}} {
		if member.absent {
			return Lock{}, brokenLock(file, data, 0, fmt.Sprintf("member %q is missing", member.name))
		}
	}
	return Lock{Server: *form.Server, Protocol: *form.Protocol, Tools: *form.Tools}, nil
}

// decodeProblem turns a decoding error into the byte offset it is about and a
// reason in plain words.
func decodeProblem(err error, offset int64, size int) (int64, string) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return 0, "is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return int64(size), "ends in the middle of a value"
	case errors.As(err, &syntax):
		return syntax.Offset - 1, syntax.Error()
	case errors.As(err, &kind):
		return kind.Offset - 1, fmt.Sprintf("member %q is a %s and must be another type", kind.Field, kind.Value)
	}
	return offset, trimPackage(err.Error())
}

// nextToken returns the offset of the first byte at or after offset that is no
// white space.
func nextToken(data []byte, offset int64) int64 {
	rest := bytes.TrimLeft(data[offset:], " \t\r\n")
	return int64(len(data) - len(rest))
}

// trimPackage removes the name of the package that made an error text.
func trimPackage(text string) string {
	return strings.TrimPrefix(text, "json: ")
}

func brokenLock(file string, data []byte, offset int64, reason string) error {
	line, column := lineColumn(data, offset)
	return diag.Fail(diag.Diagnostic{
		Code: "lock-broken", Position: diag.Position{File: file, Line: line, Column: column},
		Message: "not a tool lock: " + reason,
		Hint:    "restore the file from version control, or delete it and build to write a new one",
	})
}

// lineColumn returns the 1-based line and byte column of an offset.
func lineColumn(data []byte, offset int64) (line, column int) {
	before := data[:max(0, min(int(offset), len(data)))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
