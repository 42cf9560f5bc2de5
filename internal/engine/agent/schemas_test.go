package agent

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// schemas is how many generated schemas of each engine are dumped and restored; HOSTLER_SCHEMAS is another number, and HOSTLER_SCHEMA_SEED the first seed.
const schemas = 3

// Generated schemas with objects of every kind, odd names, modes, collations and sizes are dumped, proven and restored as a copy that is the same.
func TestGeneratedSchemasComeBack(t *testing.T) {
	t.Parallel()
	number := func(name string, otherwise uint64) uint64 {
		if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			return n
		}
		return otherwise
	}
	first := number("HOSTLER_SCHEMA_SEED", uint64(time.Now().Unix()))
	for _, engine := range []string{anyMySQL, wire.EnginePostgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			for seed := first; seed < first+number("HOSTLER_SCHEMAS", schemas); seed++ {
				t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
					s := newShelf(t, engine, "made_"+randomHex(3))
					s.hidden = ", hidden"
					g := &schema{Rand: rand.New(rand.NewPCG(seed, 5)), s: s}
					text := g.maria()
					describe := s.describeMaria
					if engine == wire.EnginePostgres {
						text, describe = g.postgres(), s.describePostgres
					}
					s.sql(s.db, text)
					want := describe(s.db)
					_, object := s.backup()
					s.restore(object, "", true)
					other := s.other()
					s.restore(object, other, false)
					if diff := cmp.Diff(want, describe(other)); diff != "" {
						t.Errorf("the copy differs (-want +got):\n%s\nHOSTLER_SCHEMA_SEED=%d of\n%s", diff, seed, text)
					}
					if diff := cmp.Diff(want, describe(s.db)); diff != "" {
						t.Errorf("the live database differs:\n%s", diff)
					}
				})
			}
		})
	}
}

// Two tables whose names differ in the case of their letters alone are two, and each has its own columns.
func TestTablesThatDifferInCaseComeBack(t *testing.T) {
	t.Parallel()
	s := newShelf(t, anyMySQL, "cased_"+randomHex(3))
	s.sql(s.db, "CREATE TABLE Users (a INT); INSERT INTO Users VALUES (1); CREATE TABLE users (a INT, b INT, c INT); INSERT INTO users VALUES (1, 2, 3), "+
		"(4, 5, 6); SELECT 1")
	_, object := s.backup()
	s.restore(object, "", true)
	other := s.other()
	s.restore(object, other, false)
	if got := s.sql(other, "SELECT (SELECT COUNT(*) FROM Users), (SELECT COUNT(*) FROM users), (SELECT SUM(c) FROM users)"); strings.TrimSpace(got) != "1\t2\t9" {
		t.Errorf("the copy has %q", got)
	}
}

// schema makes the text of a schema.
type schema struct {
	*rand.Rand
	s *shelf
	n int
}

func (g *schema) one(of ...string) string { return of[g.IntN(len(of))] }

// name returns a quoted name that is not used yet.
func (g *schema) name() string {
	g.n++
	odd := g.one("plain", "order", "select", "a-b", "with space", "ünï", "dot.name", "UPPER", "100%s", "semi;colon", "-- dash", "o'clock", "$1",
		"/*!50001", "tick`s",
		`two"quotes`, `back\slash`, "日本", "#hash", strings.Repeat("x", 55))
	return g.s.quoted(odd + strconv.Itoa(g.n))
}

// literal returns a text of SQL that no mode reads otherwise.
func (g *schema) literal() string {
	return "'" + strings.ReplaceAll(g.one("", "a", "it's", "x;y", "-- no", "/* no */", "a\nb", "ünï", "%s $1", "DELIMITER ;;", "`t`", `"t"`), "'", "''") + "'"
}

func (g *schema) some(make func()) {
	for range 1 + g.IntN(3) {
		make()
	}
}

