// Package dbaccount defines what the panel and the agent share about accounts of database engines: the names of Hostler's own
// accounts, and the verifiers that an engine stores instead of a password.
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

// Prefix begins the name of every account, role and scratch database that Hostler creates for itself. Users can't choose such a name.
const Prefix = "hostler_"

// RunPrefix begins the names of accounts that exist for one dump or restore.
const RunPrefix = Prefix + "run_"

// Definer returns the MariaDB and MySQL account that a database's restored views, routines, triggers and events run as. It has
// access to that one database and is locked except during a restore into it. Its host is always localhost.
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

// PostgresOptions are libpq's PGOPTIONS of each session of PostgreSQL's administrator. They take precedence over session settings
// from ALTER DATABASE and ALTER ROLE, which a tenant controls: unqualified names resolve in pg_catalog, and the session has no
// other role.
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

// Scram returns the verifier that PostgreSQL stores for a password (RFC 5803); it is deterministic for a salt. SASLprep leaves an
// ASCII password unchanged. With a verifier the password itself is never in the engine's log.
func Scram(password string, salt []byte) string {
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramRounds, sha256.Size)
	if err != nil {
		panic("PBKDF2 with fixed parameters: " + err.Error()) // only for parameters that are too weak for FIPS 140
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
