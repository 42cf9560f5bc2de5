//go:build !linux

package clock

import "time"

var began = time.Now()

func steady() time.Duration { return time.Since(began) }