func (g *schema) maria() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	theirs := g.s.engine == wire.EngineMySQL // what MariaDB alone has is left out
	collation := func() string {
		return g.one("utf8mb4_unicode_ci", "utf8mb4_bin", "utf8mb4_general_ci", map[bool]string{false: "utf8mb4_uca1400_ai_ci", true: "utf8mb4_0900_ai_ci"}[theirs],
			"latin1_swedish_ci", "latin1_bin", "utf8mb3_general_ci", "ucs2_general_ci")
	}
	current := ""
	mode := func() {
		current = g.one("", "STRICT_TRANS_TABLES,NO_ZERO_DATE", "ANSI_QUOTES,PIPES_AS_CONCAT", "NO_BACKSLASH_ESCAPES", "TRADITIONAL", "HIGH_NOT_PRECEDENCE",
			"PAD_CHAR_TO_FULL_LENGTH,NO_AUTO_VALUE_ON_ZERO", "IGNORE_SPACE")
		if theirs && current == "HIGH_NOT_PRECEDENCE" { // in which MySQL can't read ON COMPLETION NOT PRESERVE, and writes that of each event
			current = ""
		}
		line("SET sql_mode = '%s';", current)
	}
	line("SET NAMES utf8mb4;\nALTER DATABASE %s COLLATE %s;", g.s.quoted(g.s.db), collation())
	var tables, relations []string
	table := func() {
		mode()
		table := g.name()
		engine := g.one("InnoDB", "InnoDB", "InnoDB", "Aria", "MyISAM")
		if theirs && engine == "Aria" {
			engine = "InnoDB"
		}
		text := "CREATE TABLE " + table + " (id INT AUTO_INCREMENT PRIMARY KEY COMMENT " + g.literal()
		var columns []string
		g.some(func() {
			column := g.name()
			columns = append(columns, column)
			kind := g.one("VARCHAR(40) COLLATE "+collation(), "TEXT COLLATE "+collation(), "LONGTEXT", "LONGBLOB", "VARBINARY(60)", "JSON", "UUID", "INET6",
				"BIT(9)", "DECIMAL(20,6)", "DOUBLE",
				"BIGINT UNSIGNED", "DATE", "DATETIME(6)", "TIMESTAMP NULL", "TIME(3)", "YEAR", "POINT DEFAULT (ST_PointFromText('POINT(1 -2)'))",
				"ENUM('a','b''c','')", "SET('x','y z')")
			if theirs {
				kind = strings.NewReplacer("UUID", "BINARY(16)", "INET6", "VARBINARY(16)", "JSON", "JSON DEFAULT (JSON_ARRAY('a''b'))").Replace(kind)
			}
			if strings.HasPrefix(kind, "POINT") || theirs && strings.HasPrefix(kind, "JSON") { // takes no other value
				columns = columns[:len(columns)-1]
			}
			text += ", " + column + " " + kind
		})
		text += ", n INT DEFAULT (1 + 1), twice INT GENERATED ALWAYS AS (n * 2) " + g.one("VIRTUAL", "STORED") +
			", hidden INT DEFAULT 3 INVISIBLE, label VARCHAR(99) COLLATE " + collation() +
			" DEFAULT " + g.one("'x'", "'it''s'", "NULL") + ", CHECK (n > -5), KEY " + g.name() + " (label(10), n)"
		if len(tables) > 0 && engine == "InnoDB" && g.IntN(2) == 0 {
			text += ", parent INT, CONSTRAINT " + g.name() + " FOREIGN KEY (parent) REFERENCES " + tables[g.IntN(len(tables))] + " (id) ON DELETE " +
				g.one("CASCADE", "SET NULL")
		}
		text += ") ENGINE=" + engine + " COLLATE=" + collation() + " COMMENT=" + g.literal()
		partitioned := !strings.Contains(text, "FOREIGN KEY") && g.IntN(4) == 0 && !strings.Contains(text, " POINT") && !(theirs && engine != "InnoDB")
		if partitioned {
			text += " PARTITION BY HASH (id) PARTITIONS 3"
		}
		line("%s;", text)
		g.some(func() { line("INSERT INTO %s (n, label) VALUES (%d, 'a'), (NULL, NULL), (7, '');", table, g.IntN(99)) })
		if g.IntN(5) == 0 {
			line("SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; INSERT INTO %s (id, label) VALUES (0, 'zero');", table)
		}
		for _, column := range columns { // a value that the column does not take is left out
			line("SET sql_mode = ''; UPDATE IGNORE %s SET %s = %s WHERE id = 1;", table, column,
				g.one("NULL", "x'00ff0d0a275c'", "'0'", "REPEAT('x', 100000)", "'0000-00-00'", "'2026-02-28 03:04:05.678'"))
		}
		relations = append(relations, table)
		if engine == "InnoDB" && !partitioned {
			tables = append(tables, table)
		}
	}
	table()
	g.some(table)
	g.some(func() {
		mode()
		view := g.name()
		line("CREATE %s VIEW %s AS SELECT id, n, label AS %s FROM %s;", g.one("", "ALGORITHM=TEMPTABLE SQL SECURITY INVOKER"), view, g.name(),
			relations[g.IntN(len(relations))])
	})
	last := g.name()
	line("CREATE VIEW %s AS SELECT COUNT(*) AS n, %s AS t FROM %s;", last, g.literal(), relations[g.IntN(len(relations))])
	line("CREATE VIEW %s AS SELECT n + 1 AS n FROM %s;", g.name(), last)
	if !theirs {
		line("CREATE SEQUENCE %s START WITH 5 INCREMENT BY 3; SELECT 1;", g.name())
	}
	event := func() string { return strings.ReplaceAll(g.literal(), ";;", "//") } // myEndless says why
	remark := func(text string) string {
		if current == "NO_BACKSLASH_ESCAPES" { // here MariaDB's own SHOW CREATE writes a new line in a comment as two characters, which docs/backups.md says
			return strings.ReplaceAll(text, "\n", " ")
		}
		return text
	}
	line("DELIMITER ;;")
	g.some(func() {
		mode()
		line(";;CREATE PROCEDURE %s(IN a VARCHAR(20) CHARSET latin1, OUT b INT) COMMENT %s BEGIN -- a comment; of a line\n SELECT COUNT(*) INTO b FROM %s; "+
			"END;;", g.name(), remark(g.literal()), relations[0])
		line("CREATE FUNCTION %s(a INT) RETURNS VARCHAR(30) CHARSET utf8mb4 DETERMINISTIC RETURN CONCAT(a, %s);;", g.name(), g.literal())
		line("CREATE EVENT %s ON SCHEDULE EVERY 1 YEAR STARTS '2030-01-01 03:00:00' %s COMMENT %s DO BEGIN SET @x = %s; END;;", g.name(),
			g.one("ENABLE", "DISABLE"), remark(event()), event())
		line("CREATE TRIGGER %s %s ON %s FOR EACH ROW BEGIN SET @y = %s; END;;", g.name(), g.one("BEFORE INSERT", "AFTER UPDATE", "BEFORE DELETE"),
			relations[g.IntN(len(relations))], g.literal())
	})
	line("DELIMITER ;")
	return b.String()
}

