// Package log provides the logs of servers and sites, which stay on their servers: they are read on request, and none of their
// content is stored here.
package log

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is what logs are emptied in: beside everything else.
const Aspect = "log"

const (
	// defaultLines is how many lines are shown, maxLines how many can be asked for.
	defaultLines = 500
	maxLines     = 5000
	// maxSearch is the longest text that is searched for, in bytes.
	maxSearch = 200
	askWithin = 30 * time.Second
	deadline  = 10 * time.Minute
)

// Host reads logs on servers.
type Host interface {
	Log(ctx context.Context, t host.Target, q wire.LogQuery) (wire.LogPage, error)
}

// Reader reads logs on servers.
type Reader struct {
	Hosts   Host
	Targets job.Targets
}

// Read returns the end of a log and its position. A server that can't be reached is a conflict.
func (r *Reader) Read(ctx context.Context, srv query.Server, files *wire.LogFiles, param func(name string) string) (string, *api.Meta, error) {
	page, err := r.ask(ctx, srv, source{files: files}, asked(param))
	return text(page), metaOf(page), err
}

// Params returns what a query may ask of a log.
func Params() []api.Param { return slices.Clone(logParams) }

// source is where a log is: in files, or in the journal of a unit.
type source struct {
	files *wire.LogFiles
	unit  string
}

func file(paths ...string) source { return source{files: &wire.LogFiles{Paths: paths}} }

// The logs of a site, by their names in paths.
const (
	siteAccess      = "nginx-access"
	siteError       = "nginx-error"
	siteApplication = "application"
)

// siteSource returns the files of a log of a site. Each framework has its own place: the newest of all is used.
func siteSource(row query.Site, kind string) (source, error) {
	switch kind {
	case siteAccess:
		return file(render.AccessLog(row.ID)), nil
	case siteError:
		return file(render.ErrorLog(row.ID)), nil
	}
	place := site.Place{Site: row, Releases: true, Code: true}
	base, err := place.Base()
	if err != nil {
		return source{}, err
	}
	live, err := place.Live()
	if err != nil {
		return source{}, err
	}
	places := []value.AbsPath{base, live}
	for _, dir := range places {
		if home, err := place.HomeIn(dir); err == nil && home != dir {
			places = append(places, home)
		}
	}
	l := &wire.LogFiles{Below: base.String(), Owner: row.UnixUser}
	for _, place := range places {
		for _, pattern := range []string{"/storage/logs/*.log", "/var/log/*.log", "/wp-content/debug.log", "/logs/*.log"} {
			l.Paths = append(l.Paths, place.String()+pattern)
		}
	}
	return source{files: l}, nil
}

// serverSource returns where a log of a server is, by the key in its path.
func serverSource(row query.Server, key string) (source, bool) {
	switch strings.ReplaceAll(key, "_", "-") {
	case "nginx-access":
		return file("/var/log/nginx/access.log"), true
	case "nginx-error":
		return file("/var/log/nginx/error.log"), true
	case "database":
		if row.DatabaseType != nil && strings.HasPrefix(*row.DatabaseType, "postgres") {
			return file("/var/log/postgresql/*.log"), true
		}
		if row.DatabaseType != nil && strings.HasPrefix(*row.DatabaseType, "mysql") {
			return source{unit: "mysql.service"}, true
		}
		return source{unit: "mariadb.service"}, true
	case "nginx":
		return source{unit: "nginx.service"}, true
	case "redis":
		is, _ := server.RedisOf(server.FactsOf(row))
		return source{unit: is.Unit}, true
	case "meilisearch":
		return source{unit: "meilisearch.service"}, true
	case "auth":
		return source{unit: "ssh.service"}, true
	case "system":
		return source{unit: "*"}, true
	case "packages":
		return file("/var/log/apt/history.log"), true
	case "upgrades":
		return file("/var/log/unattended-upgrades/unattended-upgrades.log"), true
	}
	if php, err := value.ParsePHPVersion(key); err == nil {
		return file("/var/log/php" + php.Dotted() + "-fpm.log"), true
	}
	return source{}, false
}

// NginxAccessLogAttributes is the access log of a site.
type NginxAccessLogAttributes struct {
	Content string `json:"content"`
}

// ResourceType returns nginxAccessLogs.
func (NginxAccessLogAttributes) ResourceType() string { return "nginxAccessLogs" }

// Metas are what the meta of these resources has besides.
func (NginxAccessLogAttributes) Metas() []any { return []any{Meta{}} }

// NginxErrorLogAttributes is the error log of a site.
type NginxErrorLogAttributes struct {
	Content string `json:"content"`
}

// ResourceType returns nginxErrorLogs.
func (NginxErrorLogAttributes) ResourceType() string { return "nginxErrorLogs" }

// Metas are what the meta of these resources has besides.
func (NginxErrorLogAttributes) Metas() []any { return []any{Meta{}} }

// ApplicationLogAttributes is what a site's program logs.
type ApplicationLogAttributes struct {
	Content string `json:"content"`
}

// ResourceType returns applicationLogs.
func (ApplicationLogAttributes) ResourceType() string { return "applicationLogs" }

// Metas are what the meta of these resources has besides.
func (ApplicationLogAttributes) Metas() []any { return []any{Meta{}} }

// ServerLogAttributes is a log of a server.
type ServerLogAttributes struct {
	Content string `json:"content"`
}

// ResourceType returns serverLogs.
func (ServerLogAttributes) ResourceType() string { return "serverLogs" }

// Metas are what the meta of these resources has besides.
func (ServerLogAttributes) Metas() []any { return []any{Meta{}} }

type (
	accessResource      = api.Resource[NginxAccessLogAttributes, api.NoRelationships]
	errorResource       = api.Resource[NginxErrorLogAttributes, api.NoRelationships]
	applicationResource = api.Resource[ApplicationLogAttributes, api.NoRelationships]
	serverResource      = api.Resource[ServerLogAttributes, api.NoRelationships]
)

// Meta is what logs add to meta.
type Meta struct {
	Log LogMeta `json:"log"`
}

// LogMeta identifies the part of a log.
type LogMeta struct {
	Path  string `json:"path" doc:"The file; empty if it does not exist yet."`
	Start int64  `json:"start" doc:"The offset of the first line in the file. Pass it as before= to get the previous page."`
	End   int64  `json:"end"`
	More  bool   `json:"more" doc:"Whether there are lines before start."`
}

// AccessLogMeta names the log in the contract's words, and so do the others.
type AccessLogMeta struct {
	Log string `json:"log" enum:"site-nginx-access"`
}

// ApplicationLogMeta names the log.
type ApplicationLogMeta struct {
	Log string `json:"log" enum:"site"`
}

// ServerLogMeta names the log by its key.
type ServerLogMeta struct {
	Log string `json:"log"`
}
