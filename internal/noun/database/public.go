package database

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// public is the role of MariaDB (since 10.11) and PostgreSQL that every account has. MySQL and older versions of MariaDB give everyone the rights in databases
// that an account without a name has, if there is such an account or not.
const public = "PUBLIC"

// createInPublic is the right that PostgreSQL before 15 gives everyone in a new database; Hostler takes it away.
const createInPublic = "CREATE on schema public"

// everyone reports whether a holder stands for all accounts of MariaDB or MySQL.
func everyone(h holder) bool { return h.name == "" || h == holder{name: public} }

// everything stands for the privileges of the whole engine, which are a number where MariaDB stores those of a role.
const everything = "rights in the whole engine"

// publicRights print what MariaDB and MySQL store of everyone's rights apart from those of accounts.
func (m mysql) publicRights() []string {
	out := []string{
		"SELECT DISTINCT 'right', '', HEX(Host), HEX(Db), '', HEX('rights'), 'plain' FROM mysql.db d WHERE User = '' AND NOT EXISTS (SELECT 1 FROM " +
			"mysql.user u WHERE u.User = '' AND u.Host = d.Host)",
	}
	if m.kind == MySQL {
		return append(out, "SELECT 'right', HEX("+m.literal(public)+
			"), '', '', '', HEX(@@GLOBAL.mandatory_roles), 'plain' FROM DUAL WHERE @@GLOBAL.mandatory_roles <> ''")
	}
	return append(out,
		fmt.Sprintf("SELECT 'right', HEX(User), '', '', '', HEX(%s), 'plain' FROM mysql.global_priv WHERE %s", m.literal(everything), m.publicGlobal()),
		fmt.Sprintf("SELECT 'right', HEX(User), '', '', '', HEX(Role), IF(Admin_option = 'Y', 'grant', 'plain') FROM mysql.roles_mapping WHERE Host = '' "+
			"AND User = %s", m.literal(public)))
}

func (m mysql) publicGlobal() string {
	return fmt.Sprintf("User = %s AND Host = '' AND COALESCE(JSON_VALUE(Priv, '$.access'), '0') <> '0'", m.literal(public))
}

// publicRights compares what every account of MariaDB or MySQL may do: nothing. Of databases that Hostler did not create it is only said, except for those that
// some packages of the engine open for tests.
func (s state) publicRights(f found, busy names) (out []wire.Difference) {
	if s.kind == PostgreSQL {
		for _, d := range s.databases {
			more := slices.DeleteFunc(slices.Clone(f.public[d.name.text]), func(line string) bool { return line == createInPublic })
			for i, line := range more {
				more[i] = "-" + line
			}
			if d.adopted || slices.Contains(busy.databases, d.name.text) || len(more) == 0 {
				continue
			}
			out = appendRights(out, "grants", public+" in "+d.name.text, driftForeign, more)
			out[len(out)-1].Kept = true // its owner may have granted it
		}
		return out
	}
	var global []string
	in, elsewhere := map[string][]string{}, map[string][]string{}
	for h, rights := range f.rights {
		if !everyone(h) {
			continue
		}
		for _, r := range rights {
			if r.database == "" {
				if h.name == public {
					global = append(global, "-"+r.String())
				}
				continue
			}
			line, covers := "-"+r.String(), false
			for _, d := range s.databases {
				if !like(r.database, d.name.text) {
					continue
				}
				covers = true
				if !slices.Contains(busy.databases, d.name.text) {
					in[d.name.text] = append(in[d.name.text], line)
				}
			}
			if !covers && r.database != "test" && r.database != `test\_%` {
				name := text.Line(r.database)
				elsewhere[name] = append(elsewhere[name], line)
			}
		}
	}
	out = appendRights(out, "accounts", public, driftRights, global)
	if len(out) > 0 {
		out[0].Kept = s.kind == MySQL // a setting of the engine names its mandatory roles
	}
	for _, d := range s.databases {
		if lines := in[d.name.text]; len(lines) > 0 {
			out = appendRights(out, "grants", public+" in "+d.name.text, driftForeign, lines)
			out[len(out)-1].Kept = d.adopted
		}
	}
	var others []string
	for name := range elsewhere {
		others = append(others, name)
	}
	slices.Sort(others)
	for _, name := range others {
		out = appendRights(out, "grants", public+" in "+name, driftForeign, elsewhere[name])
		out[len(out)-1].Kept = true
	}
	return out
}

