package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Pool tells which PHP-FPM pool: the one of a site, or the server's own for a version (SiteID 0).
type Pool struct {
	SiteID int64
	PHP    value.PHPVersion
	// Alone is a pool with a master process of its own, whose OPcache no other site shares.
	Alone bool
}

// Name returns the name of the pool in its file and in FPM's status.
func (p Pool) Name() string {
	if p.SiteID == 0 {
		return "hostler-default"
	}
	return fmt.Sprintf("hostler-%d", p.SiteID)
}

// Socket returns where the pool listens. The version is part of it: while a site changes its version both pools are there, and an FPM that
// finds another listening on its socket doesn't start at all (fpm_sockets.c), which would stop every site of that version.
func (p Pool) Socket() (string, error) {
	if p.SiteID < 0 || p.PHP.IsZero() {
		return "", errors.New("a pool needs a version of PHP")
	}
	if p.Alone { // both pools are there while a site changes its master
		return "/run/php/" + p.Name() + "-alone-php" + p.PHP.Dotted() + ".sock", nil
	}
	return "/run/php/" + p.Name() + "-php" + p.PHP.Dotted() + ".sock", nil
}

// Unit returns the unit of the master process that the pool belongs to: the distribution's, or its own.
func (p Pool) Unit() string {
	if p.Alone {
		return fmt.Sprintf("hostler-php%s-site-%d.service", p.PHP.Dotted(), p.SiteID)
	}
	return PHPUnit(p.PHP)
}

// PHPUnit returns the distribution's unit of a version's PHP-FPM.
func PHPUnit(v value.PHPVersion) string { return "php" + v.Dotted() + "-fpm.service" }

// Directory holds the configuration of the pool's own master process.
func (p Pool) Directory() string {
	return fmt.Sprintf("%s/%s/%d", PHPDirectory, p.PHP.Dotted(), p.SiteID)
}

// Config returns the configuration of the pool's own master process.
func (p Pool) Config() string { return p.Directory() + "/fpm.conf" }

// Log returns where the pool's own master process writes, and what its workers print.
func (p Pool) Log() string {
	return fmt.Sprintf("%s/php%s-site-%d.log", LogDirectory, p.PHP.Dotted(), p.SiteID)
}

// PHPDirectory holds the configurations of the master processes of isolated sites.
const PHPDirectory = "/etc/hostler/php"

// PHPGlobal returns the file of pool.d that holds what all pools share: a reload waits this long for pages that are being made, while new
// requests wait at the sockets, which stay open.
func PHPGlobal() string {
	return "; Written by Hostler; changes are overwritten.\n[global]\nprocess_control_timeout = 10s\n"
}

// PHPMaster returns the configuration of a master process that has this pool only.
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

// PHPMasterUnit runs a master process of its own. It is stopped and restarted with the distribution's unit, so that a new version of PHP takes
// effect everywhere, and not reloaded with it, since a reload waits for pages, which are another site's. SIGQUIT lets pages finish
// (php-fpm(8)). The master is root's: it makes the socket that nginx opens, in a directory that no account can change.
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
	MaxUploadMB         int            // 0: as PHP has it
	MaxExecutionSeconds int            // 0: as PHP has it
}

// PHPPool returns a file of pool.d. Workers are made on demand, so that an idle site costs no memory. The execution time of PHP doesn't
// count waiting (set_time_limit), so FPM ends a worker as well, a little later. Every value is a number, a constant or of a type
// that holds no character that an ini file acts on, so there is nothing to quote. Scripts in the OPcache are given to who may read their
// files only, and its functions to scripts of the pool's account (opcache.validate_permission, opcache.restrict_api); pools of one master
// share it all the same, which is why isolated sites have a master each.
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
	if in.Alone { // cron cleans up the directory of php.ini only
		fmt.Fprintf(&b, "php_value[session.save_path] = %s\nphp_value[session.gc_probability] = 1\nphp_value[session.gc_divisor] = 1000\n", AccountSessions(in.User, in.SiteID))
	}
	if mb := in.MaxUploadMB; mb > 0 {
		fmt.Fprintf(&b, "php_value[upload_max_filesize] = %dM\nphp_value[post_max_size] = %[1]dM\n", mb)
	}
	if s := in.MaxExecutionSeconds; s > 0 {
		fmt.Fprintf(&b, "php_value[max_execution_time] = %d\nrequest_terminate_timeout = %ds\n", s, s+5)
	}
	return b.String(), nil
}
