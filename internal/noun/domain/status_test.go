package domain

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
)

// The first domain of a site that waits for its server does not say that it is served.
func TestFirstDomainIsNotEnabledBeforeItsSite(t *testing.T) {
	t.Parallel()
	first := Specification{First: true, Primary: true}
	for phase, want := range map[ledger.Phase]string{ledger.Creating: StatusConnecting, ledger.Applied: StatusEnabled, ledger.Failed: StatusDisabled} {
		if got := statusOf(ledger.Row[Specification]{Phase: phase, Specification: first}); got != want {
			t.Errorf("phase %d: it is %s, want %s", phase, got, want)
		}
	}
}
