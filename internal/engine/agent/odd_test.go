package agent

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// oddMaria and oddPostgres are databases that people have and that dumps are known to fail at, by what is odd about them. @DB is the database's name.
var oddMaria = map[string]string{
	"sequence as default": "CREATE SEQUENCE zz START 7; CREATE TABLE aa (id INT DEFAULT NEXT VALUE FOR zz PRIMARY KEY COMMENT 'nextval(`a`.`b`)', n " +
		"INT DEFAULT (NEXT VALUE FOR zz + 1), t TEXT); INSERT INTO aa (t) VALUES ('x'),('y');",
	"circular foreign keys": "CREATE TABLE a (id INT PRIMARY KEY, b INT); CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a " +
		"(id)); INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1); ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b (id);",
	"self reference": "CREATE TABLE a (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES a (id)); INSERT INTO a VALUES (2, NULL), (1, 2);",
	"next number":    "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY) AUTO_INCREMENT=5000;",
	"view of a function": "CREATE FUNCTION f(x INT) RETURNS INT DETERMINISTIC RETURN x + 1; CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a " +
		"VALUES (1); CREATE VIEW aa AS SELECT f(id) AS n FROM a;",
	"function of a view": "CREATE TABLE a (id INT PRIMARY KEY); CREATE VIEW v AS SELECT id FROM a; CREATE FUNCTION f() RETURNS INT READS SQL DATA " +
		"RETURN (SELECT COUNT(*) FROM v);",
	"triggers in order": "CREATE TABLE a (id INT PRIMARY KEY, t TEXT); DELIMITER ;;\nCREATE TRIGGER z BEFORE INSERT ON a FOR EACH ROW SET NEW.t = " +
		"CONCAT(NEW.t, 'z');;\nCREATE TRIGGER y BEFORE INSERT ON a FOR EACH ROW PRECEDES z SET NEW.t = CONCAT(NEW.t, 'y');;\nCREATE TRIGGER x BEFORE INSERT " +
		"ON a FOR EACH ROW FOLLOWS y SET NEW.t = CONCAT(NEW.t, 'x');;\nDELIMITER ;\nINSERT INTO a VALUES (1, '');",
	"trigger that refuses": "CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1); DELIMITER ;;\nCREATE TRIGGER z BEFORE INSERT ON a FOR " +
		"EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no';;\nDELIMITER ;\n",
	"engines": "CREATE TABLE m (id INT PRIMARY KEY) ENGINE=MEMORY; INSERT INTO m VALUES (1); CREATE TABLE c (id INT NOT NULL) " +
		"ENGINE=CSV; INSERT INTO c VALUES (1),(2); CREATE TABLE r (id INT PRIMARY KEY, t TEXT) ENGINE=InnoDB ROW_FORMAT=COMPRESSED; CREATE TABLE p (id INT " +
		"PRIMARY KEY) ENGINE=InnoDB PAGE_COMPRESSED=1; CREATE TABLE y (id INT PRIMARY KEY) ENGINE=MyISAM; CREATE TABLE g (id INT PRIMARY KEY) ENGINE=MERGE " +
		"UNION=(y);",
	"partitions by range": "CREATE TABLE a (id INT, d DATE, PRIMARY KEY (id, d)) PARTITION BY RANGE (YEAR(d)) SUBPARTITION BY HASH (id) " +
		"SUBPARTITIONS 2 (PARTITION p0 VALUES LESS THAN (2020), PARTITION `p max` VALUES LESS THAN MAXVALUE); INSERT INTO a VALUES (1, '2019-01-01'), (2, " +
		"'2026-01-01');",
	"indexes": "CREATE TABLE a (id INT PRIMARY KEY, t TEXT, g GEOMETRY NOT NULL, FULLTEXT KEY f (t), SPATIAL KEY s (g), KEY i (t(20)) " +
		"IGNORED, UNIQUE KEY l (t)); INSERT INTO a VALUES (1, 'hello', ST_GeomFromText('POINT(1 2)', 4326));",
	"versioned": "CREATE TABLE a (id INT PRIMARY KEY, t TEXT) WITH SYSTEM VERSIONING; INSERT INTO a VALUES (1, 'x'); UPDATE a SET t = 'y';",
	"periods": "CREATE TABLE a (id INT, s DATE, e DATE, PERIOD FOR p (s, e), UNIQUE (id, p WITHOUT OVERLAPS)); INSERT INTO a VALUES (1, " +
		"'2020-01-01', '2021-01-01');",
	"oracle mode": "SET sql_mode = ORACLE;\nDELIMITER //\nCREATE PACKAGE p AS FUNCTION f RETURN INT; END//\nCREATE PACKAGE BODY p AS " +
		"FUNCTION f RETURN INT AS BEGIN RETURN 1; END; END//\nCREATE PROCEDURE q (a OUT NUMBER) AS BEGIN a := 5; END//\nDELIMITER ;\n",
	"letters": "SET NAMES utf8mb4; CREATE TABLE `ключ`(id INT);",
	"four bytes in values": "SET NAMES utf8mb4; CREATE TABLE a (id INT PRIMARY KEY, `ключ` VARCHAR(20) DEFAULT '😀' COMMENT '😀') DEFAULT CHARSET " +
		"utf8mb4 COMMENT '😀'; INSERT INTO a (id) VALUES (1);",
	"names of 64": "CREATE TABLE `" + strings.Repeat("é", 64) + "` (`" + strings.Repeat("ü", 64) + "` INT); CREATE VIEW `" +
		strings.Repeat("ä", 64) + "` AS SELECT 1 AS `" + strings.Repeat("ö", 64) + "`;",
	"views of views": "CREATE TABLE t (id INT); CREATE VIEW a AS SELECT id FROM t; CREATE VIEW z AS SELECT * FROM a; CREATE OR REPLACE VIEW a " +
		"AS SELECT id, 1 AS one FROM t;",
	"check with a function": "CREATE TABLE a (id INT PRIMARY KEY, j JSON, CHECK (JSON_VALID(j)), CHECK (CHAR_LENGTH(j) < 5)); INSERT INTO a VALUES (1, " +
		"'1'); SET check_constraint_checks = 0; INSERT INTO a VALUES (2, '[1,2,3,4,5]');",
	"dates of no day": "SET sql_mode = ''; CREATE TABLE a (id INT PRIMARY KEY, d DATE, x TIMESTAMP, y YEAR, t TIME); INSERT INTO a VALUES (1, " +
		"'0000-00-00', '0000-00-00', 0, '-838:59:59'), (2, '2026-02-31', '2026-03-29 02:30:00', 2155, '838:59:59');",
	"orphans": "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id)); SET " +
		"foreign_key_checks = 0; INSERT INTO b VALUES (1, 99);",
	"duplicates by collation": "CREATE TABLE a (t VARCHAR(20) COLLATE utf8mb4_bin, UNIQUE (t)); INSERT INTO a VALUES ('a'), ('A'), ('ä');",
	"wide table":              "CREATE TABLE a (id INT PRIMARY KEY, " + wide() + ");INSERT INTO a (id) VALUES (1);",
	"commas and quotes":       `CREATE TABLE a (id INT PRIMARY KEY, t TEXT DEFAULT 'a''b\\c"d', e ENUM('a,b','c''d','') NOT NULL); INSERT INTO a (id, e) VALUES (1, 'a,b'), (2, ''), (3, 'c''d');`,
	"nothing at all":          "SELECT 1;",
}

