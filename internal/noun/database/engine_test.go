package database

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value/corpus"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// All statements for each engine. Only MySQL's contain the password: the others get its stored form.
func TestEngineGolden(t *testing.T) {
	t.Parallel()
	const password = secret.String(`a'b\c"d`)
	for _, kind := range []Engine{MariaDB, MySQL, PostgreSQL} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			e := engineFor(kind)
			salt := []byte("0123456789abcdef")
			one, two, found := schema{1, Name{"shop_1"}, false}, schema{2, Name{"Blog-2"}, false}, schema{3, Name{"by_hand"}, true}
			main, app, reader := user{id: 1, name: Account{"forge"}, host: anywhere}, user{
				id: 2, name: Account{"app"},
				host: anywhere, salt: salt,
			}, user{id: 3, name: Account{"reader"}, host: anywhere, readOnly: true}
			made := password
			var stages []job.Stage
			for _, s := range []struct {
				name  string
				steps []wire.Step
			}{
				{"create a database", e.createDatabase(one, []user{main})},
				{"drop a database", e.dropDatabase(one, []user{main, app}, false)},
				{"drop a database that could not be made", e.dropDatabase(one, []user{main}, true)},
				{"create an account", e.createUser(app, password, []schema{one, two})},
				{"create a reader", e.createUser(reader, password, []schema{found})},
				{"change a password", e.setPassword(app, password)},
				{"change databases", e.grant(app, []schema{one, found}, []schema{two})},
				{"drop an account", e.dropUser(app, []schema{one}, nil)},
				{"drop an account that could not be made", e.dropUser(app, []schema{one}, &made)},
				{"look", []wire.Step{e.ask(), e.inventory(nil)}},
				{"usage", e.usage(one)},
				{"look for a password", []wire.Step{e.inventory([]schema{one}, proof{app, password})}},
			} {
				for _, step := range s.steps {
					if x := step.Exec; x != nil {
						if clear := strings.Contains(string(x.Stdin), "a''b"); clear && (kind != MySQL || !x.Secret) {
							t.Errorf("%s: %s has the password itself, secret: %v", s.name, step.Name, x.Secret)
						}
					}
				}
				stages = append(stages, job.Stage{Name: s.name, Change: wire.Change{Steps: s.steps}})
			}
			jobtest.Golden(t, string(kind), stages)
		})
	}
}

// No hostile text is a name on any engine, nor is what the engine or we use; what people call databases is.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, kind := range []Engine{MariaDB, MySQL, PostgreSQL, ""} {
		for _, text := range append(corpus.Injection("/tmp/canary"), "", "-a", "a b", "a.b", "a`b", `a"b`, "a'b", "ü", "a/b", "a%",
			"a$b", "hostler_rw_1", "HOSTLER_x", strings.Repeat("a", 64)) {
			if plain.MatchString(text) && len(text) < 64 && !strings.HasPrefix(strings.ToLower(text), ours) {
				continue // of letters and digits only
			}
			if n, err := ParseName(kind, text); err == nil {
				t.Errorf("%s: %q is a name of a database: %s", kind, text, n)
			}
			if n, err := ParseAccount(kind, "name", text); err == nil {
				t.Errorf("%s: %q is a name of an account: %s", kind, text, n)
			}
		}
		for _, text := range []string{"shop", "Shop_1", "1", "_x", "a-b", strings.Repeat("a", 63)} {
			if _, err := ParseName(kind, text); err != nil {
				t.Errorf("%s: %q: %v", kind, text, err)
			}
		}
	}
	for kind, names := range map[Engine][]string{MariaDB: {"mysql", "sys", "Information_Schema"}, PostgreSQL: {"postgres", "template1"}} {
		for _, text := range names {
			if _, err := ParseName(kind, text); err == nil {
				t.Errorf("%s: %s is taken for a database of ours", kind, text)
			}
		}
	}
	for kind, names := range map[Engine][]string{
		MariaDB: {"root", "PUBLIC", "mysql"}, MySQL: {"root", strings.Repeat("a", 33)},
		PostgreSQL: {"postgres", "pg_monitor", "public"},
	} {
		for _, text := range names {
			if _, err := ParseAccount(kind, "name", text); err == nil {
				t.Errorf("%s: %s is taken for an account of ours", kind, text)
			}
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\nb", "a\x00b", "ü", "\x7f", "\t", strings.Repeat("a", 256), "\xff"} {
		if _, err := ParsePassword(text); err == nil {
			t.Errorf("%q is a password", text)
		}
	}
	for _, text := range []string{`'"\;$(id) %_` + "`", strings.Repeat("~", 255), "a b"} {
		if p, err := ParsePassword(text); err != nil || p.Reveal() != text {
			t.Errorf("%q: %v", text, err)
		}
	}
}
