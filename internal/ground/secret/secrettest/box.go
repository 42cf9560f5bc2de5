// Package secrettest makes boxes for tests.
package secrettest

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Box returns a box with a new key.
func Box(t testing.TB) *secret.Box {
	t.Helper()
	key, err := secret.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	box, err := secret.NewBox(key)
	if err != nil {
		t.Fatal(err)
	}
	return box
}
