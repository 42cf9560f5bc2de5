package database

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// schema is a database in the form that engines use.
type schema struct {
	id      int64
	name    Name
	adopted bool
}

// user is an account in the form that engines use. host is where MariaDB and MySQL accept it from.
type user struct {
	id       int64
	name     Account
	host     string
	readOnly bool
	// salt identifies its password; nil if an earlier release set it.
	salt []byte
}

// proof is a password to check against an account.
type proof struct {
	user     user
	password secret.String
}

const accountMark = "hostler account "

// mark returns the mark that identifies what was created for a row.
func (u user) mark() string   { return accountMark + strconv.FormatInt(u.id, 10) }
func (d schema) mark() string { return fmt.Sprintf("hostler database %d", d.id) }

// engine turns work into steps. Each step is idempotent.
//
// SQL goes to the engine's own client on its standard input, over the local socket as the engine's administrator, who has no
// password. It consists of only three kinds of text: text from this source, a Name or Account (which have no special characters),
// and a literal (which the one function of the engine quotes). Passwords are passed as the hash that the engine stores, if the
// engine accepts one.
type engine interface {
	// createDatabase creates a database, and gives access to the existing accounts in users.
	createDatabase(d schema, users []user) []wire.Step
	// dropDatabase removes it with the accounts' rights in it. guarded: only if it was created for this row and not used.
	dropDatabase(d schema, users []user, guarded bool) []wire.Step
	// createUser creates an account with a password and its databases.
	createUser(u user, password secret.String, may []schema) []wire.Step
	// setPassword changes an account's password.
	setPassword(u user, password secret.String) []wire.Step
	// grant gives an account access to these databases, and revokes it for those.
	grant(u user, may, not []schema) []wire.Step
	// dropUser removes an account; all are the databases in which it may have left something. made: only if it was created for
	// this row, with this password, because its creation failed.
	dropUser(u user, all []schema, made *secret.String) []wire.Step
	// restore gives accounts the rights that they are to have in all of these databases, and takes all others away, from those that differ.
	restore(accounts []allowed, all []schema) []wire.Step
	// ask returns a step that only checks whether the engine answers.
	ask() wire.Step
	// inventory returns a step that prints what exists, in lines that parseInventory parses, what every account may do in these
	// databases, their extensions, and which of these passwords accounts have. It changes nothing.
	inventory(within []schema, passwords ...proof) wire.Step
	// usage returns steps that print what is in a database, who is connected to it and which queries are slow, in lines that used
	// parses. They change nothing, and turn nothing on.
	usage(d schema) []wire.Step
	// made reports whether what was found of a database shows that it was created for a row.
	made(d schema, f foundDatabase) bool
	// madeUser reports the same for an account. proven is set if it has the password that it was to be created with.
	madeUser(u user, f foundUser, proven bool) bool
	// unit returns the engine's service of systemd.
	unit() string
	// port returns the port of the engine.
	port() string
}

// engineFor returns the engine of this kind.
func engineFor(kind Engine) engine {
	switch kind {
	case PostgreSQL:
		return postgres{}
	case MySQL:
		return mysql{kind: MySQL, client: "mysql", service: "mysql.service"}
	default:
		return mysql{kind: MariaDB, client: "mariadb", service: "mariadb.service"}
	}
}

// doubled returns a text in quotes, with its quotes doubled.
func doubled(text, quote string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// granted appends the step of an account's grants, if there are any.
func granted(steps []wire.Step, u user, run func(...string) *wire.Exec, statements []string) []wire.Step {
	if len(statements) == 0 {
		return steps
	}
	return append(steps, wire.Step{Name: "databases of " + u.name.text, Exec: run(statements...)})
}
