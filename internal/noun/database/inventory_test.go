package database

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// lineOf returns a line of an inventory, with names in hexadecimal.
func lineOf(separator string, fields ...string) string {
	for i, f := range fields {
		if name, ok := strings.CutPrefix(f, "="); ok {
			fields[i] = strings.ToUpper(hex.EncodeToString([]byte(name)))
		}
	}
	return strings.Join(fields, separator) + "\n"
}

func tabbed(fields ...string) string { return lineOf("\t", fields...) }

func TestInventory(t *testing.T) {
	t.Parallel()
	text := tabbed("database", "=mysql", "") + tabbed("database", "=shop_1", "=hostler database 7") + tabbed("database", "=a`b\n; DROP", "") +
		tabbed("account", "=root", "=localhost", "super", "") + tabbed("account", "=", "=localhost", "plain",
		"") + tabbed("account", "=mariadb.sys", "=localhost", "plain", "") +
		tabbed("account", "=app", "=%", "plain", "") + tabbed("account", "=app", "=localhost", "plain", "") + tabbed("account", "=see", "=10.0.0.%", "plain", "") +
		tabbed("account", "=x", "=a' b", "plain", "") +
		tabbed("grant", "=app", "=%", `=shop\_1`, "write") + tabbed("grant", "=see", "=10.0.0.%", "=shop_1", "read") + tabbed("password", "=app", "=%")
	got, err := parseInventory(MariaDB, text)
	if err != nil {
		t.Fatal(err)
	}
	want := found{
		databases: []foundDatabase{{"shop_1", "hostler database 7"}},
		users: []foundUser{
			{name: "app", host: "%", databases: []string{"shop_1"}, proven: true},
			{name: "see", host: "10.0.0.%", databases: []string{"shop_1"}, readOnly: true},
		}, others: []foundUser{{name: "app", host: "localhost"}}, strange: []foundUser{{host: "localhost"}, {name: "x", host: "a' b"}},
	}
	if len(got.skipped) != 3 {
		t.Errorf("left out: %q", got.skipped)
	}
	got.skipped = nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(found{}, foundUser{}, foundDatabase{})); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if _, err := parseInventory(PostgreSQL, "ERROR: no\n"); err == nil {
		t.Error("an error is taken for an inventory")
	}
	got, err = parseInventory(PostgreSQL, lineOf("|", "account", "=app", "=%", "plain", "=hostler account 2")+lineOf("|",
		"member", "=app", "=%", "=hostler_ro_7")+lineOf("|", "member", "=app", "=%", "=hostler_else"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]foundUser{{
		name: "app", host: "%", mark: "hostler account 2", ids: []int64{7}, readOnly: true,
	}}, got.users, cmp.AllowUnexported(foundUser{})); diff != "" {
		t.Errorf("accounts of PostgreSQL (-want +got):\n%s", diff)
	}
}

// Missing and foreign objects are reported, including grants; subjects of open work, and the engine's own, are not.
func TestDrift(t *testing.T) {
	t.Parallel()
	v := viewOf(t, MariaDB, []ledger.Wish{
		database(t, 1, Specification{Name: "shop"}),
		database(t, 2, Specification{Name: "gone"}), database(t, 3, Specification{Name: "found", Adopted: true}),
		account(t, 1, UserSpecification{Name: "forge", Main: true}), account(t, 2, UserSpecification{Name: "app", Databases: []int64{1, 2}}),
		account(t, 3, UserSpecification{Name: "lost"}),
		account(t, 4, UserSpecification{Name: "guest", Databases: []int64{3}, Adopted: true}), account(t, 5, UserSpecification{Name: "root2"}),
	})
	s, err := read(v, MariaDB)
	if err != nil {
		t.Fatal(err)
	}
	text := tabbed("database", "=shop", "") + tabbed("database", "=found", "") + tabbed("database", "=by_hand",
		"") + tabbed("database", "=busy", "") + tabbed("database", "=sys", "")
	for _, name := range []string{"forge", "app", "guest", "hand", "half"} {
		text += tabbed("account", "="+name, "=%", "plain", "")
	}
	text += tabbed("account", "=root2", "=%", "super", "") + tabbed("right", "=root2", "=%", "", "", "=SUPER", "plain")
	text += tabbed("account", "=app", "=localhost", "plain", "") + tabbed("grant", "=app", "=%", "=shop", "write") +
		tabbed("grant", "=guest", "=%", "=shop", "read")
	for _, name := range writes {
		text += tabbed("right", "=app", "=%", "=shop", "", "="+name, "plain")
	}
	f, err := parseInventory(MariaDB, text)
	if err != nil {
		t.Fatal(err)
	}
	want := []wire.Difference{
		{Step: "databases of the engine", Path: "gone", What: "missing", Kept: true},
		{Step: "databases of the engine", Path: "by_hand", What: "foreign", Kept: true},
		{Step: "grants of the engine", Path: "forge in shop", What: "missing", Diff: "+ALL PRIVILEGES\n"},
		{Step: "accounts of the engine", Path: "lost", What: "missing", Kept: true},
		{Step: "grants of the engine", Path: "guest in shop", What: "foreign", Kept: true},
		{Step: "grants of the engine", Path: "guest in found", What: "missing", Kept: true},
		{Step: "accounts of the engine", Path: "root2", What: "rights", Diff: "-SUPER\n"}, // it is not missing
		{Step: "accounts of the engine", Path: "hand", What: "foreign", Kept: true},
		{Step: "accounts of the engine", Path: "app", What: "foreign", Kept: true},
	}
	if diff := cmp.Diff(want, s.compare(f, names{databases: []string{"busy"}, users: []string{"half"}})); diff != "" {
		t.Errorf("drift (-want +got):\n%s", diff)
	}
}

