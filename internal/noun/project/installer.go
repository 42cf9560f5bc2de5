package project

import (
	"maps"
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
		LOGGED_IN_KEY=WP_LOGGED_IN_KEY NONCE_KEY=WP_NONCE_KEY AUTH_SALT=WP_AUTH_SALT \
			SECURE_AUTH_SALT=WP_SECURE_AUTH_SALT LOGGED_IN_SALT=WP_LOGGED_IN_SALT NONCE_SALT=WP_NONCE_SALT; do
		$FORGE_PHP -r 'printf("define(%s, %s);\n", var_export($argv[1], true), var_export((string) getenv($argv[2]), true));' "${name%%=*}" "${name#*=}"
	done
	echo "define('DB_CHARSET', 'utf8mb4');"
	echo "\$table_prefix = 'wp_';"
	# A database that is emptied, or being restored, would make it the page where a visitor becomes the administrator again.
	echo "if (PHP_SAPI !== 'cli' && substr(get_included_files()[0], -21) === '/wp-admin/install.php') {"
	echo "	http_response_code(403);"
	echo "	exit('This WordPress is installed by a deployment.');"
	echo "}"
	echo "require_once ABSPATH . 'wp-settings.php';"
} > wp-config.php
$FORGE_PHP <<'INSTALL'
<?php
// Completes the installation before the release is live: until then, the first visitor of wp-admin/install.php becomes the administrator.
$done = false; // wp_die ends the program as if all were well
register_shutdown_function(function () use (&$done) { if (!$done) { exit(1); } });
define('WP_INSTALLING', true);
define('WP_SITEURL', 'http://' . getenv('WP_INSTALL_HOST'));
$_SERVER += ['HTTP_HOST' => getenv('WP_INSTALL_HOST'), 'SERVER_NAME' => getenv('WP_INSTALL_HOST'), 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET'];
function wp_new_blog_notification() {} // the password in it is replaced below
require getcwd() . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
if (!is_blog_installed()) {
	foreach (['HOST', 'TITLE', 'USER', 'EMAIL', 'PASSWORD_HASH'] as $name) {
		if ((string) getenv('WP_INSTALL_' . $name) === '') {
			fwrite(STDERR, "WordPress is not installed, and the environment doesn't say who administers it: set WP_INSTALL_$name.\n");
			exit(1);
		}
	}
	// It asks itself, through its domain, whether addresses without a query work. They do, and the domain may still lead elsewhere.
	add_filter('pre_http_request', fn () => ['headers' => ['x-pingback' => '1'], 'body' => '', 'response' => ['code' => 200, 'message' => ''], 'cookies' => []]);
	wp_install(getenv('WP_INSTALL_TITLE'), getenv('WP_INSTALL_USER'), getenv('WP_INSTALL_EMAIL'), true, '', wp_generate_password(40, false));
	$wpdb->update($wpdb->users, ['user_pass' => getenv('WP_INSTALL_PASSWORD_HASH')], ['user_login' => getenv('WP_INSTALL_USER')]);
	echo 'WordPress is installed. Its administrator is ' . getenv('WP_INSTALL_USER') . ".\n";
}
$done = is_blog_installed();
INSTALL
`,
		closed: "the installation is completed, with an administrator, before the first release is live, and its page is refused afterwards",
	},
	sitetype.PHPMyAdmin: {
		packages: []string{"dbconfig-no-thanks", "phpmyadmin"},
		needs:    "engine",
		closed:   "visitors sign in with an account of the database; its setup is disabled because there is a configuration",
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
sed -i "s|'/etc/phpmyadmin/config.inc.php'|'$FORGE_SITE_ROOT/config.inc.php'|
	s|'/var/lib/phpmyadmin/tmp/'|'$FORGE_SITE_ROOT/tmp/'|" libraries/vendor_config.php
`,
	},
}

// installer is how a site of a type is made without a repository.
type installer struct {
	packages []string
	shared   map[string]string
	script   string
	needs    string // "database": one of the site's own; "engine": a server with MySQL or MariaDB
	closed   string // why the first visitor can't set it up
}

// Installs reports whether a site is made by its type's installer.
func Installs(kind string, project *query.Project) bool {
	_, ok := installers[kind]
	return ok && project != nil && project.Repository == ""
}

// InReleases reports whether deployments of a site make releases. What is asked of one without code holds once it has a repository.
func InReleases(kind string, p query.Project) bool {
	return p.ZeroDowntime && (p.Repository != "" || Installs(kind, &p))
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
	a := &Draft{row: query.InsertProjectParams{Retention: DefaultRetention, TimeLimit: DefaultTimeLimit}}
	a.settings(api.Fields{}, kind, b, false) // Check has reported what is wrong
	shared := SharedOf(a.row.SharedPaths)
	maps.Copy(shared, in.shared)
	a.row.ZeroDowntime, a.row.AutoSource, a.row.SharedPaths = true, true, encodeShared(shared)
	a.row.Script = MacroCreate + "\n\ncd $FORGE_RELEASE_DIRECTORY\n" + in.script + "\n" + MacroActivate + "\n"
	return a
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
