package site

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Connection is how a site reaches its database.
type Connection struct {
	Kind               string // mysql or pgsql, as applications name it
	DatabaseID, UserID int64
	Database, User     string
	Password           secret.String
}

// Databases knows the databases of servers.
type Databases interface {
	// ForSite returns how the site of a domain signs in to a database, as a user of the server's or, for nil, as one that is
	// created for it; errors are added to f.
	ForSite(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, domain string, database, user *int64) (Connection, error)
}

// Environments writes the variables of sites.
type Environments interface {
	// Begin accepts a site's first .env.
	Begin(ctx context.Context, tx *db.Tx, p Path, content string) error
}

// Types that Debian has a package of are installed from it when no repository is named: its security updates come with the system's, and a
// deployment makes a release of the newest. The files belong to the site's user.
var installers = map[string]installer{
	sitetype.WordPress: {
		packages: []string{"php", "wordpress"}, // php before anything that would bring Apache
		shared:   map[string]string{"wp-content": "wp-content"},
		needs:    "database",
		script: `rsync -aL --exclude=/wp-content --exclude=/wp-config.php --exclude=/.htaccess /usr/share/wordpress/ ./
rsync -aL --ignore-existing /var/lib/wordpress/wp-content/ wp-content/
(umask 077 && : > wp-config.php) # the file is there before its secrets
{
	echo "<?php"
	for name in DB_NAME=DB_DATABASE DB_USER=DB_USERNAME DB_PASSWORD=DB_PASSWORD DB_HOST=DB_HOST AUTH_KEY=WP_AUTH_KEY SECURE_AUTH_KEY=WP_SECURE_AUTH_KEY \
		LOGGED_IN_KEY=WP_LOGGED_IN_KEY NONCE_KEY=WP_NONCE_KEY AUTH_SALT=WP_AUTH_SALT SECURE_AUTH_SALT=WP_SECURE_AUTH_SALT LOGGED_IN_SALT=WP_LOGGED_IN_SALT NONCE_SALT=WP_NONCE_SALT; do
		$FORGE_PHP -r 'printf("define(%s, %s);\n", var_export($argv[1], true), var_export((string) getenv($argv[2]), true));' "${name%%=*}" "${name#*=}"
	done
	echo "define('DB_CHARSET', 'utf8mb4');"
	echo "\$table_prefix = 'wp_';"
	echo "require_once ABSPATH . 'wp-settings.php';"
} > wp-config.php
`,
	},
	sitetype.PHPMyAdmin: {
		packages: []string{"dbconfig-no-thanks", "phpmyadmin"},
		needs:    "engine",
		script: `cp -rL /usr/share/phpmyadmin/. .
mkdir -p libraries/cache $FORGE_SITE_ROOT/tmp
if [ ! -f $FORGE_SITE_ROOT/config.inc.php ]; then
	(umask 077 && : > $FORGE_SITE_ROOT/.config.inc.php)
	{
		echo "<?php"
		echo "\$cfg['blowfish_secret'] = hex2bin('$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')');"
		echo "\$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => 'localhost', 'AllowNoPassword' => false];"
	} > $FORGE_SITE_ROOT/.config.inc.php
	mv $FORGE_SITE_ROOT/.config.inc.php $FORGE_SITE_ROOT/config.inc.php
fi
sed -i "s|'/etc/phpmyadmin/config.inc.php'|'$FORGE_SITE_ROOT/config.inc.php'|; s|'/var/lib/phpmyadmin/tmp/'|'$FORGE_SITE_ROOT/tmp/'|" libraries/vendor_config.php
`,
	},
}

// installer is how a site of a type is made without a repository.
type installer struct {
	packages []string
	shared   map[string]string
	script   string
	needs    string // "database": one of the site's own; "engine": a server with MySQL or MariaDB
}

// installs reports whether a site is made by its type's installer.
func installs(kind string, project *query.Project) bool {
	_, ok := installers[kind]
	return ok && project != nil && project.Repository == ""
}

// checkInstaller makes the project of a site that its type's installer makes; nil for others.
func checkInstaller(f api.Fields, s server.Path, b CreateSiteRequest) *asked {
	in, ok := installers[b.Type]
	if !ok || b.Repository != nil && *b.Repository != "" {
		return nil
	}
	engine := ""
	if s.Server.DatabaseType != nil {
		engine = *s.Server.DatabaseType
	}
	switch {
	case in.needs == "database" && b.DatabaseID == nil:
		f.Add("database_id", "A site of the type %s needs a database, or a repository.", b.Type)
	case !strings.HasPrefix(engine, "mysql") && !strings.HasPrefix(engine, "mariadb"):
		f.Add("type", "A site of the type %s needs a server with MySQL or MariaDB.", b.Type)
	}
	return &asked{row: query.InsertProjectParams{Retention: DefaultRetention, TimeLimit: DefaultTimeLimit, ZeroDowntime: true, AutoSource: true, SharedPaths: encodeShared(in.shared),
		Script: MacroCreate + "\n\ncd $FORGE_RELEASE_DIRECTORY\n" + in.script + "\n" + MacroActivate + "\n"}}
}

// installed reports whether the site is made by its type's installer.
func (d Desired) installed() bool {
	_, ok := installers[d.Site.Type]
	return ok && d.Code != nil && d.Code.URL == ""
}

// themes are the packages of WordPress's own theme, by system: without one it shows nothing.
var themes = map[string]string{"debian 12": "wordpress-theme-twentytwentythree", "debian 13": "wordpress-theme-twentytwentyfive"}

// packagesOf returns what a site needs on its server, in addition to the server's type.
func packagesOf(facts wire.Facts, d Desired) []string {
	var names []string
	if HasProgram(d.Site) || d.Code != nil && d.Code.PackageManager != "" {
		names = append(names, nodePackages...)
	}
	if d.installed() {
		names = append(names, installers[d.Site.Type].packages...)
		if theme := themes[facts.OS+" "+facts.OSVersion]; theme != "" && d.Site.Type == sitetype.WordPress {
			names = append(names, theme)
		}
	}
	return names
}

// salts are the secrets of a WordPress.
var salts = []string{"AUTH_KEY", "SECURE_AUTH_KEY", "LOGGED_IN_KEY", "NONCE_KEY", "AUTH_SALT", "SECURE_AUTH_SALT", "LOGGED_IN_SALT", "NONCE_SALT"}

// firstEnvironment returns the variables that a site with a database begins with.
func firstEnvironment(row query.Site, c Connection) string {
	var b strings.Builder
	line := func(name, v string) { fmt.Fprintf(&b, "%s=%s\n", name, dotenvQuote(v)) }
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

// dotenvQuote returns a value for a .env file that shells and the readers of frameworks take alike.
func dotenvQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(s) + `"`
}

// appKey returns the key that Laravel encrypts with.
func appKey() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return "base64:" + base64.StdEncoding.EncodeToString(raw)
}
