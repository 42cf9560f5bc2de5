package database

import (
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// right is something that an account of an engine was granted itself. What the roles of PostgreSQL's databases give is not among them.
type right struct {
	// database is where it is valid, "" for the whole engine; object is what in there, "" for all of it.
	database, object string
	// name is the privilege, a role that the account is a member of, or an attribute.
	name string
	// grantable is set if the account can pass it on.
	grantable bool
}

func (r right) String() string {
	text := r.name
	if r.object != "" {
		text += " on " + r.object
	}
	if r.grantable {
		text += " with grant option"
	}
	return text
}

// holder is who has rights: an account, or a role of PostgreSQL.
type holder struct{ name, host string }

// writes are the privileges that MariaDB and MySQL grant with ALL PRIVILEGES in a database, whatever their version, and reads those of a reader.
var (
	writes = []string{ //nolint:gochecknoglobals // a constant list
		"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "REFERENCES", "INDEX", "ALTER", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE", "CREATE VIEW",
		"SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "EVENT", "TRIGGER",
	}
	reads = []string{"SELECT", "SHOW VIEW"} //nolint:gochecknoglobals // a constant list
)

// locked is the attribute of an account that can't log in.
const locked = "LOCKED"

// accountRights compares the rights of an account with those that Hostler grants: one difference for the engine, and one for each database.
func (s state) accountRights(u UserSpecification, f found, busy names) (out []wire.Difference) {
	rights := f.rights[holder{u.Name, u.Host}]
	var wide []string
	for _, r := range rights {
		if r.database == "" {
			wide = append(wide, "-"+r.String())
		}
	}
	out = appendRights(out, "accounts", u.Name, driftRights, wide)
	var others []string
	for _, d := range s.databases {
		if _, there := f.database(d.name.text); !there || slices.Contains(busy.databases, d.name.text) {
			continue
		}
		has := slices.DeleteFunc(slices.Clone(rights), func(r right) bool { return r.database != d.name.text })
		path := u.Name + " in " + d.name.text
		may, roles := s.may(u, d), f.members[holder{u.Name, u.Host}]
		switch {
		case !may:
			var all []string
			for _, r := range has {
				all = append(all, "-"+r.String())
			}
			if there, _ := f.account(u.Name, u.Host); there.uses(d) && len(all) == 0 {
				all = append(all, "-member")
			}
			out = appendRights(out, "grants", path, driftForeign, all)
		case u.Main && d.adopted: // the account of the sites gets no access to adopted databases
		case s.kind == PostgreSQL && !slices.Contains(roles, s.roleOf(u, d)):
			out = appendRights(out, "grants", path, driftMissing, []string{"+" + s.roleOf(u, d)})
		case s.kind != PostgreSQL && !slices.ContainsFunc(has, func(r right) bool { return r.object == "" }):
			out = appendRights(out, "grants", path, driftMissing, []string{"+" + map[bool]string{true: strings.Join(reads, ", "), false: "ALL PRIVILEGES"}[u.ReadOnly]})
		default:
			differing := s.differing(u, has)
			if u.ReadOnly && slices.Contains(roles, postgres{}.owner(d)) {
				differing = append(differing, "-"+postgres{}.owner(d))
			}
			out = appendRights(out, "grants", path, driftRights, differing)
		}
	}
	for _, r := range rights {
		known := r.database == "" || slices.ContainsFunc(s.databases, func(d schema) bool { return d.name.text == r.database })
		if !known && !slices.Contains(busy.databases, r.database) && !slices.Contains(others, r.database) {
			others = append(others, r.database)
			out = appendRights(out, "grants", u.Name+" in "+r.database, driftForeign, []string{"-" + r.String()})
			out[len(out)-1].Kept = s.kind == PostgreSQL // it can be revoked in that database only
		}
	}
	return out
}

// differing are the rights that an account has in a database that it may use, beyond those that Hostler grants and short of them.
func (s state) differing(u UserSpecification, has []right) (out []string) {
	want := writes
	if u.ReadOnly {
		want = reads
	}
	for _, r := range has {
		if r.grantable {
			out = append(out, "-"+right{object: r.object, name: "GRANT OPTION"}.String())
		}
		if u.ReadOnly && !slices.Contains(want, r.name) {
			out = append(out, "-"+right{object: r.object, name: r.name}.String())
		}
	}
	if s.kind == PostgreSQL { // its role has the rights
		return out
	}
	for _, name := range want {
		if !slices.ContainsFunc(has, func(r right) bool { return r.object == "" && r.name == name }) {
			out = append(out, "+"+name)
		}
	}
	return out
}

// roleOf is the role of PostgreSQL that gives an account access to a database.
func (s state) roleOf(u UserSpecification, d schema) string {
	if u.ReadOnly {
		return postgres{}.reader(d)
	}
	return postgres{}.owner(d)
}

// databaseRights compares who may enter the databases that Hostler created in PostgreSQL, and what their roles may do elsewhere.
func (s state) databaseRights(f found, busy names) (out []wire.Difference) {
	if s.kind != PostgreSQL {
		return nil
	}
	p := postgres{}
	for _, d := range s.databases {
		there, ok := f.database(d.name.text)
		if !ok || slices.Contains(busy.databases, d.name.text) {
			continue
		}
		for _, role := range []string{p.owner(d), p.reader(d)} {
			var wide []string
			for _, r := range f.rights[holder{role, anywhere}] {
				if r.database != d.name.text {
					wide = append(wide, "-"+strings.TrimSpace(r.String()+" "+r.database))
				}
			}
			if slices.ContainsFunc(slices.Concat(f.strange, f.mighty), func(u foundUser) bool { return u.name == role }) {
				wide = append(wide, "-LOGIN")
			}
			out = appendRights(out, "accounts", role, driftRights, wide)
		}
		if d.adopted {
			continue
		}
		if there.mark != p.owner(d) {
			out = append(out, wire.Difference{Step: stepOf("databases"), Path: d.name.text, What: "owner", Kept: true})
			continue
		}
		var diff []string
		if slices.Contains(f.open, d.name.text) {
			diff = append(diff, "-PUBLIC")
		}
		if !slices.Contains(f.enters, p.reader(d)) {
			diff = append(diff, "+CONNECT of "+p.reader(d))
		}
		if slices.Contains(f.public[d.name.text], createInPublic) {
			diff = append(diff, "-PUBLIC "+createInPublic)
		}
		out = appendRights(out, "grants", d.name.text, driftRights, diff)
	}
	return out
}

func appendRights(out []wire.Difference, step, path, what string, lines []string) []wire.Difference {
	if len(lines) == 0 {
		return out
	}
	slices.Sort(lines)
	return append(out, wire.Difference{Step: stepOf(step), Path: path, What: what, Diff: strings.Join(slices.Compact(lines), "\n") + "\n"})
}

// restore returns the steps of a repair: accounts that Hostler created get exactly the rights that it grants. An account that has them already keeps them
// throughout, and adopted accounts keep what they have.
func (s state) restore() ([]wire.Step, error) {
	var all []allowed
	for _, r := range s.users {
		if r.Specification.Adopted {
			continue
		}
		u, err := s.user(r)
		if err != nil {
			return nil, err
		}
		a := allowed{user: u}
		for _, d := range s.databases {
			if s.may(r.Specification, d) {
				a.keeps = append(a.keeps, d)
				if !r.Specification.Main || !d.adopted {
					a.may = append(a.may, d)
				}
			}
		}
		all = append(all, a)
	}
	return s.engine.restore(all, s.databases), nil
}

// allowed is an account with the databases that it gets access to, and those where it keeps what it has.
type allowed struct {
	user       user
	may, keeps []schema
}

// addRight notes a right: the holder, the database, the object, its name, and whether it can be granted to others.
func (f *found) addRight(kind Engine, fields []string) {
	h := holder{fields[0], fields[1]}
	r := right{database: fields[2], object: fields[3], name: fields[4], grantable: fields[5] == "grant"}
	if kind != PostgreSQL {
		if !everyone(h) { // whose pattern may cover several databases
			r.database = unescaped(r.database)
		}
		if r.database == "" && r.name == "USAGE" && !r.grantable {
			return
		}
	}
	if f.rights == nil {
		f.rights = map[holder][]right{}
	}
	f.rights[h] = append(f.rights[h], r)
}

// unescaped is a database in a grant of MariaDB and MySQL, where _ and % are wildcards unless they are escaped.
func unescaped(pattern string) string {
	return strings.NewReplacer(`\_`, "_", `\%`, "%").Replace(pattern)
}

// inList returns a list for IN, which is never empty; nothing is named "".
func inList(literal func(string) string, texts ...string) string {
	quoted := []string{literal("")}
	for _, t := range texts {
		quoted = append(quoted, literal(t))
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}
