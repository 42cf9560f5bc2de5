package render

import (
	"errors"
	"fmt"
)

// MySQLInput says which of the two engines it is.
type MySQLInput struct{ MySQL bool }

// MySQLSettings returns the settings of MariaDB, or of MySQL. The engine listens on all addresses: the firewall is closed for its
// port until a rule opens it, and clients' names are not resolved. Without symbolic links, DATA DIRECTORY of CREATE TABLE is
// ignored: it needs no privilege, and a tenant's directory that becomes a link makes the engine read, write and delete tables of
// other databases. By default MySQL writes a binary log, and then lets accounts create triggers and functions only with a setting of its own.
func MySQLSettings(in MySQLInput) string {
	own := ""
	if in.MySQL {
		own = "log-bin-trust-function-creators = ON\n"
	}
	return `# Written by Hostler; changes are overwritten. Put your own into a file that is read later.
[mysqld]
bind-address = *
skip-name-resolve = ON
local-infile = OFF
loose-skip-symbolic-links
character-set-server = utf8mb4
collation-server = utf8mb4_unicode_ci
` + own
}

// PostgreSQLInput is a version of PostgreSQL ("15").
type PostgreSQLInput struct{ Version string }

// PostgreSQLDirectory returns the directory of the settings of a version's first cluster in Debian and Ubuntu.
func PostgreSQLDirectory(in PostgreSQLInput) string { return "/etc/postgresql/" + in.Version + "/main" }

// PostgreSQLSettings returns the settings of PostgreSQL. Access rules are in a separate file, so that the distribution's stays unchanged.
func PostgreSQLSettings(in PostgreSQLInput) (string, error) {
	if in.Version == "" {
		return "", errors.New("the settings need a version of PostgreSQL")
	}
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten. Put your own into a file that is read later.
listen_addresses = '*'
password_encryption = 'scram-sha-256'
hba_file = '%s/hostler_hba.conf'
`, PostgreSQLDirectory(in)), nil
}

// PostgreSQLAccess returns the access rules: the administrator through the local socket only, all others with a password.
func PostgreSQLAccess() string {
	return `# Written by Hostler; changes are overwritten.
# type  database  user      address  method
local   all       postgres           peer
host    all       postgres  all      reject
local   all       all                scram-sha-256
host    all       all       all      scram-sha-256
`
}

// SourceInput is a repository of Debian packages and its signing key.
type SourceInput struct {
	URI, Suite, Component, Arch, Keyring string
}

// Source returns a file of /etc/apt/sources.list.d (sources.list(5), DEB822-style format).
func Source(in SourceInput) string {
	return fmt.Sprintf("# Written by Hostler; changes are overwritten.\nTypes: deb\nURIs: %s\nSuites: %s\nComponents: %s\nArchitectures: %s\nSigned-By: "+
		"%s\n", in.URI, in.Suite, in.Component, in.Arch, in.Keyring)
}
