package archive_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
)

// split returns how a Script splits a text that comes in pieces: statements, rows between < and >, comments after # and commands after !.
func split(text string, cut int) (out []string, err error) {
	var rows []byte
	s := &archive.Script{
		Max: 1 << 20, Whole: true,
		Statement: func(text []byte) (bool, error) {
			out = append(out, string(text))
			return strings.HasPrefix(string(text), "COPY "), nil
		},
		Rows:    func(p []byte) error { rows = append(rows, p...); return nil },
		End:     func() error { out, rows = append(out, "<"+string(rows)+">"), nil; return nil },
		Comment: func(line []byte) { out = append(out, "#"+string(line)) },
		Command: func(line []byte) error { out = append(out, "!"+string(line)); return nil },
	}
	for rest := text; rest != "" && err == nil; {
		n := min(cut, len(rest))
		_, err = io.WriteString(s, rest[:n])
		rest = rest[n:]
	}
	if err == nil {
		err = s.Close()
	}
	return out, err
}

// Text inside of comments, strings and bodies is never mistaken for a statement, rows or a command, however the stream is cut.
func TestScript(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"statements": {"SELECT 1;\n\n SELECT 2 ;", []string{"SELECT 1", "SELECT 2 "}},
		"string": {
			"COMMENT ON TABLE t IS 'a;\nCOPY t FROM stdin;\n\\! id\n\\.\n it''s';SELECT 1;",
			[]string{"COMMENT ON TABLE t IS 'a;\nCOPY t FROM stdin;\n\\! id\n\\.\n it''s'", "SELECT 1"},
		},
		"backslash":        {`SELECT '\';SELECT 2;`, []string{`SELECT '\'`, "SELECT 2"}},
		"escapes":          {`SELECT E'\';' || E'a''\'b;', e'\\';SELECT 2;`, []string{`SELECT E'\';' || E'a''\'b;', e'\\'`, "SELECT 2"}},
		"name ending in e": {`SELECT type'\';SELECT 2;`, []string{`SELECT type'\'`, "SELECT 2"}},
		"quoted name":      {`COMMENT ON TABLE "a;""'--" IS NULL;SELECT 2;`, []string{`COMMENT ON TABLE "a;""'--" IS NULL`, "SELECT 2"}},
		"dollars": {
			"CREATE FUNCTION f() AS $_$ ; $$ ' -- $x$ COPY t FROM stdin;\n\\! id\n$_$;SELECT $1;SELECT a$b$;",
			[]string{"CREATE FUNCTION f() AS $_$ ; $$ ' -- $x$ COPY t FROM stdin;\n\\! id\n$_$", "SELECT $1", "SELECT a$b$"},
		},
		"empty dollars": {"DO $$;'$$;SELECT 1;", []string{"DO $$;'$$", "SELECT 1"}},
		"dollar twice":  {"DO $a$ $$a$;SELECT 1;", []string{"DO $a$ $$a$", "SELECT 1"}},
		"comments": {
			"-- one; 'two\nSELECT 1 -- three;\n, 2;/* four; /* five; */ six; */ SELECT 3 - - 1 /* ' */;",
			[]string{"#-- one; 'two", "SELECT 1 -- three;\n, 2", "SELECT 3 - - 1 /* ' */"},
		},
		"comment's end": {"SELECT 1 /*/;*/;SELECT 2;", []string{"SELECT 1 /*/;*/", "SELECT 2"}},
		"rule":          {"CREATE RULE r AS DO (SELECT 1; SELECT 2);SELECT 3;", []string{"CREATE RULE r AS DO (SELECT 1; SELECT 2)", "SELECT 3"}},
		"body": {
			"CREATE OR REPLACE FUNCTION f() RETURNS int\nBEGIN ATOMIC\n SELECT CASE WHEN true THEN 1 END;\n SELECT 2;\nEND;SELECT 3;",
			[]string{"CREATE OR REPLACE FUNCTION f() RETURNS int\nBEGIN ATOMIC\n SELECT CASE WHEN true THEN 1 END;\n SELECT 2;\nEND", "SELECT 3"},
		},
		"transaction": {"BEGIN;SELECT 1;END;", []string{"BEGIN", "SELECT 1", "END"}},
		"rows": {
			"COPY t (a) FROM stdin;\n1\ta;b'c\n\\\\.\n\n\\.x\n\\N\n\\.\nSELECT 1;",
			[]string{"COPY t (a) FROM stdin", "<1\ta;b'c\n\\\\.\n\n\\.x\n\\N\n>", "SELECT 1"},
		},
		"no rows":  {"COPY t (a) FROM stdin;\n\\.\n\nCOPY u FROM stdin;\n\\.\n", []string{"COPY t (a) FROM stdin", "<>", "COPY u FROM stdin", "<>"}},
		"commands": {"\\restrict abc\nSELECT 1 \\! id\n;\n  \\! id\n", []string{`!\restrict abc`, "SELECT 1 \\! id\n", `!\! id`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, cut := range []int{1, 2, 3, 5, 1000} {
				got, err := split(c.text, cut)
				if err != nil {
					t.Errorf("cut every %d: %v", cut, err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("cut every %d (-want +got):\n%s", cut, diff)
				}
			}
		})
	}
	for _, text := range []string{"SELECT 1", "SELECT 'a;", "DO $x$ ; $y$;", "COPY t FROM stdin;\n1\n", "/* "} {
		if got, err := split(text, 100); err == nil {
			t.Errorf("%q is whole: %q", text, got)
		}
	}
}

