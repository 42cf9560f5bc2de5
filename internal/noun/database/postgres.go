package database

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// postgres is PostgreSQL, the cluster of the distribution at the default port.
//
// Each database has two roles without login: hostler_rw_<id> owns it, hostler_ro_<id> reads it. An account with access to the
// database is a member of one, and its sessions there act as the owning role, so that other accounts can change what one creates:
// PostgreSQL has no privilege on others' future objects.
type postgres struct{}

func (p postgres) unit() string { return "postgresql.service" }
func (p postgres) port() string { return "5432" }

// run returns a script for psql in a database, as the engine's administrator. Files of that account are ignored, and the first
// error ends it. The database name is passed in the environment: as an argument it could be a connection string. So are the
// session's settings, which override those of the database's owner: a function or an operator of a tenant's is never found by a
// name.
func (p postgres) run(in string, statements ...string) *wire.Exec {
	return &wire.Exec{
		Argv: []string{
			"runuser", "--user", "postgres", "--", "psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--no-password",
			"--set=ON_ERROR_STOP=1", "--file=-",
		},
		Env:   map[string]string{"PGDATABASE": in, "PGCLIENTENCODING": "UTF8", "PGOPTIONS": dbaccount.PostgresOptions},
		Stdin: []byte(strings.Join(statements, ";\n") + ";\n"),
	}
}

const maintenance = "postgres" // the database for statements that belong to none

func (p postgres) global(statements ...string) *wire.Exec { return p.run(maintenance, statements...) }

func (p postgres) secret(statements ...string) *wire.Exec {
	e := p.global(statements...)
	e.Secret = true
	return e
}

// literal returns a text in SQL: with standard_conforming_strings only the quote is special in it.
func (p postgres) literal(text string) string { return doubled(text, "'") }

func (p postgres) quoted(text string) string { return doubled(text, `"`) }

func (p postgres) owner(d schema) string  { return fmt.Sprintf("%srw_%d", ours, d.id) }
func (p postgres) reader(d schema) string { return fmt.Sprintf("%sro_%d", ours, d.id) }

// when returns a statement of ours that runs only under a condition; psql runs the result of the query. It is for the maintenance
// database, which no tenant can enter; in a tenant's the server itself decides (do).
func (p postgres) when(condition, statement string) string {
	return fmt.Sprintf("SELECT %s WHERE %s \\gexec\nSELECT WHERE false", p.literal(statement), condition)
}

// do runs statements inside the server, with variables for what is found there: psql's input does not depend on the contents of a database.
func (p postgres) do(declare string, statements ...string) string {
	return "DO $hostler$\nDECLARE " + declare + ";\nBEGIN\n" + strings.Join(statements, ";\n") + ";\nEND\n$hostler$"
}

func (p postgres) hasRole(name string) string {
	return fmt.Sprintf("EXISTS (SELECT FROM pg_roles WHERE rolname = %s)", p.literal(name))
}

func (p postgres) hasDatabase(d schema) string {
	return fmt.Sprintf("EXISTS (SELECT FROM pg_database WHERE datname = %s)", p.literal(d.name.text))
}

// ours is true if the database exists and was created for this row.
func (p postgres) ours(d schema) string {
	return fmt.Sprintf("EXISTS (SELECT FROM pg_database WHERE datname = %s AND pg_get_userbyid(datdba) = %s)", p.literal(d.name.text), p.literal(p.owner(d)))
}

func (p postgres) refuse(condition, reason string) *wire.Exec {
	e := p.secret(fmt.Sprintf("SELECT CASE WHEN %s THEN %s ELSE 'free' END", condition, p.literal(reason)))
	e.Refuse = []string{reason}
	return e
}

// roles creates the two roles of a database.
func (p postgres) roles(d schema) []string {
	var out []string
	for _, role := range []string{p.owner(d), p.reader(d)} {
		out = append(out, p.when("NOT "+p.hasRole(role), "CREATE ROLE "+p.quoted(role)+" NOLOGIN"))
	}
	return append(out, fmt.Sprintf("COMMENT ON ROLE %s IS %s", p.quoted(p.owner(d)), p.literal("Owns the database "+d.name.text)),
		fmt.Sprintf("COMMENT ON ROLE %s IS %s", p.quoted(p.reader(d)), p.literal("Reads the database "+d.name.text)))
}