// notOfMySQL are those of oddMaria whose syntax only MariaDB has. oddMySQL are MySQL's own.
var (
	notOfMySQL = []string{
		"sequence as default", "engines", "indexes", "versioned", "periods", "oracle mode", "check with a function", "commas and quotes",
	}
	oddMySQL = map[string]string{
		"engines": "CREATE TABLE m (id INT PRIMARY KEY) ENGINE=MEMORY; INSERT INTO m VALUES (1); CREATE TABLE c (id INT NOT NULL) ENGINE=CSV; INSERT INTO c " +
			"VALUES (1),(2); CREATE TABLE r (id INT PRIMARY KEY, t TEXT) ENGINE=InnoDB ROW_FORMAT=COMPRESSED; CREATE TABLE y (id INT PRIMARY KEY) ENGINE=MyISAM;",
		"indexes": "CREATE TABLE a (id INT PRIMARY KEY, t TEXT, g GEOMETRY NOT NULL SRID 4326, j JSON, FULLTEXT KEY f (t), SPATIAL KEY s (g), KEY i (t(20)) " +
			"INVISIBLE, KEY low ((LOWER(LEFT(t, 20)))), KEY many ((CAST(j->'$.tags' AS UNSIGNED ARRAY))), KEY down (id DESC)); INSERT INTO a VALUES (1, 'hello', " +
			`ST_GeomFromText('POINT(1 2)', 4326), '{"tags": [1, 2], "e": "é"}');`,
		"defaults that are expressions": "CREATE TABLE a (id BINARY(16) DEFAULT (UUID_TO_BIN(UUID())) PRIMARY KEY, j JSON DEFAULT (JSON_ARRAY('a''b')), t TEXT " +
			"DEFAULT ('it''s'), d DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)); INSERT INTO a (t) VALUES ('x'), (DEFAULT);",
		"checks that are not enforced": "CREATE TABLE a (id INT PRIMARY KEY, n INT, CONSTRAINT c CHECK (n > 5) NOT ENFORCED, CHECK (n < 9)); INSERT INTO a VALUES " +
			"(1, 1);",
		"a key that is not shown": "SET sql_generate_invisible_primary_key = ON; CREATE TABLE a (t TEXT); INSERT INTO a VALUES ('x'), ('y');",
		"generated from documents": "CREATE TABLE a (id INT PRIMARY KEY, j JSON, n VARCHAR(20) AS (j->>'$.name') STORED, KEY (n)); INSERT INTO a (id, j) VALUES (1, " +
			`'{"name": "Ada"}');`,
		"collations of MySQL 8": "ALTER DATABASE COLLATE utf8mb4_0900_as_cs; CREATE TABLE a (t VARCHAR(20), u VARCHAR(20) COLLATE utf8mb4_ja_0900_as_cs, UNIQUE (t)); " +
			"INSERT INTO a VALUES ('a', 'か'), ('A', 'が'), ('ä', '');",
		"a table value and a window": "CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES ROW(1), ROW(2); CREATE VIEW v AS WITH RECURSIVE n AS (SELECT 1 AS i " +
			"UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i, ROW_NUMBER() OVER (ORDER BY i DESC) AS r FROM n, LATERAL (SELECT i AS j) AS l;",
		"vectors": "CREATE TABLE a (id INT PRIMARY KEY, v VECTOR(3)); INSERT INTO a VALUES (1, STRING_TO_VECTOR('[1,2.5,-3]'));",
	}
)

