package dbaccount_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
)

func TestVerifiers(t *testing.T) {
	t.Parallel()
	// What the server itself computes for the word "password".
	if got, want := dbaccount.Native("password"), "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19"; got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
	salt := dbaccount.Salt()
	first, again := dbaccount.Scram("password", salt), dbaccount.Scram("password", salt)
	if first != again || first == dbaccount.Scram("password", dbaccount.Salt()) {
		t.Error("a verifier does not follow from the password and its salt, or two salts are the same")
	}
}

// MySQL allows 32 characters, and names that differ only in case are names of different databases.
func TestDefiner(t *testing.T) {
	t.Parallel()
	a, b := dbaccount.Definer("shop"), dbaccount.Definer("Shop")
	if a == b || len(a) > 32 {
		t.Errorf("the definers are %s and %s", a, b)
	}
}
