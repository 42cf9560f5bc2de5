package agent

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

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
	"commas and quotes": `CREATE TABLE a (id INT PRIMARY KEY, t TEXT DEFAULT 'a''b\\c"d', ` +
		`e ENUM('a,b','c''d','') NOT NULL); INSERT INTO a (id, e) VALUES (1, 'a,b'), (2, ''), (3, 'c''d');`,
	"views that check": "CREATE TABLE a (id INT PRIMARY KEY, n INT); CREATE VIEW v AS SELECT * FROM a WHERE n > 1 WITH CASCADED CHECK OPTION; CREATE SQL " +
		"SECURITY INVOKER VIEW w AS SELECT * FROM v WHERE id > 1 WITH LOCAL CHECK OPTION;",
	"generated columns": "CREATE TABLE line (id INT AUTO_INCREMENT PRIMARY KEY, price DOUBLE(8,2), qty INT, total DOUBLE(8,2) AS " +
		"(ROUND(price * qty, 2)) STORED, pair VARCHAR(50) AS (CONCAT(price, ' to ', qty)) VIRTUAL, j JSON, city " +
		"VARCHAR(50) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.city'))) VIRTUAL, KEY k (pair), UNIQUE KEY c " +
		"(city));\nINSERT INTO line (price, qty, j) VALUES (1.5, 3, '{\"city\":\"Köln\"}'), (2, NULL, " +
		"'{\"city\":\"a\\\\\"b\"}');",
	"generated and invisible": "CREATE TABLE user_roles (id INT PRIMARY KEY, a INT, scope_key VARCHAR(20) GENERATED ALWAYS AS (CONCAT('s', " +
		"a)) STORED INVISIBLE, hidden INT INVISIBLE DEFAULT 7, UNIQUE (scope_key));\nINSERT INTO user_roles (id, a) " +
		"VALUES (1, 2); INSERT INTO user_roles (id, a, hidden) VALUES (2, 3, 99);",
	"numbers and bits": "CREATE TABLE n (id INT PRIMARY KEY, f FLOAT, d DOUBLE, m DECIMAL(65,30), b BIT(64), o BIT(1) DEFAULT b'1', " +
		"x BINARY(16), v VARBINARY(20), u UUID, i INET6, t TINYINT(1) ZEROFILL, y YEAR);\nINSERT INTO n " +
		"(id,f,d,m,b,x,v,u,i,t,y) VALUES (1, 0.1, 1.7976931348623157e308, " +
		"12345678901234567890123456789012345.123456789012345678901234567891, " +
		"b'1111000011110000111100001111000011110000111100001111000011110000', x'00', x'00ff0a0d1a275c', " +
		"'123e4567-e89b-12d3-a456-426655440000', '::1', 7, 1901), (2, -3.402823e38, 5e-324, 0, 0, " +
		"x'ffffffffffffffffffffffffffffffff', '', NULL, NULL, 0, 0000);",
	"numbers below one": "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, t TEXT); INSERT " +
		"INTO a VALUES (0, 'zero'), (-5, 'minus'), (3, 'three'); CREATE TABLE b (id BIGINT UNSIGNED AUTO_INCREMENT " +
		"PRIMARY KEY); INSERT INTO b VALUES (18446744073709551614);",
	"expressions as defaults": "CREATE TABLE a (id CHAR(36) DEFAULT (UUID()) PRIMARY KEY, t DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON " +
		"UPDATE CURRENT_TIMESTAMP(6), s TEXT DEFAULT CONCAT('a', \"it's\", '\\\\'), b BLOB DEFAULT x'00ff', j JSON " +
		"DEFAULT '{}', d DATE DEFAULT (CURRENT_DATE + INTERVAL 1 YEAR), n INT DEFAULT (1 + 2 * 3), ts TIMESTAMP " +
		"NULL DEFAULT NULL, e ENUM('a','b') DEFAULT 'b', st SET('x','y z') DEFAULT 'x');",
	"columns of other character sets": "SET NAMES utf8mb4; CREATE TABLE a (id INT PRIMARY KEY, l VARCHAR(20) CHARSET latin1, c VARCHAR(20) CHARSET " +
		"cp1251, u VARCHAR(20) CHARSET ucs2, w VARCHAR(20) CHARSET utf16, g VARCHAR(20) CHARSET gbk, j VARCHAR(20) " +
		"CHARSET sjis, k VARCHAR(20) CHARSET utf8mb4 COLLATE utf8mb4_uca1400_as_cs, e VARCHAR(20) CHARSET utf8mb3) " +
		"DEFAULT CHARSET latin1 COLLATE latin1_german2_ci COMMENT 'Grüße ключ';\nINSERT INTO a VALUES (1, 'Grüße €', " +
		"'ключ', 'ключ日', '😀日', '中文\\\\', '日本ー', '😀', 'ü'); CREATE TABLE b (x VARCHAR(10) CHARSET latin1) DEFAULT " +
		"CHARSET latin1; INSERT INTO b VALUES (_binary x'8081e4f6fc');",
	"foreign keys of several columns": "CREATE TABLE p (a INT, b INT, t VARCHAR(100), PRIMARY KEY (b, a), UNIQUE KEY (t)); CREATE TABLE `order` " +
		"(id INT PRIMARY KEY, `group` INT, `key` INT, t VARCHAR(100), CONSTRAINT `fk - 1;` FOREIGN KEY (`key`, " +
		"`group`) REFERENCES p (b, a) ON DELETE SET NULL ON UPDATE CASCADE, CONSTRAINT t FOREIGN KEY (t) REFERENCES " +
		"p (t) ON DELETE NO ACTION); INSERT INTO p VALUES (1, 2, 'x'); INSERT INTO `order` VALUES (1, 1, 2, 'x'), " +
		"(2, NULL, NULL, NULL);",
	"partitions by list": "CREATE TABLE a (id INT, c VARCHAR(10), d DATETIME) PARTITION BY LIST COLUMNS (c) (PARTITION de VALUES IN " +
		"('de', 'at'), PARTITION `other;` VALUES IN (NULL, ''), PARTITION rest DEFAULT); INSERT INTO a VALUES (1, " +
		"'de', NOW()), (2, NULL, NULL), (3, 'xx', '2020-02-02'); CREATE TABLE k (id INT PRIMARY KEY) PARTITION BY " +
		"KEY () PARTITIONS 5; INSERT INTO k VALUES (1), (2); CREATE TABLE r (id INT, t TIMESTAMP NOT NULL, KEY (t " +
		"DESC)) PARTITION BY RANGE (UNIX_TIMESTAMP(t)) (PARTITION p1 VALUES LESS THAN (1577836800), PARTITION p2 " +
		"VALUES LESS THAN MAXVALUE); INSERT INTO r VALUES (1, '2019-12-31 23:59:59'), (2, '2020-01-01 00:00:01');",
	"a text of ten million quotes": "CREATE TABLE a (id INT PRIMARY KEY, t LONGTEXT); SET @s = REPEAT(\"'\\\\\", 1000000); INSERT INTO a VALUES (1, " +
		"CONCAT(@s, @s, @s, @s, @s)); CREATE TABLE b (id INT PRIMARY KEY, j JSON); INSERT INTO b VALUES (1, " +
		"CONCAT('{\"a\":\"', REPEAT('\\\\n', 3000000), '\"}'));",
	"names of digits and signs": "CREATE TABLE `1` (`2` INT PRIMARY KEY, `3e5` INT); INSERT INTO `1` VALUES (1, 2); CREATE TABLE `0e12` (`-` " +
		"INT, ` x` INT); INSERT INTO `0e12` VALUES (1, 2); CREATE TABLE `--` (id INT); CREATE TABLE `a.b/c` (`%s` " +
		"TEXT, `?` TEXT, `@v` TEXT, `:n` TEXT); INSERT INTO `a.b/c` VALUES ('%d', '?', '@x', ':n');",
	"nothing at all": "SELECT 1;",
}

