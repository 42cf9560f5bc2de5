package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/database"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// ServiceAttributes are how a service of a server is.
type ServiceAttributes struct {
	Name string `json:"name" doc:"The service's name in paths: nginx, php, mysql, postgres or redis."`
	// Version is that of PHP.
	Version *string `json:"version" doc:"The PHP version; null for other services."`
	Unit    string  `json:"unit" doc:"The systemd unit."`
	State   string  `json:"state" doc:"The systemd state: active, activating, deactivating, reloading, failed or inactive."`
	Detail  string  `json:"detail" doc:"The substate, such as running, dead or auto-restart."`
	Log     string  `json:"log" doc:"The key of the service's log among the server's logs."`
}

// ResourceType is services.
func (ServiceAttributes) ResourceType() string { return resource }

// Unlinked marks resources without links.
func (ServiceAttributes) Unlinked() {}

// Resource is a service in a document.
type Resource = api.Resource[ServiceAttributes, api.NoRelationships]

// NginxServiceActionRequest is what to do with nginx.
type NginxServiceActionRequest struct {
	Action string `json:"action" enum:"reboot,stop"`
}

// PhpServiceActionRequest is what to do with a version of PHP.
type PhpServiceActionRequest struct {
	Action  string `json:"action" enum:"reboot,reload"`
	Version string `json:"version"`
}

// MysqlServiceActionRequest is what to do with MariaDB or MySQL.
type MysqlServiceActionRequest struct {
	Action string `json:"action" enum:"reboot,stop"`
}

// PostgresServiceActionRequest is what to do with PostgreSQL.
type PostgresServiceActionRequest struct {
	Action string `json:"action" enum:"reboot,stop"`
}

// RedisServiceActionRequest is what to do with Redis.
type RedisServiceActionRequest struct {
	Action string `json:"action" enum:"reboot"`
}

// SupervisorServiceActionRequest is what to do with background processes.
type SupervisorServiceActionRequest struct {
	Action string `json:"action" enum:"reboot"`
}

// Hosts says how units are.
type Hosts interface {
	Units(ctx context.Context, t host.Target, names []string) ([]wire.UnitState, error)
}

// Operations are the operations on services.
type Operations struct {
	Servers *server.Store
	Queue   *job.Queue
	Router  *api.Router
	Hosts   Hosts
	Targets job.Targets
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/services"
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.services.index", Method: http.MethodGet, Path: many, Tag: "Servers", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Whole: true,
		Conflict: true, Summary: "List services of a server", Description: "Queries the server; 409 while it is not set up or can't be reached.",
		Formerly: "servers services list",
	}, o.Servers.InPath, o.index)
	register(o, actionsOf{
		id: "organizations.servers.services.nginx.actions.store", name: "nginx", summary: "Restart or stop nginx",
		description: "If the configuration is invalid, nginx keeps running.", stopped: "The server's sites are offline until it is restarted.",
	}, func(f api.Fields, row query.Server, b NginxServiceActionRequest) (request, string) {
		needs(f, server.HasNginx(row.Type), "nginx")
		return request{Service: nginx}, b.Action
	})
	register(o, actionsOf{
		id: "organizations.servers.services.php.actions.store", name: "php", summary: "Restart or reload PHP",
		description: "Affects all PHP-FPM master processes of the version, including those of isolated sites. If one of their configurations is invalid, all keep " +
			"running.",
		example: map[string]any{"version": "php84"},
	}, func(f api.Fields, row query.Server, b PhpServiceActionRequest) (request, string) {
		if version, err := value.ParsePHPVersion(b.Version); len(f["version"]) == 0 && (err != nil || !server.RunsPHP(row, version)) {
			f.Add("version", "The server does not have this version of PHP.")
		}
		return request{Service: php, Version: b.Version}, b.Action
	})
	register(o, actionsOf{
		id: "organizations.servers.services.mysql.actions.store", name: "mysql", summary: "Restart or stop MariaDB or MySQL",
		stopped: "Sites that use it fail until it is restarted.",
	}, func(f api.Fields, row query.Server, b MysqlServiceActionRequest) (request, string) {
		kind := database.EngineOf(row)
		needs(f, kind == database.MariaDB || kind == database.MySQL, "this database engine")
		return request{Service: engine}, b.Action
	})
	register(o, actionsOf{
		id: "organizations.servers.services.postgres.actions.store", name: "postgres", summary: "Restart or stop PostgreSQL",
		stopped: "Sites that use it fail until it is restarted.",
	}, func(f api.Fields, row query.Server, b PostgresServiceActionRequest) (request, string) {
		needs(f, database.EngineOf(row) == database.PostgreSQL, "this database engine")
		return request{Service: engine}, b.Action
	})
	register(o, actionsOf{
		id: "organizations.servers.services.redis.actions.store", name: "redis", summary: "Restart Redis",
		description: "Affects the instance of Redis or Valkey, whichever the server has, of the account forge. Isolated accounts have their own.",
	}, func(f api.Fields, row query.Server, b RedisServiceActionRequest) (request, string) {
		needs(f, server.HasCache(row.Type), "Redis")
		return request{Service: redis}, b.Action
	})
	register(o, actionsOf{
		id: "organizations.servers.services.supervisor.actions.store", name: "supervisor", summary: "Restart background processes",
		description: "Affects all processes of the server and its sites, except for stopped ones. Each is given its own time to stop.",
	}, func(_ api.Fields, _ query.Server, b SupervisorServiceActionRequest) (request, string) {
		return request{Service: programs}, b.Action
	})
}