// like reports whether a pattern of MariaDB and MySQL covers a database: % is any text, _ one character, and a backslash takes that away.
func like(pattern, name string) bool {
	switch {
	case pattern == "":
		return name == ""
	case pattern[0] == '%':
		for i := range len(name) + 1 {
			if like(pattern[1:], name[i:]) {
				return true
			}
		}
		return false
	case pattern[0] == '\\' && len(pattern) > 1:
		pattern = pattern[1:]
	case pattern[0] == '_':
		return name != "" && like(pattern[1:], name[1:])
	}
	return name != "" && name[0] == pattern[0] && like(pattern[1:], name[1:])
}

// withdraw takes away what every account may do in databases that Hostler created, and drops accounts without a name.
func (m mysql) withdraw(accounts []allowed, all []schema) []string {
	if len(accounts)+len(all) == 0 {
		return nil
	}
	holders := []string{"User = ''"}
	if m.kind == MariaDB {
		holders = append(holders, "User = "+m.literal(public)+" AND Host = ''")
	}
	who := "(" + strings.Join(holders, " OR ") + ")"
	var names, covers []string
	for _, d := range all {
		if !d.adopted {
			names, covers = append(names, d.name.text), append(covers, fmt.Sprintf(`%s LIKE Db ESCAPE '\'`, m.literal(d.name.text)))
		}
	}
	statements := []string{
		"SET SESSION group_concat_max_len = 65536",
		`SET @hostler = COALESCE((SELECT CONCAT('DROP USER ', GROUP_CONCAT(CONCAT('''''@''', REPLACE(Host, '''', ''''''), ` +
			`''''))) FROM mysql.user WHERE User = ''), 'DO 0')`,
		"PREPARE hostler FROM @hostler;\nEXECUTE hostler;\nDEALLOCATE PREPARE hostler",
		"SET @public = 0",
	}
	remove := func(table, where string) {
		from := " FROM mysql." + table + " WHERE " + who + " AND " + where
		statements = append(statements, "SET @here = EXISTS (SELECT 1"+from+")", "SET @public = @public OR @here", m.when("@here", "DELETE"+from))
	}
	if len(names) > 0 {
		remove("db", "("+strings.Join(covers, " OR ")+")")
		for _, table := range []string{"tables_priv", "columns_priv", "procs_priv"} {
			remove(table, "Db IN "+m.inBinary(names))
		}
	}
	if m.kind == MariaDB {
		remove("roles_mapping", "User = "+m.literal(public))
		global := "EXISTS (SELECT 1 FROM mysql.global_priv WHERE " + m.publicGlobal() + ")"
		statements = append(statements, m.when(global, "REVOKE ALL PRIVILEGES ON *.* FROM PUBLIC"), m.when(global, "REVOKE GRANT OPTION ON *.* FROM PUBLIC"))
	}
	return append(statements, m.when("@public", "FLUSH PRIVILEGES"))
}

// sharedRights print what accounts were granted on parameters and tablespaces of PostgreSQL: some parameters run programs.
func (p postgres) sharedRights(known string, who func(string) string, hex func(string) string) []string {
	return []string{
		who("u") + "'', '', " + hex("x.privilege_type || ' on tablespace ' || t.spcname") +
			", 'plain' FROM pg_tablespace t, aclexplode(t.spcacl) x JOIN pg_roles u ON u.oid = x.grantee WHERE " + known,
		p.since15(who("u") + "'', '', " + hex("x.privilege_type || ' on parameter ' || a.parname") +
			", 'plain' FROM pg_parameter_acl a, aclexplode(a.paracl) x JOIN pg_roles u ON u.oid = x.grantee WHERE " + known),
	}
}

