package database

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// maxTables and the others limit what is shown of a database, however much is in it.
	maxTables, maxAccounts, maxQueries, maxExtensions = 100, 100, 20, 500
	// maxQuery is the length in characters of a query's text.
	maxQuery = 2000
)

// usage is what an engine says about one of its databases.
type usage struct {
	size, tableCount int64
	tables           []usedTable
	// connections are those to the database, limit its own limit of them, if it has one. taken and most are of the whole engine.
	connections, taken, most int64
	limit                    *int64
	accounts                 []usedAccount
	// source is where the queries are from, "" if the engine does not measure them; reason says why.
	source, reason string
	queries        []slowQuery
	extensions     []extension
}

// usedTable is a table with its indexes, and its partitions. size and rows are nil if the engine does not know.
type usedTable struct {
	schema, name string
	size, rows   *int64
}

// usedAccount is an account with connections to the database. limit is how many it may have, nil for any number.
type usedAccount struct {
	name  string
	count int64
	limit *int64
}

// slowQuery is a query without its values. Times are in microseconds.
type slowQuery struct {
	text       string
	calls      int64
	mean, most int64
}

// extension is one that a database of PostgreSQL has, or could have. installed and schema are "" if it does not have it, offered if
// the server no longer has its files.
type extension struct {
	name, installed, schema, offered string
	// trusted ones can be created by the database's owner.
	trusted bool
}

// used parses what the steps of an engine's usage print: lines of words of ours, numbers, and texts in hexadecimal.
func used(kind Engine, out string) (usage, error) {
	var u usage
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			continue
		}
		f := fields{all: strings.Split(line, separator(kind))}
		switch what := f.word(); {
		case what == "size":
			u.size = f.number()
		case what == "table":
			u.tables = append(u.tables, usedTable{schema: f.name(), name: f.name(), size: f.maybe(), rows: f.maybe()})
			u.tableCount = f.number()
			if sum := f.maybe(); kind != PostgreSQL && sum != nil {
				u.size = *sum
			}
		case what == "engine":
			u.connections, u.limit, u.taken, u.most = f.number(), f.maybe(), f.number(), f.number()
		case what == "account":
			u.accounts = append(u.accounts, usedAccount{name: f.name(), count: f.number(), limit: f.maybe()})
		case what == "extension":
			e := extension{name: f.name(), installed: f.name(), schema: f.name(), offered: f.name(), trusted: f.word() == "t"}
			u.extensions = append(u.extensions, e)
		case what == "unmeasured":
			u.reason = f.name()
		case what == "measured" && u.source == "":
			u.source = f.word()
		case what == "query":
			if q := (slowQuery{text: text.Visible(f.text()), calls: f.number(), mean: f.number(), most: f.number()}); len(u.queries) < maxQueries {
				u.queries = append(u.queries, q)
			}
		case what == "measured":
		default:
			f.wrong = true
		}
		if f.wrong || len(f.all) > 0 {
			return u, fmt.Errorf("the engine answered %q", text.Clean(line, 200))
		}
	}
	if u.source != "" {
		u.reason = ""
	}
	return u, nil
}

// fields are the columns of a line that are not read yet. wrong is set once one is missing, or is not what it should be.
type fields struct {
	all   []string
	wrong bool
}

func (f *fields) word() string {
	if len(f.all) == 0 {
		f.wrong = true
		return ""
	}
	word := f.all[0]
	f.all = f.all[1:]
	return word
}

func (f *fields) text() string {
	raw, err := hex.DecodeString(f.word())
	f.wrong = f.wrong || err != nil
	return string(raw)
}

// name reads a text as one line, whatever is in it.
func (f *fields) name() string { return text.VisibleLine(f.text()) }

func (f *fields) number() int64 {
	n := f.maybe()
	if n == nil {
		f.wrong = true
		return 0
	}
	return *n
}

// maybe reads a number, which may be missing.
func (f *fields) maybe() *int64 {
	word := f.word()
	if word == "" || word == "NULL" { // as the client of MySQL writes it
		return nil
	}
	n, err := strconv.ParseInt(word, 10, 64)
	f.wrong = f.wrong || err != nil
	return &n
}

