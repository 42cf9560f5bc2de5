package project

import (
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

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

// Installs reports whether a site is made by its type's installer.
func Installs(kind string, project *query.Project) bool {
	_, ok := installers[kind]
	return ok && project != nil && project.Repository == ""
}

// CheckInstaller makes the project of a site that its type's installer makes; nil for others. engine is that of the server's databases, and database reports
// whether the site is asked for with one.
func CheckInstaller(f api.Fields, kind string, b Request, engine *string, database bool) *Draft {
	in, ok := installers[kind]
	if !ok || b.Repository != nil && *b.Repository != "" {
		return nil
	}
	if engine == nil {
		engine = new("")
	}
	switch {
	case in.needs == "database" && !database:
		f.Add("database_id", "A site of the type %s needs a database, or a repository.", kind)
	case !strings.HasPrefix(*engine, "mysql") && !strings.HasPrefix(*engine, "mariadb"):
		f.Add("type", "A site of the type %s needs a server with MySQL or MariaDB.", kind)
	}
	return &Draft{row: query.InsertProjectParams{
		Retention: DefaultRetention, TimeLimit: DefaultTimeLimit, ZeroDowntime: true, AutoSource: true, SharedPaths: encodeShared(in.shared),
		Script: MacroCreate + "\n\ncd $FORGE_RELEASE_DIRECTORY\n" + in.script + "\n" + MacroActivate + "\n",
	}}
}

// themes are the packages of WordPress's own theme, by system: without one it shows nothing.
var themes = map[string]string{"debian 12": "wordpress-theme-twentytwentythree", "debian 13": "wordpress-theme-twentytwentyfive"}

// Packages returns what the installer of a type needs on a server of this system ("debian 12"); nil for a type without one.
func Packages(kind, system string) []string {
	in, ok := installers[kind]
	if !ok {
		return nil
	}
	names := slices.Clone(in.packages)
	if theme := themes[system]; theme != "" && kind == sitetype.WordPress {
		names = append(names, theme)
	}
	return names
}