func needs(f api.Fields, has bool, what string) {
	if !has {
		f.State("The server does not have %s.", what)
	}
}

var actions = map[string]string{"reboot": actionRestart, "reload": actionReload, "stop": actionStop}

// actionsOf is what the actions on one service are called.
type actionsOf struct {
	id, name, summary, description string
	// stopped is what stopping it means, "" where that can't be asked for.
	stopped string
	example map[string]any
}

// register adds the actions on one service. check says what is wrong with a request, and what is asked for.
func register[B any](o *Operations, of actionsOf, check func(api.Fields, query.Server, B) (request, string)) {
	op := api.Operation{
		ID: of.id, Method: http.MethodPost, Path: "/orgs/{organization}/servers/{server}/services/" + of.name + "/actions", Tag: "Servers",
		Mode: api.Async, Permissions: []access.Permission{access.ServerManageServices}, Status: http.StatusAccepted, ChangesHost: true,
		Noun: "services", Verb: of.name, Summary: of.summary, Description: of.description, Example: of.example,
	}
	if of.stopped != "" {
		op.Actions = map[string]api.Action{"stop": {Asks: of.stopped}}
	}
	api.WriteEmpty(o.Router, op, o.Servers.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b B) (api.Empty, error) {
		var err error
		if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
			return api.Empty{}, err
		}
		asked, action := check(c.Fields, c.Parent.Server, b)
		if err := c.Fields.Err(); err != nil {
			return api.Empty{}, err
		}
		return o.act(ctx, tx, c.Parent, asked, actions[action])
	})
}

func (o *Operations) act(ctx context.Context, tx *db.Tx, p server.Path, asked request, action string) (api.Empty, error) {
	verb := map[string]string{actionRestart: "Restarting ", actionReload: "Reloading ", actionStop: "Stopping "}[action]
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: p.Grant, ServerID: p.Server.ID, Ready: p.Server.IsReady, Aspect: Aspect, Resource: resource,
		ResourceID: p.Server.ID,
		Action:     action, Description: verb + title(p.Server, asked), RanAs: "root", Lasting: true, Request: asked, Within: Deadline,
	})
	return api.Empty{Event: accepted.EventID}, err
}

// title names a service for people.
func title(row query.Server, r request) string {
	switch r.Service {
	case php:
		if v, err := value.ParsePHPVersion(r.Version); err == nil {
			return "PHP " + v.Dotted()
		}
	case engine:
		if s, ok := database.ServiceOf(row); ok {
			return s.Unit
		}
	case redis:
		return "Redis"
	case programs:
		return "background processes"
	}
	return r.Service
}

const askWithin = 30 * time.Second

func (o *Operations) index(ctx context.Context, c api.Call[server.Path]) (api.Collection[Resource], error) {
	var out api.Collection[Resource]
	row := c.Parent.Server
	if !row.IsReady {
		return out, api.Conflict("The server is not set up yet.")
	}
	target, err := o.Targets.Target(row)
	if err != nil {
		return out, err
	}
	known := known(row)
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = s.Attributes.Unit
	}
	if len(names) == 0 {
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	states, err := o.Hosts.Units(ctx, target, names)
	switch reason := host.Reason(err); {
	case reason != "":
		return out, api.Conflict("The server can't be queried: %s.", strings.TrimSuffix(reason, "."))
	case errors.Is(err, context.DeadlineExceeded):
		return out, api.Conflict("The server can't be queried: it did not answer within %s.", askWithin)
	case err != nil:
		return out, fmt.Errorf("ask server %d for its services: %w", row.ID, err)
	}
	for _, s := range known {
		for _, u := range states {
			if u.Name == s.Attributes.Unit {
				s.Attributes.State, s.Attributes.Detail = u.Active, u.Sub
			}
		}
		out.Data = append(out.Data, s)
	}
	return out, nil
}

// known are the services that a server has, by what was found on it.
func known(row query.Server) []Resource {
	var out []Resource
	add := func(name, unit, log string, version *string) {
		id := name
		if version != nil {
			id = *version
		}
		out = append(out, Resource{ID: id, Attributes: ServiceAttributes{Name: name, Version: version, Unit: unit, Log: log}})
	}
	if server.HasNginx(row.Type) {
		add("nginx", nginxUnit, "nginx", nil)
	}
	for _, v := range server.PHPVersions(row) {
		add("php", render.PHPUnit(v), v.String(), new(v.String()))
	}
	if s, ok := database.ServiceOf(row); ok {
		name := "mysql"
		if database.EngineOf(row) == database.PostgreSQL {
			name = "postgres"
		}
		add(name, s.Unit, "database", nil)
	}
	if server.HasMeilisearch(row.Type) {
		add("meilisearch", server.MeilisearchUnit, "meilisearch", nil)
	}
	if server.HasCache(row.Type) {
		is, _ := server.RedisOf(server.FactsOf(row))
		add("redis", is.Unit, "redis", nil)
	}
	return out
}