// usage returns steps that print what used parses. They wait for no lock, and give up after a while: a database of many tables,
// or one whose tables are being changed, is not slowed down.
func (m mysql) usage(d schema) []wire.Step {
	named := func(column string) string {
		return fmt.Sprintf("%s = %s AND BINARY %[1]s = %[2]s", column, m.literal(d.name.text))
	}
	// MySQL answers from a cache that is a day old otherwise; MariaDB has none.
	bounds := "SET SESSION lock_wait_timeout = 5, max_statement_time = 20"
	if m.kind == MySQL {
		bounds = "SET SESSION lock_wait_timeout = 5, max_execution_time = 20000, information_schema_stats_expiry = 0"
	}
	// One reading of the tables: for each, the engine opens it.
	tables := fmt.Sprintf(`SELECT 'table', '', HEX(TABLE_NAME), bytes, TABLE_ROWS, COUNT(*) OVER (),
  CAST(COALESCE(SUM(bytes) OVER (), 0) AS UNSIGNED)
FROM (SELECT TABLE_NAME, DATA_LENGTH + INDEX_LENGTH AS bytes, TABLE_ROWS FROM information_schema.TABLES
  WHERE %s AND TABLE_TYPE NOT IN ('VIEW', 'SYSTEM VIEW')) AS t
ORDER BY bytes DESC, TABLE_NAME LIMIT %d`, named("TABLE_SCHEMA"), maxTables)
	const clients = "FROM information_schema.PROCESSLIST p WHERE p.ID <> CONNECTION_ID() AND p.USER NOT IN ('system user', 'event_scheduler')"
	accounts := fmt.Sprintf(`SELECT 'account', HEX(p.USER), COUNT(*), NULLIF(COALESCE(NULLIF(
  (SELECT MAX(u.max_user_connections) FROM mysql.user u WHERE u.User = p.USER), 0), @@global.max_user_connections), 0)
%s AND %s GROUP BY p.USER ORDER BY COUNT(*) DESC, p.USER LIMIT %d`, clients, named("p.DB"), maxAccounts)
	const measures = "@@performance_schema AND EXISTS " +
		"(SELECT 1 FROM performance_schema.setup_consumers WHERE NAME = 'statements_digest' AND ENABLED = 'YES')"
	// The log itself has the values of queries.
	const unmeasured = `SELECT 'unmeasured', HEX(CONCAT(
  IF(@@performance_schema, 'performance_schema does not count statements.', 'performance_schema is off.'),
  IF(@@slow_query_log, CONCAT(' Queries that take longer than ', ROUND(@@long_query_time, 1), ' s are logged in ',
    IF(FIND_IN_SET('FILE', @@log_output), @@slow_query_log_file, 'mysql.slow_log'), '.'), '')))`
	measured := fmt.Sprintf(`SELECT 'query', HEX(LEFT(DIGEST_TEXT, %d)), COUNT_STAR,
  AVG_TIMER_WAIT DIV 1000000, MAX_TIMER_WAIT DIV 1000000
FROM performance_schema.events_statements_summary_by_digest
WHERE %s AND COUNT_STAR > 0 AND DIGEST_TEXT REGEXP '^[( ]*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VALUES|TABLE|CALL)[( ]'
ORDER BY AVG_TIMER_WAIT DESC LIMIT %d`, maxQuery, named("SCHEMA_NAME"), maxQueries)
	return []wire.Step{{Name: "usage of " + d.name.text, Exec: m.run(
		bounds, tables, fmt.Sprintf("SELECT 'engine', COALESCE(SUM(%s), 0), NULL, COUNT(*), @@max_connections %s", named("p.DB"), clients),
		accounts,
		m.when("NOT ("+measures+")", unmeasured), m.when(measures, "SELECT 'measured', 'performance_schema'"), m.when(measures, measured),
	)}}
}

