package agent

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// dumpedFrom is how pg_dump, mariadb-dump and mysqldump say at the beginning which version of the engine they read, and versionNumber how an engine says its
// own.
var (
	dumpedFrom    = regexp.MustCompile(`(?m)^-- (?:Dumped from database version |Server version\t)(\d{1,3})\.(\d{1,3})`)
	versionNumber = regexp.MustCompile(`^(\d{1,3})\.(\d{1,3})`)
)

// engineVersion is the first two numbers of an engine's version; a zero is unknown.
type engineVersion [2]int

func versionIn(m []string) (v engineVersion) {
	for i, number := range m[min(len(m), 1):] {
		v[i], _ = strconv.Atoi(number)
	}
	return v
}

func (v engineVersion) String() string { return fmt.Sprintf("%d.%d", v[0], v[1]) }

// newerThan reports whether a version may have what another does not have. PostgreSQL's second number is that of repairs only.
func (v engineVersion) newerThan(o engineVersion, engine string) bool {
	n := len(v)
	if engine == wire.EnginePostgres {
		n = 1
	}
	return o[0] > 0 && slices.Compare(v[:n], o[:n]) > 0
}

// beginning keeps the first bytes that are written to it.
type beginning struct{ text []byte }

// maxBeginning is more than what precedes the versions in a dump: the settings of a database of PostgreSQL.
const maxBeginning = 64 << 10

func (b *beginning) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), maxBeginning-len(b.text))]...)
	return len(p), nil
}

// version asks the engine of the server for its own.
func (d *database) version(ctx context.Context) (engineVersion, error) {
	query := "SELECT VERSION();\n"
	if d.engine == wire.EnginePostgres {
		query = "SHOW server_version;\n"
	}
	out, err := d.ask(ctx, "", query)
	return versionIn(versionNumber.FindStringSubmatch(out)), err
}

// olderError explains a restore that failed where the engine is older than the one that was dumped.
func (r *restoration) olderError(err error) error {
	name := map[string]string{wire.EnginePostgres: "PostgreSQL", wire.EngineMySQL: "MySQL", wire.EngineMariaDB: "MariaDB"}[r.d.engine]
	return fmt.Errorf("%w. The backup is of %s %s, and this server has %s, which is older and may not have all that is in it: what it refused is in the output. "+
		"Restore it on a server with %s %d or newer", err, name, r.dumped, r.here, name, r.dumped[0])
}
