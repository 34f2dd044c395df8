//go:build unix

package process

import "io/fs"

func endings(string) []string { return []string{""} }

func mayRun(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }
