// Package dbaccount is what the panel and the agent agree on about accounts of database engines: the names of those that Hostler makes for its
// own work, and the verifiers that an engine stores in place of a password.
package dbaccount

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// Prefix begins the name of every account, role and scratch database that Hostler makes for itself. Users can't choose such a name.
const Prefix = "hostler_"

// RunPrefix begins the names of accounts that exist for one dump or restore.
const RunPrefix = Prefix + "run_"

// Definer returns the account of MariaDB and MySQL that a database's restored views, routines, triggers and events run as. It may use that one
// database and is locked but while a restore into it runs. Its host is always localhost.
func Definer(database string) string {
	sum := sha256.Sum256([]byte(database))
	return Prefix + "rw_" + hex.EncodeToString(sum[:8]) // 27 characters; MySQL allows 32
}

// Native returns what mysql_native_password stores: SHA-1 twice.
func Native(password string) string {
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	return "*" + strings.ToUpper(hex.EncodeToString(twice[:]))
}

// PostgresOptions are libpq's PGOPTIONS of each session of PostgreSQL's administrator. They hold over what ALTER DATABASE and ALTER ROLE set for
// sessions, which is a tenant's: a name without a schema is one of pg_catalog, and the session acts as nobody else.
const PostgresOptions = "-c search_path=pg_catalog -c role=none -c standard_conforming_strings=on -c client_min_messages=warning -c statement_timeout=0" +
	" -c lock_timeout=60s -c default_transaction_read_only=off -c row_security=on"

// scramRounds is PostgreSQL's default.
const scramRounds = 4096

// Salt returns a salt for Scram.
func Salt() []byte {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails since Go 1.24
	return salt
}

// Scram returns the verifier that PostgreSQL stores of a password (RFC 5803), the same one for the same salt. SASLprep leaves an ASCII password as it
// is. With a verifier the password itself is never in the engine's log.
func Scram(password string, salt []byte) string {
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramRounds, sha256.Size)
	if err != nil {
		panic("PBKDF2 with fixed parameters: " + err.Error()) // only of parameters that are too weak for FIPS 140
	}
	mac := func(text string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(mac("Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramRounds, b64(salt), b64(stored[:]), b64(mac("Server Key")))
}
