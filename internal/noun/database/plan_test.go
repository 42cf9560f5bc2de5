package database

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// viewOf returns the view of a server with the state in before, and with these wishes.
func viewOf(t *testing.T, kind Engine, before []ledger.Wish, asked ...ledger.Wish) ledger.View {
	t.Helper()
	v := ledger.NewView(query.Server{ID: 1, DatabaseType: new(string(kind))}, before...).On(asked...)
	for i, w := range asked {
		v.Included = append(v.Included, query.Operation{ID: int64(i + 1), ResourceType: w.Kind, ResourceID: w.ID})
	}
	return v
}

func database(t *testing.T, id int64, spec Specification) ledger.Wish {
	t.Helper()
	w, err := Databases.Want(id, spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// account returns one whose password is sealed, as all are that were not found on the server.
func account(t *testing.T, id int64, spec UserSpecification) ledger.Wish {
	t.Helper()
	if spec.Host == "" {
		spec.Host = anywhere
	}
	if spec.Password == nil && !spec.Adopted {
		spec.Password, spec.Salt = []byte("sealed"), []byte("0123456789abcdef")
	}
	w, err := Users.Want(id, spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	shop, blog, found := database(t, 1, Specification{Name: "shop"}), database(t, 2, Specification{Name: "blog"}), database(t,
		3, Specification{Name: "by_hand", Adopted: true})
	forge, app := account(t, 1, UserSpecification{Name: "forge", Main: true}), account(t, 2, UserSpecification{Name: "app", Databases: []int64{1, 2}})
	reader := account(t, 3, UserSpecification{Name: "reader", ReadOnly: true, Databases: []int64{3}})
	another := account(t, 2, UserSpecification{Name: "app", Databases: []int64{1, 2}, Password: []byte("another"), Salt: []byte("fedcba9876543210")})
	fewer := account(t, 2, UserSpecification{Name: "app", Databases: []int64{2}})
	has := []ledger.Wish{shop, found, forge, app}
	extended := database(t, 4, Specification{Name: "maps", Extensions: []string{"postgis", "citext"}})
	others := database(t, 4, Specification{Name: "maps", Extensions: []string{"citext", "vector", "uuid-ossp"}})
	for _, c := range []struct {
		name   string
		kind   Engine
		before []ledger.Wish
		asked  []ledger.Wish
	}{
		{"a new server", MariaDB, nil, []ledger.Wish{forge, shop}},
		{"a database that an account waits for", MariaDB, has, []ledger.Wish{blog}},
		{"a database and its account", PostgreSQL, []ledger.Wish{forge}, []ledger.Wish{shop, app}},
		{"an account without its databases", MariaDB, []ledger.Wish{forge}, []ledger.Wish{app}},
		{"a reader of what was found", PostgreSQL, has, []ledger.Wish{reader}},
		{"a password", MariaDB, has, []ledger.Wish{another}},
		{"a password of MySQL", MySQL, has, []ledger.Wish{another}},
		{"fewer databases", PostgreSQL, append([]ledger.Wish{blog}, has...), []ledger.Wish{fewer}},
		{"the same once more", MariaDB, has, []ledger.Wish{app}},
		{"a database is deleted", MariaDB, has, []ledger.Wish{Databases.Removal(1)}},
		{"a database and its account are deleted", PostgreSQL, has, []ledger.Wish{Users.Removal(2), Databases.Removal(1)}},
		{"a database is made again under its name", MariaDB, has, []ledger.Wish{Databases.Removal(1), database(t, 9, Specification{Name: "shop"})}},
		{"nothing", MariaDB, has, nil},
		{"a database with extensions", "postgres17", []ledger.Wish{forge}, []ledger.Wish{extended}},
		{"extensions change", "postgres17", []ledger.Wish{forge, extended}, []ledger.Wish{others}},
		{"extensions are repaired", "postgres17", []ledger.Wish{extended, blog}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stages, err := Plan(viewOf(t, c.kind, c.before, c.asked...))
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, "plan/"+c.name, stages)
		})
	}
}

// What can't be planned is refused with a reason, and what was never there is not dropped.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	v := viewOf(t, "", nil, database(t, 1, Specification{Name: "shop"}))
	if _, err := Plan(v); err == nil {
		t.Error("statements are planned for a server without an engine")
	}
	v = viewOf(t, MariaDB, nil, account(t, 1, UserSpecification{Name: "hand", Adopted: true}))
	if _, err := Plan(v); err == nil {
		t.Error("an account is made without its password")
	}
	v = viewOf(t, MariaDB, nil, Databases.Removal(1), Users.Removal(1))
	if stages, err := Plan(v); err != nil || len(stages) > 0 {
		t.Errorf("what is not there is dropped: %s %v", jobtest.Text(stages), err)
	}
}

// A synchronization comes after the statements that it was asked for with.
func TestPlanTasks(t *testing.T) {
	t.Parallel()
	v := viewOf(t, MariaDB, nil, database(t, 1, Specification{Name: "shop"}))
	v.Included = append([]query.Operation{{ID: 1, ResourceType: resourceSync}}, v.Included...)
	stages, err := Plan(v)
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Golden(t, "plan/tasks", stages)
}