// notOfMySQL are those of oddMaria whose syntax only MariaDB has. oddMySQL are MySQL's own.
var (
	notOfMySQL = []string{
		"sequence as default", "engines", "indexes", "versioned", "periods", "oracle mode", "check with a function", "commas and quotes",
		"numbers and bits", "columns of other character sets", "expressions as defaults", "partitions by list",
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
		"generated from documents": "CREATE TABLE a (id INT PRIMARY KEY, j JSON, n VARCHAR(20) AS (j->>'$.name') STORED, KEY (n)); INSERT INTO a (id, " +
			"j) VALUES (1, " +
			`'{"name": "Ada"}');`,
		"collations of MySQL 8": "ALTER DATABASE COLLATE utf8mb4_0900_as_cs; CREATE TABLE a (t VARCHAR(20), " +
			"u VARCHAR(20) COLLATE utf8mb4_ja_0900_as_cs, UNIQUE (t)); " +
			"INSERT INTO a VALUES ('a', 'か'), ('A', 'が'), ('ä', '');",
		"a table value and a window": "CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES ROW(1), " +
			"ROW(2); CREATE VIEW v AS WITH RECURSIVE n AS (SELECT 1 AS i " +
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
	"names in capitals": `CREATE SCHEMA "My App"; CREATE TABLE "My App"."Users" ("Id" serial PRIMARY KEY); CREATE TABLE "My App"."users" ("Id" ` +
		`serial PRIMARY KEY, n int); INSERT INTO "My App"."Users" DEFAULT VALUES;`,
	"no columns":             "CREATE TABLE t (); INSERT INTO t DEFAULT VALUES; INSERT INTO t DEFAULT VALUES;",
	"dropped columns":        "CREATE TABLE t (a int, b int, c int); INSERT INTO t VALUES (1, 2, 3); ALTER TABLE t DROP COLUMN b;",
	"exclusion and deferred": "CREATE TABLE t (r int4range, EXCLUDE USING gist (r WITH &&) DEFERRABLE INITIALLY DEFERRED); INSERT INTO t VALUES ('[1,2)');",
	"a view of a text": "CREATE TABLE docs (id int, d tsvector); INSERT INTO docs VALUES (1, to_tsvector('simple', 'a cat')); " +
		"CREATE MATERIALIZED VIEW words AS SELECT DISTINCT ts_stat.word FROM ts_stat('SELECT d FROM docs') ts_stat;",
	"a view of nested functions": "CREATE TABLE t (id int); INSERT INTO t VALUES (1), (2); CREATE FUNCTION mentions() RETURNS TABLE (software " +
		"int, id int) LANGUAGE sql STABLE AS 'SELECT 1, id FROM t'; CREATE FUNCTION counted() RETURNS TABLE " +
		"(software int, n bigint) LANGUAGE sql STABLE AS 'SELECT mentions.software, COUNT(mentions.id) FROM " +
		"mentions() GROUP BY mentions.software'; CREATE MATERIALIZED VIEW m AS SELECT * FROM counted(); CREATE " +
		"UNIQUE INDEX ON m (software); CREATE MATERIALIZED VIEW e AS SELECT * FROM m WITH NO DATA;",
	"identities and sequences": "CREATE TABLE a (id int GENERATED ALWAYS AS IDENTITY (START 100 INCREMENT -5 MINVALUE -1000 MAXVALUE 100 " +
		"CYCLE), t text); INSERT INTO a (t) VALUES ('x'); INSERT INTO a OVERRIDING SYSTEM VALUE VALUES (7, 'y'); " +
		"CREATE TABLE b (id smallint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY); INSERT INTO b VALUES (32767); " +
		"CREATE SEQUENCE s AS smallint MAXVALUE 3; SELECT nextval('s'), nextval('s'), nextval('s'); CREATE SEQUENCE " +
		"unused START 42; CREATE TABLE c (id bigserial, o int DEFAULT nextval('unused')); ALTER SEQUENCE c_id_seq " +
		"RENAME TO renamed; ALTER TABLE a RENAME COLUMN id TO number;",
	"partitions": "CREATE TABLE m (id int, d date, r text) PARTITION BY RANGE (d); CREATE TABLE m1 PARTITION OF m FOR VALUES " +
		"FROM ('2020-01-01') TO ('2021-01-01') PARTITION BY LIST (r); CREATE TABLE m1a PARTITION OF m1 FOR VALUES " +
		"IN ('a', NULL); CREATE TABLE m1d PARTITION OF m1 DEFAULT; CREATE TABLE m2 (r text, extra_dropped int, d " +
		"date, id int); ALTER TABLE m2 DROP COLUMN extra_dropped; ALTER TABLE m ATTACH PARTITION m2 FOR VALUES FROM " +
		"('2021-01-01') TO (MAXVALUE); CREATE INDEX ON m (id); CREATE INDEX own ON m2 (r); INSERT INTO m VALUES (1, " +
		"'2020-02-02', 'a'), (2, '2020-02-02', 'zz'), (3, '2022-01-01', 'q'); CREATE TABLE h (id int PRIMARY KEY) " +
		"PARTITION BY HASH (id); CREATE TABLE h0 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE " +
		"TABLE h1 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 1); INSERT INTO h SELECT generate_series(1, " +
		"9); CREATE TABLE ref (h int REFERENCES h); INSERT INTO ref VALUES (3); ALTER TABLE m DETACH PARTITION m2;",
	"names of signs": "CREATE SCHEMA \"select\"; CREATE TABLE \"select\".\"a\"\"b'c\\d;\ne\" (\"x y\" int, \"$1\" text DEFAULT E'it''s \\\\ \"q\" " +
		"$$ \\n', \"ключ😀\" text); INSERT INTO \"select\".\"a\"\"b'c\\d;\ne\" VALUES (1, E'a\\tb\\\\N\\\\.\\n\\\\.\\r\\n$$', '😀'); " +
		"COMMENT ON COLUMN \"select\".\"a\"\"b'c\\d;\ne\".\"x y\" IS E'it''s; \\\\. \\n-- $$'; CREATE FUNCTION \"f;$$\"() RETURNS " +
		"text LANGUAGE plpgsql AS $_$ BEGIN RETURN '$$;' || $q$it's$q$; END $_$; CREATE TYPE \"e;n\" AS ENUM ('b', " +
		"'a''s', ''); ALTER TYPE \"e;n\" ADD VALUE 'between' BEFORE 'a''s'; CREATE TABLE t (e \"e;n\" DEFAULT ''); " +
		"INSERT INTO t VALUES ('between');",
	"collations and ranges": "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); CREATE TABLE t (a " +
		"text COLLATE ci UNIQUE, b text COLLATE \"C\", r int4multirange, n int, UNIQUE NULLS NOT DISTINCT (n), j " +
		"json, p point, i inet, m money, x xml, bits bit(3), iv interval[]); INSERT INTO t VALUES ('ä', 'b', " +
		"'{[1,3),[5,7)}', NULL, '{\"a\": \"\\u0000\", \"a\": 2}', '(1.1,2.2)', '10.0.0.1/8', 12.34, '<a>1</a>', B'101', " +
		"'{1 day -2:00,3 mons}'); CREATE TYPE fr AS RANGE (subtype = float8, subtype_diff = float8mi); CREATE TABLE " +
		"f (r fr); INSERT INTO f VALUES ('[0.1,0.3)'); CREATE UNLOGGED TABLE u (id int); INSERT INTO u VALUES (1); " +
		"ALTER TABLE t ALTER b SET STORAGE EXTERNAL; ALTER TABLE t REPLICA IDENTITY FULL;",
	"long rows": "CREATE TABLE b (id int, d bytea, t text); INSERT INTO b SELECT 1, decode(repeat('00ff5c27', 5000000), " +
		"'hex'), repeat(E'\\\\\\n\\t', 5000000);",
	"an index of a cast": "CREATE TYPE patch AS (a int, b int); CREATE TYPE geom AS (x int); CREATE FUNCTION helper(patch) RETURNS " +
		"int LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a + ($1).b'; CREATE FUNCTION to_geom(patch) RETURNS int " +
		"LANGUAGE sql IMMUTABLE AS 'SELECT helper($1)'; CREATE CAST (patch AS int) WITH FUNCTION to_geom(patch); " +
		"CREATE TABLE sonde (id serial PRIMARY KEY, p patch); INSERT INTO sonde (p) VALUES (ROW(1, 2)::patch); " +
		"CREATE INDEX ON sonde ((p::int));",
	"views of views": "CREATE SCHEMA od; CREATE TABLE od.n (id int, v text); INSERT INTO od.n VALUES (1, 'a'); CREATE FUNCTION " +
		"od.tag(text) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT upper($1) || count(*) FROM " +
		"od.n); END'; CREATE MATERIALIZED VIEW od.z AS SELECT id, od.tag(v) AS v FROM od.n; CREATE MATERIALIZED " +
		"VIEW od.a AS SELECT z.id, n.v FROM od.z JOIN od.n USING (id); CREATE VIEW od.m AS SELECT * FROM od.a UNION " +
		"ALL SELECT id, v FROM od.z; CREATE UNIQUE INDEX ON od.a (id);",
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

// A materialized view whose query fails with the rows of now is empty; everything else comes back, and the output says which and why.
func TestMaterializedViewThatFails(t *testing.T) {
	t.Parallel()
	s := newShelf(t, wire.EnginePostgres, "odd_"+randomHex(3))
	s.sql(s.db, "SET ROLE owner_"+s.db+"; CREATE TABLE good (id int); INSERT INTO good VALUES (1); CREATE TABLE d (n int); INSERT INTO d VALUES (1); "+
		"CREATE MATERIALIZED VIEW m AS SELECT 1/n AS x FROM d; CREATE INDEX ON m (x); CREATE MATERIALIZED VIEW o AS SELECT * FROM good; UPDATE d SET n = 0;")
	_, object := s.backup()
	s.restore(object, "", true)
	other := s.other()
	s.restore(object, other, false)
	s.restore(object, s.db, false)
	for _, db := range []string{other, s.db} {
		if got := s.sql(db, "SELECT id FROM good; SELECT n FROM d; SELECT id FROM o; SELECT relispopulated FROM pg_class WHERE relname = 'm'"); got != "1\n0\n1\nf" {
			t.Errorf("%s has %q", db, got)
		}
	}
}

// What an administrator made in a database is not replaced, and the reason says what to do.
func TestSchemaOfAnAdministrator(t *testing.T) {
	t.Parallel()
	s := newShelf(t, wire.EnginePostgres, "odd_"+randomHex(3))
	s.sql(s.db, "CREATE SCHEMA ext; CREATE TABLE ext.a (id int); INSERT INTO ext.a VALUES (1);")
	_, run := s.backup()
	s.restore(run, "", true)
	s.restore(run, s.other(), false)
	run.ID, run.Deadline = "r"+randomHex(4), time.Now().Add(time.Minute)
	run.Restore.Store.Database, run.Restore.Over, run.Restore.Scratch = s.db, true, "hostler_restore_"+randomHex(3)
	if res, _ := s.run(run); !strings.Contains(res.Reason, "give it to the owner first") {
		t.Errorf("%s: %s", res.State, res.Reason)
	}
	if got := s.sql(s.db, "SELECT id FROM ext.a"); got != "1" {
		t.Errorf("the database has %q", got)
	}
}