// The remains of a failed run are applied: what it created for its rows, never what others created.
func TestFound(t *testing.T) {
	t.Parallel()
	salt, other := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	app := UserSpecification{Name: "app", Host: anywhere, Databases: []int64{1}, Password: []byte("sealed"), Salt: salt}
	changed := app
	changed.Databases, changed.Password, changed.Salt = []int64{1, 2}, []byte("another"), other
	shop, blog := database(t, 1, Specification{Name: "shop"}), database(t, 2, Specification{Name: "blog"})
	here := tabbed("database", "=shop", "") + tabbed("database", "=blog", "")
	there := tabbed("account", "=app", "=%", "plain", "")
	both := tabbed("grant", "=app", "=%", "=shop", "write") + tabbed("grant", "=app", "=%", "=blog", "write")
	with := func(change func(*UserSpecification)) *ledger.Wish {
		spec := app
		change(&spec)
		return new(account(t, 5, spec))
	}
	for name, c := range map[string]struct {
		before []ledger.Wish
		asked  ledger.Wish
		text   string
		want   *ledger.Wish
	}{
		"a database that was made":        {nil, shop, tabbed("database", "=shop", "=hostler database 1"), &shop},
		"a database of another":           {nil, shop, tabbed("database", "=shop", "=hostler database 9"), nil},
		"no database":                     {nil, shop, "", nil},
		"a database that was dropped":     {[]ledger.Wish{shop}, Databases.Removal(1), "", new(Databases.Removal(1))},
		"a database that was not dropped": {[]ledger.Wish{shop}, Databases.Removal(1), here, nil},
		"an account that was made": {
			[]ledger.Wish{shop, blog},
			account(t, 5, changed),
			here + there + tabbed("password", "=app", "=%"), new(account(t, 5,
				UserSpecification{Name: "app", Host: anywhere, Password: changed.Password, Salt: other})),
		},
		"an account of another": {[]ledger.Wish{shop, blog}, account(t, 5, changed), here + there, nil},
		"an account without its last step": {
			[]ledger.Wish{shop, blog, account(t, 5, app)},
			account(t, 5, changed), here + there + both,
			with(func(u *UserSpecification) { u.Databases = []int64{1, 2} }),
		},
		"an account with its password": {
			[]ledger.Wish{shop, blog, account(t, 5, app)},
			account(t, 5, changed),
			here + there + tabbed("grant", "=app", "=%", "=shop", "write") + tabbed("password", "=app", "=%"),
			with(func(u *UserSpecification) { u.Password, u.Salt = changed.Password, other }),
		},
		"an account that was dropped": {[]ledger.Wish{account(t, 5, app)}, Users.Removal(5), here, new(Users.Removal(5))},
		"an account that is gone":     {[]ledger.Wish{account(t, 5, app)}, account(t, 5, changed), here, new(Users.Removal(5))},
		"an account that keeps a database": {
			[]ledger.Wish{shop, account(t, 5, app)},
			account(t, 5, UserSpecification{Name: "app", Host: anywhere, Password: app.Password, Salt: salt}), here + there + both, with(func(*UserSpecification) {}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := viewOf(t, MariaDB, c.before, c.asked)
			s, err := read(v, MariaDB)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parseInventory(MariaDB, c.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.found(f, v.Included[0])
			if err != nil {
				t.Fatal(err)
			}
			var want []ledger.Wish
			if c.want != nil {
				want = []ledger.Wish{*c.want}
			}
			if diff := cmp.Diff(want, got, cmp.Transformer("text", func(w ledger.Wish) string { return w.Kind + string(w.Specification) })); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}
