package render

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Pool identifies a PHP-FPM pool: that of a site, or the server's own for a version (SiteID 0).
type Pool struct {
	SiteID int64
	PHP    value.PHPVersion
	// Alone is set for a pool with its own master process, whose OPcache no other site shares, and Limited for one whose master is in the slice of its site. A
	// process stays in its slice, so both masters exist while a site gets limits.
	Alone, Limited bool
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
	if p.Limited {
		return "/run/php/" + p.Name() + "-limited-php" + p.PHP.Dotted() + ".sock", nil
	}
	if p.Alone { // both pools exist while a site changes its master
		return "/run/php/" + p.Name() + "-alone-php" + p.PHP.Dotted() + ".sock", nil
	}
	return "/run/php/" + p.Name() + "-php" + p.PHP.Dotted() + ".sock", nil
}

// Unit returns the unit of the pool's master process: the distribution's, or its own.
func (p Pool) Unit() string {
	if p.Alone {
		return "hostler-php" + p.PHP.Dotted() + "-site-" + p.master() + ".service"
	}
	return PHPUnit(p.PHP)
}

// master returns what tells a pool's own master process from others.
func (p Pool) master() string {
	name := strconv.FormatInt(p.SiteID, 10)
	if p.Limited {
		name += "-limited"
	}
	return name
}

// PHPUnit returns the distribution's unit of a version's PHP-FPM.
func PHPUnit(v value.PHPVersion) string { return "php" + v.Dotted() + "-fpm.service" }

// SharedPath returns the file of the pool in the distribution's master process.
func (p Pool) SharedPath() string {
	return PHPSettingsDirectory(p.PHP, "fpm") + "/pool.d/" + p.Name() + ".conf"
}

// Path returns the file that the pool is in.
func (p Pool) Path() string {
	if p.Alone {
		return p.Config()
	}
	return p.SharedPath()
}

// PHPSettingsDirectory returns the directory of the settings that a version's FPM ("fpm") or command line ("cli") reads.
func PHPSettingsDirectory(v value.PHPVersion, program string) string {
	return "/etc/php/" + v.Dotted() + "/" + program
}

// Directory returns the configuration directory of the pool's own master process.
func (p Pool) Directory() string {
	return PHPDirectory + "/" + p.PHP.Dotted() + "/" + p.master()
}

// Config returns the configuration of the pool's own master process.
func (p Pool) Config() string { return p.Directory() + "/fpm.conf" }

// Log returns the log of the pool's own master process, which includes the output of its workers.
func (p Pool) Log() string {
	return LogDirectory + "/php" + p.PHP.Dotted() + "-site-" + p.master() + ".log"
}

// PHPDirectory contains the configurations of the master processes of isolated sites and of those with limits.
const PHPDirectory = "/etc/hostler/php"

// PHPGlobal returns the file of pool.d with the settings that all pools share: a reload waits this long for running requests,
// while new requests wait at the sockets, which stay open.
func PHPGlobal() string {
	return "; Written by Hostler; changes are overwritten.\n[global]\nprocess_control_timeout = 10s\n"
}

