package database

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// mysql is MariaDB and MySQL.
type mysql struct {
	kind    Engine
	client  string
	service string
}

func (m mysql) unit() string { return m.service }
func (m mysql) port() string { return "3306" }

// anywhere is the host of the accounts that we create: the firewall restricts access to the port.
const anywhere = "%"

// run returns a program for the client. --binary-mode disables the client's own commands (\! runs a shell) except for charset and
// delimiter, and --no-defaults ignores settings files. The mode fixes the meaning of quotes in literal and name, whatever the
// server's settings are.
func (m mysql) run(statements ...string) *wire.Exec {
	return &wire.Exec{
		Argv: []string{
			m.client, "--no-defaults", "--protocol=socket", "--user=root", "--batch", "--skip-column-names", "--binary-mode",
			"--default-character-set=utf8mb4",
		},
		Stdin: []byte("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES';\n" + strings.Join(statements, ";\n") + ";\n"),
	}
}

func (m mysql) secret(statements ...string) *wire.Exec {
	e := m.run(statements...)
	e.Secret = true
	return e
}

// literal returns a text in SQL: with NO_BACKSLASH_ESCAPES only the quote is special in it.
func (m mysql) literal(text string) string { return doubled(text, "'") }

func (m mysql) quoted(n Name) string { return doubled(n.text, "`") }

// pattern returns a database in GRANT and REVOKE, where _ and % are wildcards unless escaped.
func (m mysql) pattern(n Name) string { return doubled(wildcards.Replace(n.text), "`") }

var wildcards = strings.NewReplacer("_", `\_`, "%", `\%`)

func (m mysql) account(u user) string { return m.literal(u.name.text) + "@" + m.literal(u.host) }

// when returns a statement that runs only under a condition: neither engine has one outside of stored programs.
func (m mysql) when(condition, statement string) string {
	return computed(fmt.Sprintf("IF(%s, %s, 'DO 0')", condition, m.literal(statement)))
}

// computed returns the statements that run what an expression has as its text.
func computed(expression string) string {
	return "SET @hostler = " + expression + ";\nPREPARE hostler FROM @hostler;\nEXECUTE hostler;\nDEALLOCATE PREPARE hostler"
}

func (m mysql) exists(u user) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM mysql.user WHERE User = %s AND Host = %s)", m.literal(u.name.text), m.literal(u.host))
}

// may is true if an account was granted a database as pattern spells it.
func (m mysql) may(u user, spelled string) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM mysql.db WHERE User = %s AND Host = %s AND Db = %s)", m.literal(u.name.text), m.literal(u.host), m.literal(spelled))
}

func (m mysql) tables(d schema) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = %[1]s AND BINARY TABLE_SCHEMA = %[1]s)", m.literal(d.name.text))
}

const (
	takenDatabase = "there is a database of this name on the server already; synchronize to manage it"
	takenAccount  = "there is an account of this name on the server already; synchronize to manage it"
)

// refuse fails a step under a condition, with the reason.
func (m mysql) refuse(condition, reason string) *wire.Exec {
	e := m.secret(fmt.Sprintf("SELECT IF(%s, %s, 'free')", condition, m.literal(reason)))
	e.Refuse = []string{reason}
	return e
}

// commented is true if there is a database of this name with another comment. MariaDB stores comments of databases since 10.5, MySQL stores none.
func (m mysql) commented(d schema, with string) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = %[1]s AND BINARY SCHEMA_NAME = %[1]s AND SCHEMA_COMMENT "+
		"%[2]s %[3]s)",
		m.literal(d.name.text), with, m.literal(d.mark()))
}

// taken is true if there is a database of this name that was not created for the row. MySQL can't tell whose an empty one is.
func (m mysql) taken(d schema) string {
	if m.kind == MySQL {
		return m.tables(d)
	}
	return m.commented(d, "<>")
}

// ours is true if the database was created for the row and was not used since, as far as that is known.
func (m mysql) ours(d schema) string {
	if m.kind == MySQL {
		return "NOT " + m.tables(d)
	}
	return m.commented(d, "=") + " AND NOT " + m.tables(d)
}

func (m mysql) made(d schema, f foundDatabase) bool {
	if m.kind == MySQL {
		return f.mark == emptyDatabase
	}
	return f.mark == d.mark()
}

// emptyDatabase and fullDatabase are the marks of a database in MySQL's inventory.
const emptyDatabase, fullDatabase = "empty", "full"

func (m mysql) createDatabase(d schema, users []user) []wire.Step {
	create := fmt.Sprintf("CREATE DATABASE IF NOT EXISTS %s CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", m.quoted(d.name))
	if m.kind == MariaDB {
		create += " COMMENT " + m.literal(d.mark())
	}
	steps := []wire.Step{
		{Name: "no other database is called " + d.name.text, Exec: m.refuse(m.taken(d), takenDatabase)},
		{Name: "database " + d.name.text, Exec: m.run(create)},
	}
	for _, u := range users {
		steps = append(steps, wire.Step{Name: u.name.text + " may use " + d.name.text, Exec: m.run(m.when(m.exists(u), m.allow(u, d)))})
	}
	return steps
}

