package agent

import (
	"strings"
	"time"
)

// A host that boots accepts SSH connections before systemd's bus answers, and one that shuts down still does after.
const (
	busWithin = time.Minute
	busEvery  = time.Second
)

// withBus runs one of systemd's programs, once the bus answers.
func (x *execution) withBus(argv ...string) error {
	said := false
	return awaitBus(busEvery, time.Now().Add(busWithin), func() {
		if !said {
			said = true
			x.wait("systemd", "systemd, which does not answer yet")
		}
	}, func() error {
		_, err := x.a.systemctl(argv...)
		return err
	})
}

// awaitBus calls run until it fails for another reason than a missing bus, or the time is up. It calls waits before each further attempt.
func awaitBus(every time.Duration, until time.Time, waits func(), run func() error) error {
	for {
		err := run()
		if err == nil || !noBus(err) || !time.Now().Before(until) {
			return err
		}
		waits()
		time.Sleep(every)
	}
}

// noBus reports whether one of systemd's programs could not reach systemd, in the words of systemd 252 to 257.
func noBus(err error) bool {
	text := err.Error()
	return strings.Contains(text, "Failed to connect to bus") || strings.Contains(text, "Failed to connect to system scope bus")
}