// usage returns such steps. What a table takes includes its indexes and what is stored out of line. Asking for that waits for
// whoever changes the table, and even for whoever waits to change it, so for those tables it is what is known of their pages.
func (p postgres) usage(d schema) []wire.Step {
	bounds := []string{"SET lock_timeout = '5s'", "SET statement_timeout = '20s'"}
	hex := func(column string) string { return "encode(convert_to(" + column + ", 'UTF8'), 'hex')" }
	name := p.literal(d.name.text)
	tables := fmt.Sprintf(`WITH locked AS MATERIALIZED (
  SELECT COALESCE(i.indrelid, l.relation) AS oid FROM pg_locks l LEFT JOIN pg_index i ON i.indexrelid = l.relation
  WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
), files AS (
  SELECT COALESCE(pg_partition_root(c.oid), c.oid) AS root, c.relkind <> 'p' AS stored,
    CASE WHEN c.reltuples > 0 THEN c.reltuples ELSE pg_stat_get_live_tuples(c.oid) END AS live,
    CASE WHEN c.relkind = 'p' THEN 0
      WHEN c.oid IN (SELECT oid FROM locked) OR c.reltoastrelid IN (SELECT oid FROM locked) THEN current_setting('block_size')::bigint * (
        SELECT sum(x.relpages)::bigint FROM pg_class x WHERE x.oid IN (c.oid, c.reltoastrelid)
          OR x.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (c.oid, c.reltoastrelid)))
      ELSE pg_total_relation_size(c.oid) END AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'm', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
)
SELECT 'table', %s, %s, t.bytes, t.live, count(*) OVER (), NULL
FROM (SELECT root, sum(bytes)::bigint AS bytes, COALESCE(sum(live) FILTER (WHERE stored), 0)::bigint AS live FROM files GROUP BY root) t
JOIN pg_class c ON c.oid = t.root JOIN pg_namespace n ON n.oid = c.relnamespace
ORDER BY t.bytes DESC NULLS LAST, n.nspname, c.relname LIMIT %d`, hex("n.nspname"), hex("c.relname"), maxTables)
	extensions := fmt.Sprintf(`SELECT 'extension', %s, %s, %s, %s, COALESCE(a.trusted, false)
FROM (SELECT x.extname, x.extversion, n.nspname FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace) e
FULL JOIN (SELECT x.name, x.default_version, v.trusted FROM pg_available_extensions x
  JOIN pg_available_extension_versions v ON v.name = x.name AND v.version = x.default_version) a ON a.name = e.extname
ORDER BY e.extname IS NULL, COALESCE(e.extname, a.name) LIMIT %d`, hex("COALESCE(e.extname, a.name)"), hex("COALESCE(e.extversion, '')"),
		hex("COALESCE(e.nspname, '')"), hex("COALESCE(a.default_version, '')"), maxExtensions)
	const clients = "a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()"
	engine := fmt.Sprintf(`SELECT 'engine', count(*) FILTER (WHERE a.datname = %s),
  (SELECT NULLIF(datconnlimit, -1) FROM pg_database WHERE datname = %[1]s), count(*), current_setting('max_connections')
FROM pg_stat_activity a WHERE `+clients, name)
	accounts := fmt.Sprintf(`SELECT 'account', %s, count(*), NULLIF(max(r.rolconnlimit), -1)
FROM pg_stat_activity a JOIN pg_roles r ON r.oid = a.usesysid WHERE `+clients+` AND a.datname = %s
GROUP BY r.rolname ORDER BY 3 DESC, r.rolname LIMIT %d`, hex("r.rolname"), name, maxAccounts)
	const loaded = "',' || replace(current_setting('shared_preload_libraries'), ' ', '') || ',' LIKE '%,pg_stat_statements,%'"
	unmeasured := "SELECT 'unmeasured', " + hex(`CASE WHEN `+loaded+`
  THEN 'pg_stat_statements is loaded, but neither the database nor postgres has the extension.'
  ELSE 'pg_stat_statements is not loaded.' END`)
	// The view is not found by its name alone: a tenant may have another one of that name. A schema with a name that psql could
	// take for anything else is left out.
	const library = `FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_stat_statements' AND n.nspname ~ '^[a-z_][a-z0-9_]*$' AND ` + loaded
	// Statements that define something are left out, because their values are recorded: ALTER ROLE … PASSWORD is one. So is what
	// the administrator ran.
	columns := fmt.Sprintf(`SELECT 'query', %s, sum(calls)::bigint, (sum(total_exec_time) * 1000 / sum(calls))::bigint,
  (max(max_exec_time) * 1000)::bigint FROM `, hex(fmt.Sprintf("left(query, %d)", maxQuery)))
	rows := fmt.Sprintf(`.pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = %s) AND userid <> 10 AND calls > 0
AND query ~* '^([[:space:](]|/\*.*?\*/|--[^\n]*\n)*(select|insert|update|delete|merge|with|values|table)\y'
GROUP BY query ORDER BY 4 DESC LIMIT %d`, name, maxQueries)
	statements := "SELECT " + p.literal("SELECT 'measured', 'pg_stat_statements'") + " " + library + " \\gexec\n" +
		"SELECT " + p.literal(columns) + " || n.nspname || " + p.literal(rows) + "\n" + library + " \\gexec\nSELECT WHERE false"
	return []wire.Step{
		{Name: "usage of " + d.name.text, Exec: p.run(d.name.text, append(bounds, tables, extensions, statements)...)},
		{Name: "connections to " + d.name.text, Exec: p.global(
			append(bounds, "SELECT 'size', pg_database_size("+name+")", engine, accounts, unmeasured, statements)...)},
	}
}
