package database

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// attributes are those of a role that give it more than its memberships do (CREATE ROLE).
var attributes = [...][2]string{ //nolint:gochecknoglobals // a constant list
	{"rolsuper", "SUPERUSER"}, {"rolcreatedb", "CREATEDB"}, {"rolcreaterole", "CREATEROLE"}, {"rolreplication", "REPLICATION"}, {"rolbypassrls", "BYPASSRLS"},
}

// rights print what accounts and the roles of databases have beyond these roles: attributes, other roles, objects of databases, and who may enter databases.
// pg_shdepend knows of the whole cluster which roles are named in rights of objects.
func (p postgres) rights(hex func(string) string) []string {
	who := func(role string) string { return "SELECT 'right', " + hex(role+".rolname") + ", '25', " }
	known := "(" + p.account("u") + " OR starts_with(u.rolname::text, " + p.literal(ours) + "))"
	out := p.sharedRights(known, who, hex)
	for _, a := range attributes {
		out = append(out, who("u")+"'', '', "+hex(p.literal(a[1]))+", 'plain' FROM pg_roles u WHERE u."+a[0]+" AND "+known)
	}
	return append(out,
		who("u")+"'', '', "+hex(p.literal(locked))+", 'plain' FROM pg_roles u WHERE NOT u.rolcanlogin AND "+p.account("u"),
		who("u")+"'', '', "+hex("r.rolname")+", CASE WHEN m.admin_option THEN 'grant' ELSE 'plain' END FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid"+
			" JOIN pg_roles u ON u.oid = m.member WHERE "+known+" AND (m.admin_option OR NOT starts_with(r.rolname::text, "+p.literal(ours)+"))",
		who("u")+hex("d.datname")+", '', "+hex("'rights on ' || count(*) || CASE count(*) WHEN 1 THEN ' object' ELSE ' objects' END")+
			", 'plain' FROM pg_shdepend s JOIN pg_roles u ON u.oid = s.refobjid"+
			" JOIN pg_database d ON d.oid = CASE WHEN s.dbid = 0 THEN s.objid ELSE s.dbid END WHERE s.refclassid = 'pg_authid'::regclass AND s.deptype = 'a'"+
			" AND (s.dbid <> 0 OR s.classid = 'pg_database'::regclass) AND "+known+" GROUP BY u.rolname, d.datname",
		"SELECT 'open', "+hex("datname")+" FROM pg_database WHERE EXISTS (SELECT FROM aclexplode(coalesce(datacl, acldefault('d', datdba))) WHERE grantee = 0)",
		"SELECT 'enters', "+hex("r.rolname")+
			" FROM pg_roles r JOIN pg_database d ON EXISTS (SELECT FROM aclexplode(d.datacl) WHERE grantee = r.oid AND privilege_type = 'CONNECT')"+
			" WHERE starts_with(r.rolname::text, "+p.literal(ours+"ro_")+")",
	)
}

// each runs the statements that a query returns.
func (p postgres) each(query string) string { return query + " \\gexec\nSELECT WHERE false" }

// plain takes attributes away from a role that has any.
func (p postgres) plain(role string) string {
	var has, none []string
	for _, a := range attributes {
		has, none = append(has, a[0]), append(none, "NO"+a[1])
	}
	return p.when(fmt.Sprintf("EXISTS (SELECT FROM pg_roles WHERE rolname = %s AND (%s))", p.literal(role), strings.Join(has, " OR ")),
		"ALTER ROLE "+p.quoted(role)+" "+strings.Join(none, " "))
}

// onlyIn takes all roles from a role but these, and the right to pass these on. Since PostgreSQL 16 a membership is known with who gave it.
func (p postgres) onlyIn(role string, roles ...string) []string {
	revoke := func(what, condition string) string {
		return p.each("SELECT format(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN " +
			p.literal("REVOKE "+what+"%I FROM %I GRANTED BY %I CASCADE") +
			" ELSE " + p.literal("REVOKE "+what+"%I FROM %I CASCADE") +
			" END, r.rolname, u.rolname, pg_get_userbyid(m.grantor)) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid" +
			" JOIN pg_roles u ON u.oid = m.member WHERE u.rolname = " + p.literal(role) + " AND " + condition)
	}
	list := inList(p.literal, roles...)
	return []string{revoke("", "r.rolname NOT IN "+list), revoke("ADMIN OPTION FOR ", "m.admin_option AND r.rolname IN "+list)}
}