// If an engine of the distribution was set up with another locale, a new database would inherit it and its encoding.
const locale = " TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'"

func (p postgres) createDatabase(d schema, users []user) []wire.Step {
	name := p.quoted(d.name.text)
	steps := []wire.Step{
		{Name: "no other database is called " + d.name.text, Exec: p.refuse(p.hasDatabase(d)+" AND NOT "+p.ours(d), takenDatabase)},
		{Name: "database " + d.name.text, Exec: p.global(append(p.roles(d),
			p.when("NOT "+p.hasDatabase(d), "CREATE DATABASE "+name+" OWNER "+p.quoted(p.owner(d))+locale),
			"REVOKE ALL ON DATABASE "+name+" FROM PUBLIC")...)},
		p.readable(d),
	}
	for _, u := range users {
		steps = append(steps, wire.Step{Name: u.name.text + " may use " + d.name.text, Exec: p.global(p.allow(u, d, p.hasRole(u.name.text))...)})
	}
	return steps
}

func (p postgres) made(d schema, f foundDatabase) bool { return f.mark == p.owner(d) }

// readable lets the reading role of a database read what exists and what its owner will create.
func (p postgres) readable(d schema) wire.Step {
	owner, reader := p.quoted(p.owner(d)), p.quoted(p.reader(d))
	return wire.Step{Name: "readers of " + d.name.text, Exec: p.run(d.name.text,
		"REVOKE CREATE ON SCHEMA public FROM PUBLIC",
		"GRANT CREATE, USAGE ON SCHEMA public TO "+owner,
		"GRANT USAGE ON SCHEMA public TO "+reader,
		"GRANT CONNECT ON DATABASE "+p.quoted(d.name.text)+" TO "+reader,
		"GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+reader,
		"ALTER DEFAULT PRIVILEGES FOR ROLE "+owner+" GRANT SELECT ON TABLES TO "+reader,
		"ALTER DEFAULT PRIVILEGES FOR ROLE "+owner+" GRANT SELECT ON SEQUENCES TO "+reader,
		"ALTER DEFAULT PRIVILEGES FOR ROLE "+owner+" GRANT USAGE ON SCHEMAS TO "+reader,
	)}
}

// adopt lets the roles of an adopted database, which keeps its owner, use what exists and what its owner will create.
func (p postgres) adopt(d schema) []wire.Step {
	owner, reader := p.owner(d), p.reader(d)
	name := p.quoted(d.name.text)
	// The engine quotes the names that are found there, with %I.
	inSchemas := func(whats ...string) string {
		var out []string
		for _, what := range whats {
			out = append(out, "EXECUTE format("+p.literal("GRANT "+what)+", s)")
		}
		return "FOR s IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' LOOP\n" +
			strings.Join(out, ";\n") + ";\nEND LOOP"
	}
	defaults := func(what string) string {
		return "EXECUTE format(" + p.literal("ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT "+what) + ", o)"
	}
	return []wire.Step{
		{Name: "roles of " + d.name.text, Exec: p.global(append(p.roles(d),
			"GRANT CONNECT, TEMPORARY, CREATE ON DATABASE "+name+" TO "+p.quoted(owner), "GRANT CONNECT ON DATABASE "+name+" TO "+p.quoted(reader))...)},
		{Name: "what is in " + d.name.text, Exec: p.run(d.name.text, p.do("s name; o name",
			inSchemas("ALL ON SCHEMA %I TO "+p.quoted(owner), "ALL ON ALL TABLES IN SCHEMA %I TO "+p.quoted(owner),
				"ALL ON ALL SEQUENCES IN SCHEMA %I TO "+p.quoted(owner),
				"USAGE ON SCHEMA %I TO "+p.quoted(reader), "SELECT ON ALL TABLES IN SCHEMA %I TO "+p.quoted(reader)),
			"SELECT pg_get_userbyid(datdba) INTO o FROM pg_database WHERE datname = current_database()",
			defaults("ALL ON TABLES TO "+p.quoted(owner)), defaults("ALL ON SEQUENCES TO "+p.quoted(owner)), defaults("SELECT ON TABLES TO "+p.quoted(reader)),
			"ALTER DEFAULT PRIVILEGES FOR ROLE "+p.quoted(owner)+" GRANT SELECT ON TABLES TO "+p.quoted(reader),
		))},
	}
}

// allow makes an account a member of a role of the database, under a condition, and lets its sessions there act as the owner.
func (p postgres) allow(u user, d schema, condition string) []string {
	name, db := p.quoted(u.name.text), p.quoted(d.name.text)
	if u.readOnly {
		return []string{p.when(condition, "GRANT "+p.quoted(p.reader(d))+" TO "+name)}
	}
	return []string{
		p.when(condition, "GRANT "+p.quoted(p.owner(d))+" TO "+name),
		p.when(condition, "ALTER ROLE "+name+" IN DATABASE "+db+" SET role = "+p.literal(p.owner(d))),
	}
}

func (p postgres) forbid(u user, d schema) []string {
	name, db := p.quoted(u.name.text), p.quoted(d.name.text)
	there := p.hasRole(u.name.text)
	return []string{
		p.when(there+" AND "+p.hasDatabase(d), "ALTER ROLE "+name+" IN DATABASE "+db+" RESET role"),
		p.when(there+" AND "+p.hasRole(p.owner(d)), "REVOKE "+p.quoted(p.owner(d))+" FROM "+name),
		p.when(there+" AND "+p.hasRole(p.reader(d)), "REVOKE "+p.quoted(p.reader(d))+" FROM "+name),
		fmt.Sprintf("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = %s AND datname = %s", p.literal(u.name.text),
			p.literal(d.name.text)),
	}
}

func (p postgres) dropDatabase(d schema, _ []user, guarded bool) []wire.Step {
	drop := "DROP DATABASE " + p.quoted(d.name.text) + " WITH (FORCE)"
	condition, name := p.hasDatabase(d), "database "+d.name.text
	if guarded {
		condition, name = p.ours(d), name+" if Hostler created it"
	}
	roles := []string{p.when(condition, drop)}
	for _, role := range []string{p.owner(d), p.reader(d)} {
		roles = append(roles, "DROP ROLE IF EXISTS "+p.quoted(role))
	}
	return []wire.Step{{Name: name, Exec: p.global(roles...)}}
}

// foreign is true if there is an account of this name that was not created for this row.
func (p postgres) foreign(u user) string {
	return fmt.Sprintf("EXISTS (SELECT FROM pg_roles WHERE rolname = %s AND shobj_description(oid, 'pg_authid') IS DISTINCT FROM %s)",
		p.literal(u.name.text), p.literal(u.mark()))
}

// verifier returns PostgreSQL's stored form of a password. If its salt is unknown, in an earlier release, one is derived from its account.
func (p postgres) verifier(u user, password secret.String) string {
	salt := u.salt
	if salt == nil {
		salt = []byte(u.mark())
	}
	return p.literal(dbaccount.Scram(password.Reveal(), salt))
}

func (p postgres) createUser(u user, password secret.String, may []schema) []wire.Step {
	name := p.quoted(u.name.text)
	steps := []wire.Step{
		{Name: "no other account is called " + u.name.text, Exec: p.refuse(p.foreign(u), takenAccount)},
		{Name: "account " + u.name.text, Exec: p.secret("BEGIN", p.when("NOT "+p.hasRole(u.name.text), "CREATE ROLE "+name),
			"COMMENT ON ROLE "+name+" IS "+p.literal(u.mark()), "ALTER ROLE "+name+" LOGIN PASSWORD "+p.verifier(u, password), "COMMIT")},
	}
	return append(steps, p.grant(u, may, nil)...)
}

func (p postgres) setPassword(u user, password secret.String) []wire.Step {
	return []wire.Step{{Name: "password of " + u.name.text, Exec: p.secret("ALTER ROLE " + p.quoted(u.name.text) + " PASSWORD " + p.verifier(u, password))}}
}

func (p postgres) grant(u user, may, not []schema) []wire.Step {
	var steps []wire.Step
	var statements []string
	for _, d := range may {
		if d.adopted {
			steps = append(steps, p.adopt(d)...)
		}
		statements = append(statements, p.allow(u, d, "true")...)
	}
	for _, d := range not {
		statements = append(statements, p.forbid(u, d)...)
	}
	return granted(steps, u, p.global, statements)
}