// A comment or a body that looks like rows changes no count, and does not hide the dump's end.
func TestCounterIsNotFooled(t *testing.T) {
	t.Parallel()
	pg := "COMMENT ON TABLE public.t IS 'x\nCOPY public.t (a) FROM stdin;\n\\! id\n';\nCREATE FUNCTION public.f() AS $$\nCOPY public.\"; DROP\" (a) FROM " +
		"stdin;\n$$;\nCOPY public.t (a) FROM stdin;\n1\n2\n\\.\n--\n-- PostgreSQL database dump complete\n--\n"
	my := "CREATE TABLE `t` (\n  `a` int\n);\nINSERT INTO `t` VALUES\n(1),\n(2);\nDELIMITER ;;\nCREATE PROCEDURE p()\nBEGIN\nINSERT INTO `t` VALUES " +
		"(3);\nCREATE TABLE `x` (\n  `a` int\n);\nEND ;;\nDELIMITER ;\n-- Dump completed\n"
	for _, c := range []struct {
		postgres bool
		text     string
		want     map[string]archive.Table
	}{{true, pg, map[string]archive.Table{"public.t": {Rows: 2, Columns: 1}}}, {false, my, map[string]archive.Table{"t": {Rows: 2, Columns: 1}}}} {
		k := archive.NewCounter(c.postgres)
		_, _ = io.WriteString(k, c.text)
		got := map[string]archive.Table{}
		for name, table := range k.Tables {
			got[name] = *table
		}
		if diff := cmp.Diff(c.want, got); diff != "" || !k.Done {
			t.Errorf("done %v (-want +got):\n%s", k.Done, diff)
		}
	}
}

