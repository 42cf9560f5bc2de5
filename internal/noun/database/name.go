package database

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Name is the name of a database on an engine: letters, digits, "_" and "-", at most 63 of them, and none of the engine's own.
type Name struct{ text string }

// Account is the name of an account of an engine, of the same characters.
type Account struct{ text string }

// String returns the name.
func (n Name) String() string { return n.text }

// String returns the name.
func (a Account) String() string { return a.text }

// plain excludes characters of quotes, escapes, client commands and connection strings: the rest means the same everywhere.
var plain = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)

const maxName = 63 // of PostgreSQL, in bytes, and of the contract; MariaDB and MySQL take 64 for a database

// maxAccount returns the maximum length of an account: 80 in MariaDB, 32 in MySQL, 63 in PostgreSQL.
func maxAccount(e Engine) int {
	if e == MySQL {
		return 32
	}
	return maxName
}

// ownSuffix ends the refusal of a name that the engine, or Hostler, uses.
const ownSuffix = " belongs to the engine."

// ours begins the names of our own objects in an engine.
const ours = dbaccount.Prefix

// ParseName parses the name of a database of an engine. Errors are for the user.
func ParseName(e Engine, text string) (Name, error) {
	own := map[Engine][]string{
		MariaDB:    {"information_schema", "performance_schema", "mysql", "sys"},
		MySQL:      {"information_schema", "performance_schema", "mysql", "sys"},
		PostgreSQL: {"postgres", "template0", "template1"},
	}[e]
	if err := parse("name", text, maxName, own); err != nil {
		return Name{}, err
	}
	return Name{text}, nil
}

// ParseAccount parses the name of an account of an engine. Errors are for the user and name the field.
func ParseAccount(e Engine, field, text string) (Account, error) {
	own := map[Engine][]string{
		MariaDB:    {"root", "mysql", "public", "none", "current_user", "current_role", "session_user"},
		MySQL:      {"root", "mysql", "current_user"},
		PostgreSQL: {"postgres", "public", "none", "user", "current_user", "current_role", "session_user"},
	}[e]
	if err := parse(field, text, maxAccount(e), own); err != nil {
		return Account{}, err
	}
	lower := strings.ToLower(text)
	if e == PostgreSQL && strings.HasPrefix(lower, "pg_") || e != PostgreSQL && lower == "debian-sys-maint" {
		return Account{}, value.Error(fmt.Sprintf("The %s %s"+ownSuffix, field, text))
	}
	return Account{text}, nil
}

func parse(field, text string, most int, own []string) error {
	lower := strings.ToLower(text)
	switch {
	case text == "":
		return value.Error(fmt.Sprintf("The %s field is required.", field))
	case len(text) > most:
		return value.Error(fmt.Sprintf("The %s must not be longer than %d characters.", field, most))
	case !plain.MatchString(text):
		return value.Error(fmt.Sprintf("The %s must contain only letters, digits, dashes and underscores, and not begin with a dash.", field))
	case slices.Contains(own, lower), strings.HasPrefix(lower, ours):
		return value.Error(fmt.Sprintf("The %s %s"+ownSuffix, field, text))
	}
	return nil
}

const maxPassword = 255

// ParsePassword refuses characters about which engines and their clients disagree: text other than printable ASCII is normalized
// by some and not by others (RFC 4013 in PostgreSQL, not at all in MySQL), so that the same text would work on one machine and
// not on the next.
func ParsePassword(text string) (secret.String, error) {
	if len(text) > maxPassword {
		return "", value.Error(fmt.Sprintf("The password must not be longer than %d characters.", maxPassword))
	}
	for _, r := range text {
		if r < ' ' || r > '~' {
			return "", value.Error("The password must contain only printable ASCII characters.")
		}
	}
	return secret.String(text), nil
}

// newPassword generates a password that needs no quoting anywhere.
func newPassword() secret.String { return secret.String(secret.Random(18)) }
