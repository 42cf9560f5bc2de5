package value_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// A zone in small letters is the one that it can only be.
func TestZonesInSmallLetters(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"europe/berlin": "Europe/Berlin", "america/argentina/buenos_aires": "America/Argentina/Buenos_Aires",
		"UTC": "UTC"} {
		if z, err := value.ParseTimezone(given); err != nil || z.String() != want {
			t.Errorf("%s is %s, %v", given, z, err)
		}
	}
	for _, given := range []string{"europe/nowhere", "EUROPE/BERLIN", "posix/europe/berlin", "right/utc", "../etc"} {
		if z, err := value.ParseTimezone(given); err == nil {
			t.Errorf("%s is %s", given, z)
		}
	}
}