// loadable returns a dump as it is loaded, that comes in pieces of a size.
func loadable(t *testing.T, dump string, size int) string {
	t.Helper()
	var out bytes.Buffer
	d := archive.NewDefiners(&out)
	for piece := range slices.Chunk([]byte(dump), size) {
		if _, err := d.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A sequence is that of the database that is loaded, and no table is locked while its rows take their numbers.
func TestSequencesAreThoseOfTheCopy(t *testing.T) {
	t.Parallel()
	const in = "CREATE TABLE `t` (\n  `id` int NOT NULL DEFAULT nextval(`old`.`s`) COMMENT 'nextval(`x`.`y`)',\n  `n` int DEFAULT (nextval(`o``d`.`s`) + " +
		"1)\n);\nLOCK TABLES `t` WRITE;\n" +
		"INSERT INTO `t` VALUES\n(1,'LOCK TABLES `a` WRITE;');\nUNLOCK TABLES;\nLOCK TABLES `odd\nname` WRITE;\nUNLOCK TABLES;\nDELIMITER ;;\nCREATE " +
		"PROCEDURE p()\nBEGIN\n  `x`: SELECT nextval(`a`.`b`);\nEND ;;\nDELIMITER ;\n"
	want := strings.NewReplacer("(`old`.", "(", "(`o``d`.", "(", "LOCK TABLES `t` WRITE;\n", "", "');\nUNLOCK TABLES;\n", "');\n").Replace(in)
	for _, cut := range []int{1, 7, 10000} {
		if diff := cmp.Diff(want, loadable(t, in, cut)); diff != "" {
			t.Errorf("cut every %d (-want +got):\n%s", cut, diff)
		}
	}
}

// Definers become the restoring account, and nothing else changes.
func TestDefiners(t *testing.T) {
	t.Parallel()
	const in = "/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`ro``ot`@`local%` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select 1 " +
		"*/;\nINSERT INTO `t` VALUES\n('CREATE DEFINER=`a`@`b`');\n" +
		"DELIMITER ;;\n/*!50003 CREATE*/ /*!50017 DEFINER=`app`@`%`*/ /*!50003 TRIGGER t BEFORE INSERT ON x FOR EACH ROW\nBEGIN\nCREATE " +
		"DEFINER=`stays`@`here` PROCEDURE x() SELECT 1;\nEND */;;\nCREATE DEFINER=`app` PROCEDURE p()\nSELECT 1 ;;\n" +
		"/*!50003 SET sql_mode = '' */ ;;\n/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`localhost`*/ /*!50106 EVENT `e` DO DELETE FROM t\n*/ ;;\nDELIMITER " +
		";\nCREATE DEFINER=`root`@`localhost` FUNCTION f() RETURNS int RETURN 1;\n" +
		"CREATE DEFINER=\"ro\"\"ot\"@\"local`host\" PROCEDURE \"q\"() SELECT 1;\n/*!50003 CREATE*/ /*!50017 DEFINER=\"app\"*/ /*!50003 TRIGGER u BEFORE " +
		"INSERT ON x FOR EACH ROW SET @a = 1 */;\n-- Dump completed"
	want := in
	for _, name := range []string{"`ro``ot`@`local%`", "`app`@`%`", "`app`", "`root`@`localhost`", `"ro""ot"@"local` + "`" + `host"`, `"app"`} {
		want = strings.ReplaceAll(want, "DEFINER="+name, "DEFINER=CURRENT_USER")
	}
	for _, cut := range []int{1, 2, 7, 100, 10000} {
		if diff := cmp.Diff(want, loadable(t, in, cut)); diff != "" {
			t.Errorf("cut every %d (-want +got):\n%s", cut, diff)
		}
	}
}

// Where the engine is older, values that it can't store are refused, and nothing else of the dump changes.
func TestStrictDefiners(t *testing.T) {
	t.Parallel()
	const mode = "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;\n"
	const dump = mode + "/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;\nDELIMITER ;;\n" + mode + "DELIMITER ;\n"
	for strict, want := range map[bool]string{
		false: dump,
		true:  strings.Replace(dump, "ON_ZERO'", "ON_ZERO,STRICT_ALL_TABLES,ALLOW_INVALID_DATES'", 1),
	} {
		var out strings.Builder
		d := archive.NewDefiners(&out)
		d.Strict = strict
		if _, err := d.Write([]byte(dump)); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil || out.String() != want {
			t.Errorf("strict %v: %v, %q", strict, err, out.String())
		}
	}
}
