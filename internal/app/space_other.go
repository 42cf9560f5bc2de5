//go:build !unix

package app

import "math"

// space is unknown on this system.
func space(string) (free, size int64, err error) { return math.MaxInt64, math.MaxInt64, nil }