// describeMaria returns what a database is, without its name.
func (s *shelf) describeMaria(db string) []string {
	out := []string{s.sql(db, "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = DATABASE();"+
		"SELECT ROUTINE_NAME, ROUTINE_TYPE, DTD_IDENTIFIER, ROUTINE_DEFINITION, SQL_MODE, ROUTINE_COMMENT, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, "+
		"DATABASE_COLLATION "+
		"FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() ORDER BY 1;"+
		"SELECT TRIGGER_NAME, EVENT_MANIPULATION, ACTION_TIMING, EVENT_OBJECT_TABLE, ACTION_STATEMENT, SQL_MODE, CHARACTER_SET_CLIENT, DATABASE_COLLATION "+
		"FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY 1;"+
		"SELECT EVENT_NAME, EVENT_DEFINITION, SQL_MODE, STARTS, INTERVAL_VALUE, STATUS, EVENT_COMMENT, TIME_ZONE, DATABASE_COLLATION "+
		"FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE() ORDER BY 1")}
	for kind, show := range map[string]string{"BASE TABLE": "TABLE", "VIEW": "VIEW", "SEQUENCE": "SEQUENCE"} {
		for name := range strings.Lines(s.sql(db,
			"SELECT HEX(TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = '"+kind+"' ORDER BY 1")) {
			quoted := s.quoted(s.sql("", "SET NAMES utf8mb4; SELECT CONVERT(x'"+strings.TrimSpace(name)+"' USING utf8mb4)"))
			if strings.Contains(name, "5C") { // --batch shows one as two
				quoted = strings.ReplaceAll(quoted, `\\`, `\`)
			}
			out = append(out, s.sql(db, "SET NAMES utf8mb4; SHOW CREATE "+show+" "+quoted))
			if kind == "BASE TABLE" {
				rows := s.sql(db, "SET NAMES utf8mb4; SELECT *"+s.hidden+" FROM "+quoted+" ORDER BY 1")
				out = append(out, fmt.Sprintf("%s %d bytes %x", quoted, len(rows), sha256.Sum256([]byte(rows))))
			}
		}
	}
	for i := range out {
		if s.engine == wire.EngineMySQL { // which says so of a column whose collation names it, once it was dumped
			out[i] = saidOfACollation.ReplaceAllString(out[i], " COLLATE")
		}
		out[i] = ofDefiner.ReplaceAllString(strings.ReplaceAll(out[i], "`"+db+"`.", ""), "")
	}
	return sorted(out)
}

var saidOfACollation = regexp.MustCompile(` CHARACTER SET \w+ COLLATE`)

// A restored object runs with the rights of the account that restored it.
var ofDefiner = regexp.MustCompile("DEFINER=`[^`]*`@`[^`]*`")

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

func (g *schema) postgres() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("SET ROLE owner_%s; SET check_function_bodies = off; SET standard_conforming_strings = on;", g.s.db)
	var tables []string
	g.some(func() {
		schema := "public"
		if g.IntN(2) == 0 {
			schema = g.name()
			line("CREATE SCHEMA %s;", schema)
		}
		enum, domain, composite := schema+"."+g.name(), schema+"."+g.name(), schema+"."+g.name()
		line("CREATE TYPE %s AS ENUM ('a', 'b''c', ''); CREATE DOMAIN %s AS text CHECK (VALUE <> %s); CREATE TYPE %s AS (x int, y text COLLATE \"C\");",
			enum, domain, "'never'", composite)
		g.some(func() {
			table := schema + "." + g.name()
			column := g.name()
			line("CREATE %s TABLE %s (id bigint GENERATED %s AS IDENTITY PRIMARY KEY, n int DEFAULT 1 + 1, twice int GENERATED ALWAYS AS (n * 2) STORED, e %s "+
				"DEFAULT 'a', d %s, c %s, "+
				"%s %s, j jsonb, a text[], r int4range, v bytea, at timestamptz DEFAULT now(), u uuid, label text COLLATE %s, CONSTRAINT %s CHECK (n > -5));",
				g.one("", "", "UNLOGGED"), table, g.one("ALWAYS", "BY DEFAULT"), enum, domain, composite, column,
				g.one("numeric(20,6)", "double precision", "inet", "interval", "point", "bit varying(9)", "xml", "tsvector", "money", "char(9)"),
				g.one("\"C\"", "\"POSIX\"", "\"default\""), g.name())
			g.some(func() {
				line("INSERT INTO %s (n, d, c, j, a, r, v, u, label) VALUES (%d, %s, ROW(1, %s), '{\"a\": [1, null, \"\\u00e9\"]}', ARRAY['x', NULL, %s], "+
					"'[1,5)', '\\x00ff0d0a275c', "+
					"'6b1f5c2e-0000-4000-8000-000000000001', repeat(%s || 'x', %s));", table, g.IntN(99), g.literal(), g.literal(), g.literal(), g.literal(),
					g.one("1", "3", "100000"))
			})
			line("CREATE INDEX ON %s USING %s; CREATE UNIQUE INDEX ON %s (md5(label), id) WHERE n > 3;", table,
				g.one("gin (j)", "btree (n DESC NULLS LAST)", "brin (at)", "hash (u)"), table)
			line("COMMENT ON TABLE %s IS %s; COMMENT ON COLUMN %s.%s IS 'it''s';", table, g.literal(), table, column)
			if len(tables) > 0 && !strings.Contains(b.String(), "UNLOGGED") {
				line("ALTER TABLE %s ADD parent bigint CONSTRAINT %s REFERENCES %s ON DELETE CASCADE DEFERRABLE;", table, g.name(), tables[g.IntN(len(tables))])
			}
			tables = append(tables, table)
			trigger := schema + "." + g.name()
			line("CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN -- a comment; of a line\n RETURN NEW; END $f$;", trigger)
			line("CREATE TRIGGER %s %s ON %s FOR EACH ROW EXECUTE FUNCTION %s();", g.name(), g.one("BEFORE INSERT", "AFTER UPDATE OF n", "BEFORE DELETE"),
				table, trigger)
			if g.IntN(2) == 0 {
				line("ALTER TABLE %s ENABLE ROW LEVEL SECURITY; CREATE POLICY %s ON %s USING (n > 0);", table, g.name(), table)
			}
			view := schema + "." + g.name()
			line("CREATE VIEW %s AS SELECT id, label AS %s, %s::text AS t FROM %s; CREATE MATERIALIZED VIEW %s AS SELECT count(*) FROM %s WITH %s DATA;", view,
				g.name(), g.literal(), table,
				schema+"."+g.name(), view, g.one("", "NO"))
			line("CREATE FUNCTION %s(a int DEFAULT 5, VARIADIC b text[] DEFAULT '{}') RETURNS SETOF text LANGUAGE sql IMMUTABLE SET search_path TO %s, public "+
				"AS $$ SELECT %s $$;", schema+"."+g.name(), schema,
				g.literal())
			line("CREATE PROCEDURE %s(INOUT a int) LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN a := a + 1; END $$;", schema+"."+g.name())
		})
		line("CREATE SEQUENCE %s START 5 INCREMENT 3 CYCLE MAXVALUE 99; ", schema+"."+g.name())
		part := schema + "." + g.name()
		line("CREATE TABLE %s (k int NOT NULL, t text) PARTITION BY LIST (k); CREATE TABLE %s PARTITION OF %s FOR VALUES IN (1, 2); CREATE TABLE %s "+
			"PARTITION OF %s DEFAULT; INSERT INTO %s VALUES (1, 'a'), (9, 'b');",
			part, schema+"."+g.name(), part, schema+"."+g.name(), part, part)
		line("CREATE AGGREGATE %s (int) (SFUNC = int4pl, STYPE = int, INITCOND = '0'); CREATE COLLATION %s (LOCALE = 'C', PROVIDER = libc);",
			schema+"."+g.name(), schema+"."+g.name())
	})
	line("ALTER DATABASE %s SET search_path TO public, \"Odd, one\"; ALTER DATABASE %[1]s SET \"DateStyle\" TO 'SQL, DMY';", g.s.db)
	return b.String()
}

var ofPgDump = regexp.MustCompile(`(?m)^(--.*|\\(un)?restrict .*)?\n`)

// describePostgres returns what a database is, without its name and owner.
func (s *shelf) describePostgres(db string) []string {
	cmd := exec.Command(pgtest.Binaries+"/pg_dump", "-h", s.argv[3], "-U", "postgres", "--no-owner", "--no-acl", db)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c statement_timeout=0 -c lock_timeout=0 -c row_security=on")
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("pg_dump: %v", err)
	}
	settings := s.sql("postgres", "SELECT c FROM pg_db_role_setting s JOIN pg_database b ON b.oid = s.setdatabase, "+
		"unnest(setconfig) c WHERE datname = '"+db+"' ORDER BY 1")
	return append(strings.Split(ofPgDump.ReplaceAllString(string(out), ""), ";\n"), settings)
}
