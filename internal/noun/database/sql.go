package database

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// schema is a database as the engines are told of it.
type schema struct {
	id      int64
	name    Name
	adopted bool
}

// user is an account as the engines are told of it. host is where MariaDB and MySQL let it come from.
type user struct {
	id       int64
	name     Account
	host     string
	readOnly bool
	// salt says which password it has; nil where an earlier release set it.
	salt []byte
}

// proof is a password that an account is asked about.
type proof struct {
	user     user
	password secret.String
}

// mark returns how what was made for a row is known again.
func (u user) mark() string   { return fmt.Sprintf("hostler account %d", u.id) }
func (d schema) mark() string { return fmt.Sprintf("hostler database %d", d.id) }

// engine turns work into steps. Each step may be repeated: it ends the same when it was done before.
//
// SQL goes to the engine's own client on its standard input, over the local socket as the engine's administrator, who has no password. What stands
// in it is of three kinds only: text written here, a Name or Account (which have no character that means anything), and a literal (which is quoted
// by the one function of the engine). Passwords go as the hash that the engine keeps, where the engine takes one.
type engine interface {
	// createDatabase makes a database, and lets those accounts use it that are there.
	createDatabase(d schema, users []user) []wire.Step
	// dropDatabase removes it with what the accounts may do there. guarded: only if it was made for this row and nobody used it.
	dropDatabase(d schema, users []user, guarded bool) []wire.Step
	// createUser makes an account with a password and what it may use.
	createUser(u user, password secret.String, may []schema) []wire.Step
	// setPassword changes an account's password.
	setPassword(u user, password secret.String) []wire.Step
	// grant lets an account use these databases, and no longer those.
	grant(u user, may, not []schema) []wire.Step
	// dropUser removes an account; all are the databases in which it may have left something. made: only if it was made for this row, with this
	// password, since its creation failed.
	dropUser(u user, all []schema, made *secret.String) []wire.Step
	// ask returns a step that does nothing but ask whether the engine answers.
	ask() wire.Step
	// inventory returns what there is, in lines that parseInventory reads, and which of these passwords accounts have. It changes nothing.
	inventory(passwords ...proof) wire.Step
	// made reports whether what was found of a database says that it was made for a row.
	made(d schema, f foundDatabase) bool
	// madeUser reports the same of an account. proven says that it has the password that it was to be made with.
	madeUser(u user, f foundUser, proven bool) bool
	// unit returns the engine's service of systemd.
	unit() string
	// port returns where it takes connections.
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

// doubled returns a text between quotes, with the quotes in it doubled.
func doubled(text, quote string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// granted returns the step of an account's grants, if there are any.
func granted(steps []wire.Step, u user, run func(...string) *wire.Exec, statements []string) []wire.Step {
	if len(statements) == 0 {
		return steps
	}
	return append(steps, wire.Step{Name: "databases of " + u.name.text, Exec: run(statements...)})
}
