package dbaccount

import "slices"

// extensions are those of PostgreSQL that Hostler creates, with the package of Debian that has each, without its prefix
// postgresql-N-; "" for the engine's own. Those that read files, connect to other servers, run code of the machine, need a schema
// that no tenant writes to or change other databases are not among them.
var extensions = map[string]string{ //nolint:gochecknoglobals // a constant list
	"btree_gin": "", "btree_gist": "", "citext": "", "cube": "", "dict_int": "", "fuzzystrmatch": "", "hstore": "", "intarray": "",
	"isn": "", "lo": "", "ltree": "",
	"pg_stat_statements": "", "pg_trgm": "", "pgcrypto": "", "seg": "", "tablefunc": "", "tcn": "", "tsm_system_rows": "",
	"tsm_system_time": "", "unaccent": "",
	"uuid-ossp": "", "postgis": "postgis-3", "vector": "pgvector",
}

// Extension returns what the package of an extension of PostgreSQL is called after "postgresql-" and the version, "" for one of the
// engine's own. ok is false for an extension that Hostler does not create.
func Extension(name string) (pkg string, ok bool) {
	pkg, ok = extensions[name]
	return pkg, ok
}

// Extensions returns the names of the extensions that Hostler creates, sorted.
func Extensions() []string {
	out := make([]string, 0, len(extensions))
	for name := range extensions {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
