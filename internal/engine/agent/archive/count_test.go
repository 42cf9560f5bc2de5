package archive_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
)

const mariaDump = "/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump\n\n" +
	"DROP TABLE IF EXISTS `users`;\nCREATE TABLE `users` (\n  `id` int(11) NOT NULL,\n  `name` varchar(20) DEFAULT 'a);(',\n  PRIMARY KEY (`id`)\n) " +
	"ENGINE=InnoDB;\n" +
	"INSERT INTO `users` VALUES\n(1,'it''s'),\n(2,'a\\'b);('),\n(3,NULL);\nINSERT INTO `users` VALUES (4,'x\\\\');\n" +
	"CREATE TABLE `od``d (` (\n  `a` int,\n  `b` int GENERATED ALWAYS AS (`a`) VIRTUAL\n) ENGINE=InnoDB;\nINSERT INTO `od``d (` (`a`) VALUES (1),(2);\n" +
	"CREATE TABLE `names` (\n  `a;b` int,\n  `x``y(V's` int\n) ENGINE=InnoDB;\nINSERT INTO `names` (`a;b`, `x``y(V's`) VALUES (1,';`'),(2,'`');\n" +
	"CREATE TABLE `empty` (\n  `a` int\n) ENGINE=InnoDB;\n/*!50001 CREATE VIEW `v` AS SELECT 1 AS `id` */;\n-- Dump completed on 2026-11-21 14:00:00\n"

const pgDump = "--\n-- PostgreSQL database dump\n--\n\nCREATE TABLE public.users (\n    id integer\n);\n\nALTER TABLE public.users OWNER TO " +
	"forge;\nALTER TABLE public.x OWNER TO \"we\"\"ird\";\n" +
	"COPY public.users (id, name) FROM stdin;\n1\tone\n2\ttwo\\nlines\n3\t\\\\.\n\\.\n\nCOPY public.\"we (ird\" (\"a,b\", c) FROM stdin;\n\\.\nSELECT " +
	"1;\n--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict abc\n\n"

// The count is the same, however the stream is cut.
func TestCounter(t *testing.T) {
	t.Parallel()
	long := "INSERT INTO `users` VALUES (9,'" + strings.Repeat("0123456789", 20000) + "'),(10,'');\n-- Dump completed\n"
	for _, c := range []struct {
		name, dump string
		postgres   bool
		want       map[string]archive.Table
	}{
		{"mariadb", mariaDump, false, map[string]archive.Table{"users": {Rows: 4, Columns: 2}, "od`d (": {Rows: 2, Columns: 2},
			"names": {Rows: 2, Columns: 2}, "empty": {Columns: 1}}},
		{"mariadb long row", long, false, map[string]archive.Table{"users": {Rows: 2}}},
		{"postgres", pgDump, true, map[string]archive.Table{"public.users": {Rows: 3, Columns: 2}, `public."we (ird"`: {Columns: 2}}},
		{
			"postgres long row", "COPY t (a) FROM stdin;\n" + strings.Repeat("y", 200000) + "\nz\n\\.\n-- PostgreSQL database dump complete\n",
			true,
			map[string]archive.Table{"t": {Rows: 2, Columns: 1}},
		},
	} {
		for _, cut := range []int{1, 2, 3, 7, 64, 4096, 1 << 20} {
			k := archive.NewCounter(c.postgres)
			for rest := c.dump; rest != ""; {
				n := min(cut, len(rest))
				_, _ = k.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			got := map[string]archive.Table{}
			for name, table := range k.Tables {
				got[name] = *table
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, cut every %d bytes:\n%s", c.name, cut, diff)
			}
			if !k.Done {
				t.Errorf("%s, cut every %d bytes: the end was not seen", c.name, cut)
			}
		}
		k := archive.NewCounter(c.postgres)
		_, _ = k.Write([]byte(c.dump[:len(c.dump)-80]))
		if k.Done {
			t.Errorf("%s: a dump that was cut off counts as done", c.name)
		}
	}
}