func (m mysql) allow(u user, d schema) string {
	what := "ALL PRIVILEGES"
	if u.readOnly {
		what = "SELECT, SHOW VIEW"
	}
	return fmt.Sprintf("GRANT %s ON %s.* TO %s", what, m.pattern(d.name), m.account(u))
}

// forbid revokes the rights of an account in a database, however the grant spells the database.
func (m mysql) forbid(u user, d schema) []string {
	var out []string
	for _, spelled := range []string{wildcards.Replace(d.name.text), d.name.text} {
		out = append(out, m.when(m.may(u, spelled), fmt.Sprintf("REVOKE ALL PRIVILEGES ON %s.* FROM %s", doubled(spelled, "`"), m.account(u))))
		if spelled == wildcards.Replace(spelled) {
			break // no wildcard: there is only one spelling
		}
	}
	return out
}

func (m mysql) dropDatabase(d schema, users []user, guarded bool) []wire.Step {
	drop := "DROP DATABASE IF EXISTS " + m.quoted(d.name)
	if guarded {
		return []wire.Step{{Name: "database " + d.name.text + " if Hostler created it and is empty", Exec: m.run(m.when(m.ours(d), drop))}}
	}
	var steps []wire.Step
	var forbid []string
	for _, u := range users { // a grant outlives its database, and would open the next one of this name
		forbid = append(forbid, m.forbid(u, d)...)
	}
	if len(forbid) > 0 {
		steps = append(steps, wire.Step{Name: "accounts of " + d.name.text, Exec: m.run(forbid...)})
	}
	definer := m.literal(dbaccount.Definer(d.name.text)) + "@'localhost'" // objects of a restore run as it
	return append(steps, wire.Step{Name: "database " + d.name.text, Exec: m.run(drop, "DROP USER IF EXISTS "+definer)})
}

// identified returns the authentication clause of an account. MariaDB takes the hash that it stores; MySQL's has a salt that the server generates.
func (m mysql) identified(password secret.String) string {
	if m.kind == MySQL {
		return "IDENTIFIED BY " + m.literal(password.Reveal())
	}
	return "IDENTIFIED VIA mysql_native_password USING " + m.literal(dbaccount.Native(password.Reveal()))
}

// attributes returns MySQL's attributes of an account.
func (m mysql) attributes(u user, made bool) string {
	var fields []string
	if made {
		fields = append(fields, fmt.Sprintf(`"comment": "%s"`, u.mark()))
	}
	if u.salt != nil {
		fields = append(fields, fmt.Sprintf(`"hostler": "%x"`, u.salt))
	}
	if m.kind != MySQL || len(fields) == 0 {
		return ""
	}
	return " ATTRIBUTE " + m.literal("{"+strings.Join(fields, ", ")+"}")
}

// foreign is true if there is an account of this name that was not created for this row (with this password).
func (m mysql) foreign(u user, password secret.String) string {
	if m.kind == MySQL {
		return fmt.Sprintf("EXISTS (SELECT 1 FROM information_schema.USER_ATTRIBUTES WHERE USER = %s AND (HOST <> %s OR NOT (ATTRIBUTE ->> '$.comment' <=> %s)))",
			m.literal(u.name.text), m.literal(u.host), m.literal(u.mark()))
	}
	return fmt.Sprintf("EXISTS (SELECT 1 FROM mysql.user WHERE User = %s AND (Host <> %s OR authentication_string <> %s))",
		m.literal(u.name.text), m.literal(u.host), m.literal(dbaccount.Native(password.Reveal())))
}

func (m mysql) createUser(u user, password secret.String, may []schema) []wire.Step {
	create := fmt.Sprintf("CREATE USER IF NOT EXISTS %s %s%s", m.account(u), m.identified(password), m.attributes(u, true))
	steps := []wire.Step{
		{Name: "no other account is called " + u.name.text, Exec: m.refuse(m.foreign(u, password), takenAccount)},
		{Name: "account " + u.name.text, Exec: m.secret(append([]string{create}, m.alter(u, password)...)...)},
	}
	return append(steps, m.grant(u, may, nil)...)
}

func (m mysql) setPassword(u user, password secret.String) []wire.Step {
	return []wire.Step{{Name: "password of " + u.name.text, Exec: m.secret(m.alter(u, password)...)}}
}

