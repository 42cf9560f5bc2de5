package agent

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A restore is explained by the engine's age only where what was dumped is of a version that may have more.
func TestVersionsOfEngines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		engine, dump, here string
		newer              bool
	}{
		{wire.EnginePostgres, "-- Dumped from database version 17.6 (Debian 17.6-0+deb13u1)\n", "15.14 (Debian 15.14-0+deb12u1)", true},
		{wire.EnginePostgres, "-- Dumped from database version 15.14\n", "15.2", false},
		{wire.EnginePostgres, "-- Dumped from database version 15.14\n", "17.6", false},
		{wire.EnginePostgres, "-- Dumped from database version 18beta1\n", "17.6", false},
		{wire.EngineMariaDB, "-- MariaDB dump 10.19\n-- Server version\t11.8.3-MariaDB-0+deb13u1 from Debian\n", "10.11.14-MariaDB-0+deb12u2", true},
		{wire.EngineMariaDB, "-- Server version\t10.11.14-MariaDB\n", "10.6.22-MariaDB", true},
		{wire.EngineMariaDB, "-- Server version\t10.11.14-MariaDB\n", "10.11.6-MariaDB", false},
		{wire.EngineMySQL, "-- Server version\t8.4.6\n", "8.0.43", true},
		{wire.EngineMySQL, "-- Server version\t8.4.6\n", "of another kind", false},
		{wire.EngineMySQL, "INSERT INTO t VALUES ('-- Server version\t9.9.9');\n", "8.0.43", false},
	} {
		dumped, here := versionIn(dumpedFrom.FindStringSubmatch(c.dump)), versionIn(versionNumber.FindStringSubmatch(c.here))
		if got := dumped.newerThan(here, c.engine); got != c.newer {
			t.Errorf("%q is newer than %q: %v", c.dump, c.here, got)
		}
	}
}
