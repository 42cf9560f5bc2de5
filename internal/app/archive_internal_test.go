package app

import "testing"

// A password of the database never reaches a command line, wherever in the URL it is.
func TestCommandLinesHaveNoPassword(t *testing.T) {
	t.Parallel()
	for at, want := range map[string][2]string{
		"postgres://me@host/db":                                             {"postgres://me@host/db", ""},
		"postgres://me:hunter2@host:5433/db?sslmode=disable":                {"postgres://me@host:5433/db?sslmode=disable", "hunter2"},
		"postgres://host/db?user=me&password=hunter2":                       {"postgres://host/db?user=me", "hunter2"},
		"postgres://me:other@host/db?host=%2Fvar%2Frun&password=hunter%202": {"postgres://me@host/db?host=%2Fvar%2Frun", "hunter 2"},
	} {
		without, password, err := withoutPassword(at)
		if err != nil || without != want[0] || password != want[1] {
			t.Errorf("%s: %s and %q (%v), want %s and %q", at, without, password, err, want[0], want[1])
		}
	}
	for _, at := range []string{"postgres://me@host/db?sslpassword=hunter2", "postgres://me:hunter2@ho st/db"} {
		if _, _, err := withoutPassword(at); err == nil {
			t.Errorf("%s is passed on", at)
		}
	}
}