// alter sets a password. MySQL notes of which stored form it did: the salt in that is the server's, and one that was set by hand has another.
func (m mysql) alter(u user, password secret.String) []string {
	statements := []string{fmt.Sprintf("ALTER USER %s %s%s", m.account(u), m.identified(password), m.attributes(u, false))}
	if m.kind == MySQL && u.salt != nil {
		stored := fmt.Sprintf("(SELECT SHA2(authentication_string, 256) FROM mysql.user WHERE User = %s AND Host = %s)", m.literal(u.name.text), m.literal(u.host))
		statements = append(statements, computed(fmt.Sprintf("CONCAT(%s, %s, %s)", m.literal("ALTER USER "+m.account(u)+` ATTRIBUTE '{"stored": "`), stored,
			m.literal(`"}'`))))
	}
	return statements
}

func (m mysql) madeUser(u user, f foundUser, proven bool) bool {
	if m.kind == MySQL {
		return f.mark == u.mark()
	}
	return proven
}

func (m mysql) grant(u user, may, not []schema) []wire.Step {
	var statements []string
	for _, d := range may {
		statements = append(statements, m.allow(u, d))
	}
	for _, d := range not {
		statements = append(statements, m.forbid(u, d)...)
	}
	return granted(nil, u, m.run, statements)
}

func (m mysql) dropUser(u user, _ []schema, made *secret.String) []wire.Step {
	drop := "DROP USER IF EXISTS " + m.account(u)
	name := "account " + u.name.text
	if made != nil {
		return []wire.Step{{Name: name + " if Hostler created it", Exec: m.secret(m.when("NOT "+m.foreign(u, *made), drop))}}
	}
	var steps []wire.Step
	if m.kind == MariaDB { // otherwise an open connection continues
		shut := m.run("ALTER USER IF EXISTS "+m.account(u)+" ACCOUNT LOCK", "KILL HARD USER "+m.account(u))
		shut.Undo = m.run("ALTER USER IF EXISTS " + m.account(u) + " ACCOUNT UNLOCK").Stdin
		steps = append(steps, wire.Step{Name: "connections of " + u.name.text, Exec: shut})
	}
	return append(steps, wire.Step{Name: name, Exec: m.run(drop)})
}

func (m mysql) ask() wire.Step {
	return wire.Step{Name: "the engine answers", Exec: m.run("SELECT 1")}
}

// inventory prints names in hexadecimal, so that none of them is ever misinterpreted.
func (m mysql) inventory(_ []schema, passwords ...proof) wire.Step {
	about, comment := "HEX(SCHEMA_COMMENT)", "''"
	if m.kind == MySQL {
		about = fmt.Sprintf("IF(EXISTS (SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = SCHEMA_NAME), %s, %s)", m.literal(fullDatabase),
			m.literal(emptyDatabase))
		comment = "HEX(COALESCE((SELECT ATTRIBUTE ->> '$.comment' FROM information_schema.USER_ATTRIBUTES a WHERE a.USER = u.User AND a.HOST = u.Host), ''))"
	}
	statements := []string{
		"SELECT 'database', HEX(SCHEMA_NAME), " + about + " FROM information_schema.SCHEMATA",
		"SELECT 'account', HEX(User), HEX(Host), IF(Super_priv = 'Y', 'super', 'plain'), " + comment + " FROM mysql.user u" + m.accountsOnly(),
		"SELECT 'grant', HEX(User), HEX(Host), HEX(Db), IF(Insert_priv = 'Y', 'write', 'read') FROM mysql.db WHERE Select_priv = 'Y'",
	}
	statements = append(statements, m.rights()...)
	for _, p := range passwords {
		from, has := "mysql.user", "authentication_string = "+m.literal(dbaccount.Native(p.password.Reveal()))
		if m.kind == MySQL {
			from = "(SELECT a.USER, a.HOST, a.ATTRIBUTE, SHA2(u.authentication_string, 256) AS form FROM information_schema.USER_ATTRIBUTES a JOIN mysql.user u " +
				"ON u.User = a.USER AND u.Host = a.HOST) AS accounts"
			has = fmt.Sprintf("ATTRIBUTE ->> '$.hostler' <=> '%x' AND ATTRIBUTE ->> '$.stored' <=> form", p.user.salt)
		}
		statements = append(statements,
			fmt.Sprintf("SELECT 'password', HEX(USER), HEX(HOST) FROM %s WHERE USER = %s AND HOST = %s AND %s", from, m.literal(p.user.name.text),
				m.literal(p.user.host), has))
	}
	return wire.Step{Name: "list databases and accounts", Exec: m.run(statements...)}
}

// accountsOnly excludes roles, which MariaDB stores among the accounts, and the administrator under the machine's own name, which its installation may make.
func (m mysql) accountsOnly() string {
	if m.kind == MariaDB {
		return " WHERE is_role = 'N' AND NOT (User = 'root' AND Host = @@hostname)"
	}
	return ""
}