// ofThisMySQL are the cases of the engine that is there.
func ofThisMySQL() map[string]string {
	cases := maps.Clone(oddMaria)
	if anyMySQL == wire.EngineMySQL {
		maps.DeleteFunc(cases, func(name, _ string) bool { return slices.Contains(notOfMySQL, name) })
		maps.Copy(cases, oddMySQL)
	}
	return cases
}

// wide returns the definitions of many columns.
func wide() string {
	var b []string
	for i := range 900 {
		b = append(b, "c"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+" TINYINT")
	}
	return strings.Join(b, ", ")
}

var oddPostgres = map[string]string{
	"function of a search path": "CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE FUNCTION inner1(int) RETURNS int LANGUAGE sql " +
		"IMMUTABLE AS 'SELECT $1 + 1'; CREATE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT inner1($1)'; CREATE INDEX ON t (f(id)); CREATE " +
		"MATERIALIZED VIEW m AS SELECT f(id) FROM t;",
	"generated by a function": "CREATE FUNCTION up(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT upper($1)'; CREATE FUNCTION f(text) " +
		"RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT up($1)'; CREATE TABLE t (a text, b text GENERATED ALWAYS AS (f(a)) STORED); INSERT INTO t VALUES ('x');",
	"forced row security": "CREATE TABLE t (id int); INSERT INTO t VALUES (1), (2); ALTER TABLE t ENABLE ROW LEVEL SECURITY; ALTER TABLE t " +
		"FORCE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (id = 1);",
	"large objects":        "SELECT lo_from_bytea(0, '\\x00ff'); CREATE TABLE t (o oid);",
	"read only by default": "CREATE TABLE t (id int); INSERT INTO t VALUES (1); ALTER DATABASE @DB SET default_transaction_read_only = on;",
	"no time for statements": "CREATE TABLE t (id int); INSERT INTO t SELECT generate_series(1, 1000); ALTER DATABASE @DB SET statement_timeout " +
		"= '1ms'; ALTER DATABASE @DB SET lock_timeout = '1ms'; ALTER DATABASE @DB SET row_security = off;",
	"bytes as they were": "ALTER DATABASE @DB SET bytea_output = 'escape'; ALTER DATABASE @DB SET standard_conforming_strings = off; CREATE " +
		"TABLE t (b bytea, t text); INSERT INTO t VALUES ('\\x005c27ff', E'a\\\\b');",
	"numbers and times without end": "CREATE TABLE t (a numeric, b timestamptz, c date, d interval, e float8, f time); INSERT INTO t VALUES ('NaN', " +
		"'infinity', '-infinity', '-178000000 years', '-Infinity', '24:00'), (1, '0044-03-15 BC', '4713-01-01 BC', '1 mon -1 day', 1e-300, '00:00');",
	"public is gone": "CREATE SCHEMA app; CREATE TABLE app.t (id int); INSERT INTO app.t VALUES (1); DROP SCHEMA public CASCADE;",
	"inheritance":    "CREATE TABLE a (id int); CREATE TABLE b (n int) INHERITS (a); INSERT INTO a VALUES (1); INSERT INTO b VALUES (2, 3);",
	"disabled triggers": "CREATE TABLE t (id int); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; " +
		"END'; INSERT INTO t VALUES (1); CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); ALTER TABLE t DISABLE TRIGGER g; CREATE " +
		"TRIGGER h BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); ALTER TABLE t ENABLE ALWAYS TRIGGER h;",
	"rules and loops of views": "CREATE TABLE t (id int PRIMARY KEY, n text); CREATE VIEW v AS SELECT id, n FROM t GROUP BY id; CREATE RULE r AS " +
		"ON INSERT TO t WHERE NEW.id = 5 DO INSTEAD NOTHING; INSERT INTO t VALUES (1);",
	"statistics, casts and operators": "CREATE TABLE t (a int, b int); CREATE STATISTICS s (dependencies) ON a, b FROM t; CREATE TYPE c AS (x int); " +
		"CREATE FUNCTION cf(c) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ($1).x'; CREATE CAST (c AS int) WITH FUNCTION cf(c); CREATE OPERATOR === " +
		"(LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq); CREATE TEXT SEARCH CONFIGURATION ts (COPY = simple);",
	"rights of others": "CREATE TABLE t (id int); GRANT SELECT ON t TO PUBLIC; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC; " +
		"COMMENT ON DATABASE @DB IS 'it''s';",
	"a domain over an array": "CREATE DOMAIN d AS int[] CHECK (array_length(VALUE, 1) = 2); CREATE TABLE t (a d, b d[]); INSERT INTO t VALUES " +
		"('{1,2}', NULL);",
	"a foreign key that is not valid": "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (a int); INSERT INTO b VALUES (99); ALTER TABLE b ADD " +
		"FOREIGN KEY (a) REFERENCES a NOT VALID;",
	"circular foreign keys": "CREATE TABLE a (id int PRIMARY KEY, b int); CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a); INSERT INTO a " +
		"VALUES (1, 1); INSERT INTO b VALUES (1, 1); ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b;",
	"names in capitals":      `CREATE SCHEMA "My App"; CREATE TABLE "My App"."Users" ("Id" serial PRIMARY KEY); CREATE TABLE "My App"."users" ("Id" serial PRIMARY KEY, n int); INSERT INTO "My App"."Users" DEFAULT VALUES;`,
	"no columns":             "CREATE TABLE t (); INSERT INTO t DEFAULT VALUES; INSERT INTO t DEFAULT VALUES;",
	"dropped columns":        "CREATE TABLE t (a int, b int, c int); INSERT INTO t VALUES (1, 2, 3); ALTER TABLE t DROP COLUMN b;",
	"exclusion and deferred": "CREATE TABLE t (r int4range, EXCLUDE USING gist (r WITH &&) DEFERRABLE INITIALLY DEFERRED); INSERT INTO t VALUES ('[1,2)');",
	"procedures in SQL bodies": "CREATE TABLE t (id int); CREATE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM t; END; " +
		"CREATE VIEW v AS SELECT f();",
	"nothing at all": "SELECT 1;",
}

// What people have in their databases comes back: proven, as a copy, and in its own place.
func TestOddDatabasesComeBack(t *testing.T) {
	t.Parallel()
	for engine, cases := range map[string]map[string]string{anyMySQL: ofThisMySQL(), wire.EnginePostgres: oddPostgres} {
		for name, text := range cases {
			t.Run(engine+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newShelf(t, engine, "odd_"+randomHex(3))
				describe := s.describeMaria
				if engine == wire.EnginePostgres {
					text, describe = "SET ROLE owner_"+s.db+";\n"+text, s.describePostgres
				}
				s.sql(s.db, strings.ReplaceAll(text, "@DB", s.db))
				want := describe(s.db)
				report, object := s.backup()
				if len(report.Left) > 0 {
					t.Errorf("left out: %+v", report.Left)
				}
				s.restore(object, "", true)
				other := s.other()
				s.restore(object, other, false)
				if diff := cmp.Diff(want, describe(other)); diff != "" {
					t.Errorf("the copy differs (-want +got):\n%s", diff)
				}
				s.restore(object, s.db, false)
				if diff := cmp.Diff(want, describe(s.db)); diff != "" {
					t.Errorf("the restored database differs:\n%s", diff)
				}
			})
		}
	}
}