func (p postgres) restore(accounts []allowed, all []schema) []wire.Step {
	statements := p.withdraw(accounts, all)
	for _, d := range all {
		owner, reader, name := p.owner(d), p.reader(d), p.quoted(d.name.text)
		for _, role := range []string{owner, reader} {
			statements = append(statements, p.plain(role), p.when("EXISTS (SELECT FROM pg_roles WHERE rolname = "+p.literal(role)+" AND rolcanlogin)", "ALTER ROLE "+
				p.quoted(role)+" NOLOGIN"))
			statements = append(statements, p.onlyIn(role)...)
		}
		if !d.adopted {
			statements = append(statements,
				p.when(fmt.Sprintf("EXISTS (SELECT FROM pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) WHERE datname = %s AND grantee = 0)",
					p.literal(d.name.text)),
					"REVOKE ALL ON DATABASE "+name+" FROM PUBLIC"),
				p.when(p.hasDatabase(d)+" AND "+p.hasRole(reader), "GRANT CONNECT ON DATABASE "+name+" TO "+p.quoted(reader)))
		}
	}
	for _, a := range accounts {
		there := p.hasRole(a.user.name.text)
		var roles []string
		for _, d := range a.keeps {
			role := p.owner(d)
			if a.user.readOnly {
				role = p.reader(d)
			}
			roles = append(roles, role)
		}
		statements = append(statements, p.plain(a.user.name.text),
			p.when("EXISTS (SELECT FROM pg_roles WHERE rolname = "+p.literal(a.user.name.text)+" AND NOT rolcanlogin)",
				"ALTER ROLE "+p.quoted(a.user.name.text)+" LOGIN"))
		statements = append(statements, p.onlyIn(a.user.name.text, roles...)...)
		for _, d := range a.may {
			statements = append(statements, p.allow(a.user, d, there+" AND "+p.hasDatabase(d)+" AND "+p.hasRole(p.owner(d)))...)
		}
	}
	if len(statements) == 0 {
		return nil
	}
	steps := []wire.Step{{Name: "rights of accounts", Exec: p.global(statements...)}}
	var within []string
	for _, d := range all { // one that is missing is left out
		if in := p.ownRights(accounts, d); len(in) > 0 {
			within = append(within, p.inside(d, in...))
		}
	}
	if len(within) > 0 {
		steps = append(steps, wire.Step{Name: "rights of accounts in databases", Exec: p.global(within...)})
	}
	return steps
}

// ownRights take away what accounts were granted themselves in a database that they may not use completely. What they own passes to the database's role, as
// PostgreSQL takes rights and objects away together.
func (p postgres) ownRights(accounts []allowed, d schema) []string {
	var out []string
	if !d.adopted {
		out = append(out, p.do("there boolean := EXISTS (SELECT FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'public' AND grantee = 0 AND "+
			"privilege_type = 'CREATE')",
			"IF there THEN\nREVOKE CREATE ON SCHEMA public FROM PUBLIC;\nEND IF"))
	}
	for _, a := range accounts {
		if !a.user.readOnly && slices.ContainsFunc(a.keeps, func(k schema) bool { return k.id == d.id }) {
			continue
		}
		role := p.quoted(a.user.name.text)
		out = append(out, p.do("there boolean := EXISTS (SELECT FROM pg_shdepend s JOIN pg_roles u ON u.oid = s.refobjid WHERE s.refclassid = "+
			"'pg_authid'::regclass AND s.deptype = 'a'"+
			" AND u.rolname = "+p.literal(a.user.name.text)+" AND (s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"+
			" OR s.classid = 'pg_database'::regclass AND s.objid = (SELECT oid FROM pg_database WHERE datname = current_database())))",
			"IF there THEN\nREASSIGN OWNED BY "+role+" TO "+p.quoted(p.owner(d))+";\nDROP OWNED BY "+role+";\nEND IF"))
	}
	return out
}
