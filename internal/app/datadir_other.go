//go:build !unix

package app

import "io/fs"

// owned reports whether the process owns a file: modes and owners are Unix's.
func owned(fs.FileInfo) bool { return true }
