//go:build !unix

package app

import "io/fs"

// owned reports whether the process owns a file. Modes and owners exist only on Unix.
func owned(fs.FileInfo) bool { return true }
