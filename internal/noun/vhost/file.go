package vhost

import (
	"strconv"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ConfigDirectory returns the directory of nginx's files of a site that its vhosts include: below it, each of them includes server/*.conf.
func ConfigDirectory(id int64) string { return "/etc/nginx/hostler-conf/" + strconv.FormatInt(id, 10) }

// IncludePath returns a file that every vhost of a site includes.
func IncludePath(id int64, name string) string {
	return ConfigDirectory(id) + "/server/" + name + ".conf"
}

// HTTPPath returns a file of a site in nginx's http block, read before its vhosts.
func HTTPPath(id int64, name string) string {
	return "/etc/nginx/conf.d/45-site-" + strconv.FormatInt(id, 10) + "-" + name + ".conf"
}

// DomainFile returns the path of the file of a domain.
func DomainFile(d query.Domain) string {
	path := "/etc/nginx/conf.d/50-site-" + strconv.FormatInt(d.SiteID, 10)
	if !d.First {
		path += "-domain-" + strconv.FormatInt(d.ID, 10)
	}
	return path + ".conf"
}

// Paths of a site on its host.
func upstreamPath(id int64) string {
	return "/etc/nginx/conf.d/40-site-" + strconv.FormatInt(id, 10) + "-nodes.conf"
}

// OwnFile returns a configuration file whose head says that changes by hand are overwritten.
func OwnFile(name, path, text string) wire.Step {
	return wire.Step{Name: name, File: &wire.File{Path: path, Mode: 0o644, Content: []byte(text)}}
}

// File returns a file of nginx's configuration, which is kept as it is where it was changed by hand.
func File(name, path, text string) wire.Step {
	return wire.Step{Name: name, File: &wire.File{Path: path, Mode: 0o644, Content: []byte(text), Keep: true}}
}

// Absent takes a file away.
func Absent(name, path string) wire.Step {
	return wire.Step{Name: name, File: &wire.File{Path: path, Absent: true}}
}