// since15 runs a statement in PostgreSQL 15 and later, which have rights on parameters.
func (p postgres) since15(statement string) string {
	return "SELECT current_setting('server_version_num')::int >= 150000 AS parameters \\gset\n\\if :parameters\n" + statement + ";\n\\endif\nSELECT WHERE false"
}

// withdraw takes the rights on parameters and tablespaces away from accounts and roles of databases.
func (p postgres) withdraw(accounts []allowed, all []schema) []string {
	var roles []string
	for _, a := range accounts {
		roles = append(roles, a.user.name.text)
	}
	for _, d := range all {
		roles = append(roles, p.owner(d), p.reader(d))
	}
	if len(roles) == 0 {
		return nil
	}
	of := " JOIN pg_roles u ON u.oid = x.grantee WHERE u.rolname IN " + inList(p.literal, roles...)
	return []string{
		p.each("SELECT DISTINCT format('REVOKE ALL ON TABLESPACE %I FROM %I CASCADE', t.spcname, u.rolname) FROM pg_tablespace t, aclexplode(t.spcacl) x" + of),
		p.since15("SELECT DISTINCT format('REVOKE ALL ON PARAMETER %s FROM %I CASCADE', a.parname, u.rolname) FROM pg_parameter_acl a, aclexplode(a.paracl) x" +
			of + " \\gexec\nSELECT WHERE false"),
	}
}

// inside runs statements in a database if it can be entered.
func (p postgres) inside(d schema, statements ...string) string {
	return "\\connect " + maintenance + "\nSELECT EXISTS (SELECT FROM pg_database WHERE datname = " + p.literal(d.name.text) +
		" AND datallowconn) AS there \\gset\n\\if :there\n\\connect " +
		p.quoted(d.name.text) + "\n" + strings.Join(statements, ";\n") + ";\n\\endif\nSELECT WHERE false"
}

// inPublic prints what every account may do in databases that Hostler created, beyond what readers may. Only members of their roles enter them, so that it is
// what readers may do too much. Objects of extensions have the rights that these give.
func (p postgres) inPublic(within []schema, hex func(string) string) (out []string) {
	said := "SELECT 'public', " + hex("current_database()") + ", "
	apart := func(catalog string) string {
		return " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '" + catalog + "'::regclass AND d.objid = o.oid AND d.deptype = 'e')"
	}
	const theirs = " AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
	for _, d := range within {
		if d.adopted {
			continue
		}
		out = append(out, p.inside(d,
			said+hex("'CREATE on schema ' || o.nspname")+" FROM pg_namespace o, aclexplode(o.nspacl) x WHERE x.grantee = 0 AND x.privilege_type = 'CREATE'"+
				" AND o.nspname NOT LIKE 'pg\\_%' AND o.nspname <> 'information_schema'"+apart("pg_namespace"),
			said+hex("x.privilege_type || ' on ' || count(DISTINCT o.oid) || CASE count(DISTINCT o.oid) WHEN 1 THEN ' object' ELSE ' objects' END")+
				" FROM (SELECT oid, relnamespace, relacl AS acl FROM pg_class UNION ALL SELECT c.oid, c.relnamespace, a.attacl FROM pg_attribute a JOIN pg_class "+
				"c ON c.oid = a.attrelid) o"+
				" JOIN pg_namespace n ON n.oid = o.relnamespace, aclexplode(o.acl) x WHERE x.grantee = 0 AND x.privilege_type <> 'SELECT'"+theirs+apart("pg_class")+
				" GROUP BY x.privilege_type",
			said+hex("x.privilege_type || ' on what ' || pg_get_userbyid(a.defaclrole) || ' creates'")+" FROM pg_default_acl a, aclexplode(a.defaclacl) x"+
				" WHERE x.grantee = 0 AND (a.defaclobjtype IN ('r', 'S') AND x.privilege_type <> 'SELECT' OR a.defaclobjtype = 'n' AND x.privilege_type = 'CREATE')"))
	}
	if len(out) > 0 {
		out = append(out, "\\connect "+maintenance+"\nSELECT WHERE false")
	}
	return out
}
