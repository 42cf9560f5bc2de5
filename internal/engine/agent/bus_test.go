package agent

import (
	"errors"
	"testing"
	"time"
)

// A run that begins while its host boots waits for systemd instead of failing. Other failures, and a bus that never answers, end it.
func TestRunAfterABootWaitsForSystemd(t *testing.T) {
	t.Parallel()
	missing := errors.New("exit status 1: Failed to connect to bus: No such file or directory")
	refused := errors.New("exit status 1: Failed to start transient service unit: Unit hostler-run-1.service was already loaded.")
	for name, test := range map[string]struct {
		answers []error
		within  time.Duration
		want    error
		waited  int
	}{
		"the bus comes": {[]error{missing, missing, nil}, time.Minute, nil, 2},
		"in the words of systemd 257": {[]error{errors.New("Failed to connect to system scope bus via local transport: Connection refused"), nil}, time.Minute,
			nil, 1},
		"another failure":              {[]error{refused}, time.Minute, refused, 0},
		"another failure after a wait": {[]error{missing, refused}, time.Minute, refused, 1},
		"it never comes":               {[]error{missing}, 0, missing, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, waited := 0, 0
			err := awaitBus(time.Microsecond, time.Now().Add(test.within), func() { waited++ }, func() error {
				at++
				return test.answers[at-1]
			})
			if !errors.Is(err, test.want) || waited != test.waited || at != len(test.answers) {
				t.Errorf("it ends with %v after %d waits and %d attempts", err, waited, at)
			}
		})
	}
}