func (p postgres) dropUser(u user, all []schema, made *secret.String) []wire.Step {
	name, condition := "account "+u.name.text, p.hasRole(u.name.text)
	if made != nil {
		name, condition = name+" if Hostler created it", condition+" AND NOT "+p.foreign(u)
	}
	role := p.quoted(u.name.text)
	// Its objects belong to the role that owns the database afterwards, since PostgreSQL drops no role that owns something. They
	// never go to another owner of the database: a function that runs with its owner's rights would run with an administrator's.
	// Until it is dropped it is known by its mark: without its login it would not be listed. If a later step fails, it can log in again.
	mark := "COMMENT ON ROLE " + role + " IS " + p.literal(u.mark())
	shut := p.global(p.when(condition, mark), p.when(condition, "ALTER ROLE "+role+" NOLOGIN"),
		fmt.Sprintf("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = %s AND %s", p.literal(u.name.text), condition))
	shut.Undo = p.global(p.when(condition, "ALTER ROLE "+role+" LOGIN")).Stdin
	steps := []wire.Step{{Name: "connections of " + u.name.text, Exec: shut}}
	for _, d := range all {
		if d.adopted {
			owns := fmt.Sprintf("%s AND EXISTS (SELECT FROM pg_database WHERE datname = %s AND pg_get_userbyid(datdba) = %s)", condition,
				p.literal(d.name.text), p.literal(u.name.text))
			steps = append(steps, wire.Step{
				Name: "owner of " + d.name.text,
				Exec: p.global(append(p.roles(d), p.when(owns, "ALTER DATABASE "+p.quoted(d.name.text)+" OWNER TO "+p.quoted(p.owner(d))))...),
			})
		}
	}
	for _, d := range all {
		left := p.do("there boolean := "+condition, "IF there THEN\nREASSIGN OWNED BY "+role+" TO "+p.quoted(p.owner(d))+";\nDROP OWNED BY "+role+";\nEND IF")
		steps = append(steps, wire.Step{Name: "what " + u.name.text + " left in " + d.name.text, Exec: p.run(d.name.text, left)})
	}
	return append(steps, wire.Step{Name: name, Exec: p.global(p.when(condition, "DROP ROLE "+role))})
}

func (p postgres) ask() wire.Step {
	return wire.Step{Name: "the engine answers", Exec: p.global("SELECT 1")}
}

func (p postgres) madeUser(u user, f foundUser, _ bool) bool { return f.mark == u.mark() }

// account is true for a role that is an account: one that can log in, or could until its deletion began.
func (p postgres) account(role string) string {
	return fmt.Sprintf("(%s.rolcanlogin OR coalesce(starts_with(shobj_description(%[1]s.oid, 'pg_authid'), %s), false))", role, p.literal(accountMark))
}

func (p postgres) inventory(within []schema, passwords ...proof) wire.Step {
	hex := func(column string) string { return "upper(encode(convert_to(" + column + ", 'UTF8'), 'hex'))" }
	statements := []string{
		"SELECT 'database', " + hex("datname") + ", " + hex("pg_get_userbyid(datdba)") + " FROM pg_database WHERE NOT datistemplate AND datallowconn",
		"SELECT 'account', " + hex("rolname") + ", '25', CASE WHEN rolsuper OR rolreplication THEN 'super' ELSE 'plain' END, " +
			hex("coalesce(shobj_description(oid, 'pg_authid'), '')") +
			" FROM pg_roles r WHERE " + p.account("r"),
		"SELECT 'member', " + hex("u.rolname") + ", '25', " + hex("r.rolname") +
			" FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles u ON u.oid = m.member" +
			" WHERE " + p.account("u") + " AND starts_with(r.rolname::text, " + p.literal(ours) + ")",
	}
	statements = append(statements, p.rights(hex)...)
	for _, x := range passwords {
		statements = append(statements, fmt.Sprintf("SELECT 'password', %s, '25' FROM pg_authid WHERE rolname = %s AND rolpassword = %s",
			hex("rolname"), p.literal(x.user.name.text), p.verifier(x.user, x.password)))
	}
	statements = append(append(statements, p.inPublic(within, hex)...), p.inExtensions(within, hex)...)
	return wire.Step{Name: "list databases and accounts", Exec: p.global(statements...)}
}