// PHPMaster returns the configuration of a master process with only this pool.
func PHPMaster(in PoolInput) (string, error) {
	if !in.Alone || in.SiteID <= 0 {
		return "", errors.New("a master process of its own is for the pool of a site that is isolated or has limits")
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
		return "", errors.New("a master process of its own is for the pool of a site that is isolated or has limits")
	}
	walls := Share{Slice: in.Share.Slice}.lines()
	if in.Isolated {
		walls += enclosure(in.User)
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
`, v, in.SiteID, PHPUnit(in.PHP), in.Config(), walls), nil
}

// PoolInput is a pool of PHP-FPM.
type PoolInput struct {
	Pool
	User                value.UnixUser // its group has the same name
	Isolated            bool           // the account is an isolated site's
	Share               Share
	MaxExecutionSeconds int64 // 0: PHP's default
	// Own are further lines, which replace settings above them. They were checked to contain none that leads out of the pool.
	Own string
}

// maxChildren is how many requests of a pool are answered at once, unless its own lines say another number.
const maxChildren = 20

var managed = regexp.MustCompile(`(?m)^(pm(?:\.\w+)?)[ \t]*=[ \t]*(\w+)`)

// workers returns the lines for how FPM manages a pool's workers. Of a pool on demand, FPM's master neither starts a worker while it ends the last idle one
// nor looks at the queue afterwards: a request of that moment waits for the next (php-src issue 11765). So one worker stays. A pool whose own lines
// manage workers in another way keeps what those lines were written for.
func workers(own string) string {
	spare := 2
	for _, m := range managed.FindAllStringSubmatch(own, -1) {
		switch m[1] {
		case "pm.max_requests", "pm.max_spawn_rate":
		case "pm.max_children":
			if n, err := strconv.Atoi(m[2]); err == nil {
				spare = min(2, n)
			}
		default:
			return fmt.Sprintf("pm = ondemand\npm.max_children = %d\npm.process_idle_timeout = 30s", maxChildren)
		}
	}
	return fmt.Sprintf("pm = dynamic\npm.max_children = %d\npm.start_servers = 1\npm.min_spare_servers = 1\npm.max_spare_servers = %d", maxChildren, spare)
}

// PHPPool returns a file of pool.d. PHP's execution time doesn't count waiting (set_time_limit), so FPM also ends a worker, a little later. Every value but Own
// is a number, a constant or of a type that contains no character that an ini file interprets, so nothing needs quoting. The OPcache serves a script only to
// accounts that can read its file, and its functions only to scripts of the pool's account (opcache.validate_permission,
// opcache.restrict_api); pools of one master still share it, which is why isolated sites have their own masters.
func PHPPool(in PoolInput) (string, error) {
	socket, err := in.Socket()
	if err != nil {
		return "", err
	}
	if in.User.IsZero() || in.MaxExecutionSeconds < 0 {
		return "", errors.New("a pool needs a user, and limits that are not negative")
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
%s
pm.max_requests = 1000
catch_workers_output = yes
security.limit_extensions = .php
php_admin_flag[opcache.validate_permission] = on
php_admin_value[opcache.restrict_api] = /home/%[2]s/
`, in.Name(), in.User, socket, workers(in.Own))
	if in.Isolated { // cron cleans up only the directory of php.ini
		fmt.Fprintf(&b, "php_value[session.save_path] = %s\nphp_value[session.gc_probability] = 1\nphp_value[session.gc_divisor] = 1000\n",
			AccountSessions(in.User, in.SiteID))
	}
	if s := in.MaxExecutionSeconds; s > 0 { // PHP counts only its own time
		fmt.Fprintf(&b, "request_terminate_timeout = %ds\n", s+graceSeconds)
	}
	if in.Own != "" {
		b.WriteString("; From the configuration of pools.\n" + strings.TrimSuffix(in.Own, "\n") + "\n")
	}
	if n := in.Share.OpenFiles; n > 0 { // here, and not in the unit: a reload is enough for another number
		fmt.Fprintf(&b, "rlimit_files = %d\n", n)
	}
	return b.String(), nil
}

// graceSeconds is how much longer than its own limit a request may take before its worker is ended, and twice that before nginx gives up.
const graceSeconds = 5

// PHPLimits are what a server has set for all of its versions of PHP.
type PHPLimits struct {
	MaxUploadMB         int64 // 0: PHP's default
	MaxExecutionSeconds int64 // 0: PHP's default
	OPcache             *bool // nil: the distribution's default
}

// The limits of Debian's php.ini, in MB.
const (
	defaultUploadMB  = 2
	defaultRequestMB = 8
)

// Sizes returns the largest file and the largest request that PHP takes, in bytes.
func (l PHPLimits) Sizes() (file, request int64) {
	if l.MaxUploadMB == 0 {
		return defaultUploadMB << 20, defaultRequestMB << 20
	}
	return l.MaxUploadMB << 20, l.requestMB() << 20
}

// requestMB is the largest request with a file of MaxUploadMB, in MB: a form has other fields.
func (l PHPLimits) requestMB() int64 { return l.MaxUploadMB + 1 }

// INI returns the settings of FPM, "" for none. The rest of a form takes place beside its files.
func (l PHPLimits) INI() string {
	var b strings.Builder
	if mb := l.MaxUploadMB; mb > 0 {
		fmt.Fprintf(&b, "upload_max_filesize = %dM\npost_max_size = %dM\n", mb, l.requestMB())
	}
	if s := l.MaxExecutionSeconds; s > 0 {
		fmt.Fprintf(&b, "max_execution_time = %d\n", s)
	}
	if l.OPcache != nil {
		fmt.Fprintf(&b, "opcache.enable = %d\n", map[bool]int{true: 1}[*l.OPcache])
	}
	if b.Len() == 0 {
		return ""
	}
	return "; " + wire.OwnHead + "\n" + b.String()
}

// PHPLimitsNginxPath is the path for Nginx.
const PHPLimitsNginxPath = "/etc/nginx/conf.d/05-hostler-php.conf"

// Nginx returns nginx's part of the limits for all vhosts that set nothing else, "" for none.
func (l PHPLimits) Nginx() string {
	var b strings.Builder
	if l.MaxUploadMB > 0 {
		fmt.Fprintf(&b, "client_max_body_size %dm;\n", l.requestMB())
	}
	if s := l.MaxExecutionSeconds; s > 0 {
		fmt.Fprintf(&b, "fastcgi_read_timeout %ds;\n", s+2*graceSeconds)
	}
	if b.Len() == 0 {
		return ""
	}
	return "# " + wire.OwnHead + "\n" + b.String()
}

// PHPAdditions returns a file of settings of a version's FPM or command line: lines that were checked.
func PHPAdditions(text string) string {
	return "; " + wire.OwnHead + "\n" + strings.TrimSuffix(text, "\n") + "\n"
}
