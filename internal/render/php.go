package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/value"
)

// Pool tells which PHP-FPM pool: the one of a site, or the server's own for a version (SiteID 0).
type Pool struct {
	SiteID int64
	PHP    value.PHPVersion
}

// Name is the name of the pool in its file and in FPM's status.
func (p Pool) Name() string {
	if p.SiteID == 0 {
		return "hostler-default"
	}
	return fmt.Sprintf("hostler-%d", p.SiteID)
}

// Socket is where the pool listens. The version is part of it: while a site changes its version both pools are there, and an FPM that
// finds another listening on its socket doesn't start at all (fpm_sockets.c), which would stop every site of that version.
func (p Pool) Socket() (string, error) {
	if p.SiteID < 0 || p.PHP.IsZero() {
		return "", errors.New("a pool needs a version of PHP")
	}
	return "/run/php/" + p.Name() + "-php" + p.PHP.Dotted() + ".sock", nil
}

// PHPGlobal is the file of pool.d that holds what all pools share: a reload waits this long for pages that are being made, while new
// requests wait at the sockets, which stay open.
func PHPGlobal() string {
	return "; Written by Hostler; changes are overwritten.\n[global]\nprocess_control_timeout = 10s\n"
}

// PoolInput is a pool of PHP-FPM.
type PoolInput struct {
	Pool
	User                value.UnixUser // its group has the same name
	MaxChildren         int            // 0: 20
	MaxUploadMB         int            // 0: as PHP has it
	MaxExecutionSeconds int            // 0: as PHP has it
}

// PHPPool is a file of pool.d. Workers are made on demand, so that an idle site costs no memory. The execution time of PHP doesn't
// count waiting (set_time_limit), so FPM ends a worker as well, a little later. Every value is a number, a constant or of a type
// that holds no character that an ini file acts on, so there is nothing to quote.
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
`, in.Name(), in.User, socket, in.MaxChildren)
	if mb := in.MaxUploadMB; mb > 0 {
		fmt.Fprintf(&b, "php_value[upload_max_filesize] = %dM\nphp_value[post_max_size] = %[1]dM\n", mb)
	}
	if s := in.MaxExecutionSeconds; s > 0 {
		fmt.Fprintf(&b, "php_value[max_execution_time] = %d\nrequest_terminate_timeout = %ds\n", s, s+5)
	}
	return b.String(), nil
}
