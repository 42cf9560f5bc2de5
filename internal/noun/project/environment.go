package project

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

// Connection is how a site reaches its database.
type Connection struct {
	Kind               string // mysql or pgsql, as applications name it
	DatabaseID, UserID int64
	Database, User     string
	Password           secret.String
}

// salts are the secrets of a WordPress.
var salts = []string{"AUTH_KEY", "SECURE_AUTH_KEY", "LOGGED_IN_KEY", "NONCE_KEY", "AUTH_SALT", "SECURE_AUTH_SALT", "LOGGED_IN_SALT", "NONCE_SALT"}

// FirstEnvironment returns the variables that a site with a database begins with.
func FirstEnvironment(row query.Site, c Connection) string {
	var b strings.Builder
	line := func(name, v string) { fmt.Fprintf(&b, "%s=%s\n", name, dotenvQuote(row.Type, v)) }
	switch row.Type {
	case sitetype.Laravel, sitetype.Statamic:
		line("APP_NAME", row.Name)
		line("APP_ENV", "production")
		line("APP_KEY", appKey())
		line("APP_DEBUG", "false")
		line("APP_URL", "http://"+row.Name)
	case sitetype.WordPress:
		for _, name := range salts {
			line("WP_"+name, secret.Random(48))
		}
	}
	port := "3306"
	if c.Kind == "pgsql" {
		port = "5432"
	}
	line("DB_CONNECTION", c.Kind)
	line("DB_HOST", "localhost")
	line("DB_PORT", port)
	line("DB_DATABASE", c.Database)
	line("DB_USERNAME", c.User)
	line("DB_PASSWORD", c.Password.Reveal())
	return b.String()
}

// dotenvQuote returns a value for the .env file of a site's type. phpdotenv has escapes in double quotes; dotenv has none, but three kinds of quotes.
func dotenvQuote(kind, s string) string {
	switch ends := strings.HasSuffix(s, `\`); {
	case sitetype.HasPHP(kind):
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(s) + `"`
	case !strings.ContainsAny(s, "\"\\$"):
		return `"` + s + `"`
	case !ends && !strings.Contains(s, "'"):
		return "'" + s + "'"
	case !ends && !strings.Contains(s, "`") && !strings.Contains(s, "${"):
		return "`" + s + "`"
	}
	return s
}

// appKey returns the key that Laravel encrypts with.
func appKey() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return "base64:" + base64.StdEncoding.EncodeToString(raw)
}
