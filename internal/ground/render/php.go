package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Pool identifies a PHP-FPM pool: that of a site, or the server's own for a version (SiteID 0).
type Pool struct {
	SiteID int64
	PHP    value.PHPVersion
	// Alone is set for a pool with its own master process, whose OPcache no other site shares.
	Alone bool
}

// Name returns the name of the pool in its file and in FPM's status.
func (p Pool) Name() string {
	if p.SiteID == 0 {
		return "hostler-default"
	}
	return fmt.Sprintf("hostler-%d", p.SiteID)
}

// Socket returns the path of the pool's socket. The version is part of it: while a site changes its version both pools exist, and
// an FPM that finds another listening on its socket doesn't start at all (fpm_sockets.c), which would stop every site of that
// version.
func (p Pool) Socket() (string, error) {
	if p.SiteID < 0 || p.PHP.IsZero() {
		return "", errors.New("a pool needs a version of PHP")
	}
	if p.Alone { // both pools exist while a site changes its master
		return "/run/php/" + p.Name() + "-alone-php" + p.PHP.Dotted() + ".sock", nil
	}
	return "/run/php/" + p.Name() + "-php" + p.PHP.Dotted() + ".sock", nil
}

// Unit returns the unit of the pool's master process: the distribution's, or its own.
func (p Pool) Unit() string {
	if p.Alone {
		return fmt.Sprintf("hostler-php%s-site-%d.service", p.PHP.Dotted(), p.SiteID)
	}
	return PHPUnit(p.PHP)
}

// PHPUnit returns the distribution's unit of a version's PHP-FPM.
func PHPUnit(v value.PHPVersion) string { return "php" + v.Dotted() + "-fpm.service" }

// Directory returns the configuration directory of the pool's own master process.
func (p Pool) Directory() string {
	return fmt.Sprintf("%s/%s/%d", PHPDirectory, p.PHP.Dotted(), p.SiteID)
}

// Config returns the configuration of the pool's own master process.
func (p Pool) Config() string { return p.Directory() + "/fpm.conf" }

// Log returns the log of the pool's own master process, which includes the output of its workers.
func (p Pool) Log() string {
	return fmt.Sprintf("%s/php%s-site-%d.log", LogDirectory, p.PHP.Dotted(), p.SiteID)
}

// PHPDirectory contains the configurations of the master processes of isolated sites.
const PHPDirectory = "/etc/hostler/php"

// PHPGlobal returns the file of pool.d with the settings that all pools share: a reload waits this long for running requests,
// while new requests wait at the sockets, which stay open.
func PHPGlobal() string {
	return "; Written by Hostler; changes are overwritten.\n[global]\nprocess_control_timeout = 10s\n"
}

// PHPMaster returns the configuration of a master process with only this pool.
func PHPMaster(in PoolInput) (string, error) {
	if !in.Alone || in.SiteID <= 0 {
		return "", errors.New("a master process of its own is for the pool of an isolated site")
	}
	pool, err := PHPPool(in)
	if err != nil {
		return "", err
	}
	_, pool, _ = strings.Cut(pool, "\n")
	return PHPGlobal() + "error_log = " + in.Log() + "\n\n" + pool, nil
}

// PHPMasterUnit returns the unit of a pool's own master process. It is stopped and restarted with the distribution's unit, so
// that a new version of PHP takes effect everywhere, and not reloaded with it, since a reload waits for requests of another site.
// SIGQUIT lets requests finish (php-fpm(8)). The master runs as root: it creates the socket that nginx opens, in a directory that
// no account can change.
func PHPMasterUnit(in PoolInput) (string, error) {
	if !in.Alone || in.SiteID <= 0 || in.PHP.IsZero() || in.User.IsZero() {
		return "", errors.New("a master process of its own is for the pool of an isolated site")
	}
	v := in.PHP.Dotted()
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten.
[Unit]
Description=Hostler: PHP %[1]s of site %[2]d
After=network.target %[3]s
PartOf=%[3]s

[Service]
Type=notify
ExecStart=/usr/sbin/php-fpm%[1]s --nodaemonize --fpm-config %[4]s
ExecReload=/bin/kill -USR2 $MAINPID
Restart=on-failure
RestartSec=1
KillMode=mixed
KillSignal=SIGQUIT
TimeoutStopSec=15
%[5]s
[Install]
WantedBy=multi-user.target %[3]s
`, v, in.SiteID, PHPUnit(in.PHP), in.Config(), enclosure(in.User)), nil
}

// PoolInput is a pool of PHP-FPM.
type PoolInput struct {
	Pool
	User                value.UnixUser // its group has the same name
	MaxChildren         int            // 0: 20
	MaxUploadMB         int            // 0: PHP's default
	MaxExecutionSeconds int            // 0: PHP's default
}

// PHPPool returns a file of pool.d. Workers are started on demand, so that an idle site uses no memory. PHP's execution time
// doesn't count waiting (set_time_limit), so FPM also ends a worker, a little later. Every value is a number, a constant or of a
// type that contains no character that an ini file interprets, so nothing needs quoting. The OPcache serves a script only to
// accounts that can read its file, and its functions only to scripts of the pool's account (opcache.validate_permission,
// opcache.restrict_api); pools of one master still share it, which is why isolated sites have their own masters.
func PHPPool(in PoolInput) (string, error) {
	socket, err := in.Socket()
	if err != nil {
		return "", err
	}
	if in.User.IsZero() || in.MaxChildren < 0 || in.MaxUploadMB < 0 || in.MaxExecutionSeconds < 0 {
		return "", errors.New("a pool needs a user, and limits that are not negative")
	}
	if in.MaxChildren == 0 {
		in.MaxChildren = 20
	}
	var b strings.Builder
	fmt.Fprintf(&b, `; Written by Hostler; changes are overwritten.
[%s]
user = %s
group = %[2]s
listen = %s
listen.owner = www-data
listen.group = www-data
listen.mode = 0660
pm = ondemand
pm.max_children = %d
pm.process_idle_timeout = 30s
pm.max_requests = 1000
catch_workers_output = yes
security.limit_extensions = .php
php_admin_flag[opcache.validate_permission] = on
php_admin_value[opcache.restrict_api] = /home/%[2]s/
`, in.Name(), in.User, socket, in.MaxChildren)
	if in.Alone { // cron cleans up only the directory of php.ini
		fmt.Fprintf(&b, "php_value[session.save_path] = %s\nphp_value[session.gc_probability] = 1\nphp_value[session.gc_divisor] = 1000\n",
			AccountSessions(in.User, in.SiteID))
	}
	if mb := in.MaxUploadMB; mb > 0 {
		fmt.Fprintf(&b, "php_value[upload_max_filesize] = %dM\nphp_value[post_max_size] = %[1]dM\n", mb)
	}
	if s := in.MaxExecutionSeconds; s > 0 {
		fmt.Fprintf(&b, "php_value[max_execution_time] = %d\nrequest_terminate_timeout = %ds\n", s, s+5)
	}
	return b.String(), nil
}
