package php

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/nginxconf"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// PhpMaxUploadSizeAttributes are how large uploads may be.
type PhpMaxUploadSizeAttributes struct {
	MaxUploadSize *int64 `json:"max_upload_size" doc:"In megabytes; null for PHP's own limit."`
}

// ResourceType returns phpMaxUploadSizes.
func (PhpMaxUploadSizeAttributes) ResourceType() string { return "phpMaxUploadSizes" }

// PhpMaxExecutionTimeAttributes are how long requests may take.
type PhpMaxExecutionTimeAttributes struct {
	MaxExecutionTime *int64 `json:"max_execution_time" doc:"In seconds; null for PHP's own limit."`
}

// ResourceType returns phpMaxExecutionTimes.
func (PhpMaxExecutionTimeAttributes) ResourceType() string { return "phpMaxExecutionTimes" }

// PhpOpcacheAttributes are whether compiled scripts are kept.
type PhpOpcacheAttributes struct {
	OpcacheEnabled bool `json:"opcache_enabled"`
}

// ResourceType returns phpOpcaches.
func (PhpOpcacheAttributes) ResourceType() string { return "phpOpcaches" }

// UpdatePhpSettingsRequest changes settings of all versions.
type UpdatePhpSettingsRequest struct {
	MaxUploadSize    *int64 `json:"max_upload_size,omitempty" nullable:"true" minimum:"0" doc:"In megabytes. 0 and null mean PHP's own limit."`
	MaxExecutionTime *int64 `json:"max_execution_time,omitempty" nullable:"true" minimum:"0" doc:"In seconds. 0 and null mean PHP's own limit."`
	Opcache          *bool  `json:"opcache,omitempty" nullable:"true" doc:"Whether OPcache is on. It has its own operation as well."`
}

// The largest settings: uploads of 10 GB, requests of a day.
const (
	maxUploadMB         = 10_000
	maxExecutionSeconds = 86_400
)

const forAll = "Applies to all versions, in FPM and nginx. Requests in progress keep the previous settings."

func (o *Operations) registerSettings() {
	setting(o, "organizations.servers.php.max-upload-size.show", "max-upload-size", "the PHP upload size limit", func(s Settings) PhpMaxUploadSizeAttributes {
		return PhpMaxUploadSizeAttributes{api.OrNull(s.MaxUploadSize)}
	})
	setting(o, "organizations.servers.php.max-execution-time.show", "max-execution-time", "the PHP execution time limit",
		func(s Settings) PhpMaxExecutionTimeAttributes {
			return PhpMaxExecutionTimeAttributes{api.OrNull(s.MaxExecutionTime)}
		})
	update(o, "organizations.servers.php.max-upload-size.update", "max-upload-size", "Set the PHP upload size limit",
		map[string]any{"max_upload_size": 64})
	update(o, "organizations.servers.php.max-execution-time.update", "max-execution-time", "Set the PHP execution time limit",
		map[string]any{"max_execution_time": 120})
	setting(o, "organizations.servers.php.opcache.show", "opcache", "the OPcache state",
		func(s Settings) PhpOpcacheAttributes { return PhpOpcacheAttributes{s.enabled()} })
	opcache(o, "organizations.servers.php.opcache.store", http.MethodPost, "enable", "Turn OPcache on", "Turning OPcache on", true)
	opcache(o, "organizations.servers.php.opcache.destroy", http.MethodDelete, "disable", "Turn OPcache off", "Turning OPcache off", false)
}

// checkLimits returns what a request changes: any of the settings, whichever of the two operations it is.
func checkLimits(f api.Fields, b UpdatePhpSettingsRequest) func(*Settings) {
	size := limited(f, "max_upload_size", b.MaxUploadSize, maxUploadMB)
	seconds := limited(f, "max_execution_time", b.MaxExecutionTime, maxExecutionSeconds)
	return func(s *Settings) {
		s.MaxUploadSize, s.MaxExecutionTime = size, seconds
		if b.Opcache != nil {
			s.OPcache = b.Opcache
		}
	}
}

func limited(f api.Fields, name string, n *int64, most int64) int64 {
	if n == nil {
		return 0
	}
	if len(f[name]) == 0 && *n > most {
		f.Add(name, "The %s field must not be greater than %d.", name, most)
	}
	return *n
}

// setting adds the operation that shows a setting.
func setting[A api.Attributes](o *Operations, id, name, what string, show func(Settings) A) {
	api.Show(o.Router, api.Operation{
		ID: id, Method: http.MethodGet, Path: below + "/" + name, Tag: "Servers", Mode: api.Sync, Permissions: view, Summary: "Get " + what,
	}, o.Load, func(ctx context.Context, c api.Call[server.Path]) (api.Document[server.Document[A]], error) {
		now, err := settingsOf(ctx, o.DB.Read(), c.Parent.Server)
		doc := server.Document[A]{
			ID: strconv.FormatInt(c.Parent.Server.ID, 10), Attributes: show(now),
			Links: o.Router.Links(c.Parent.URL() + "/php/" + name),
		}
		return api.Document[server.Document[A]]{Data: doc}, err
	})
}

// update adds an operation that changes settings: its request is read on top of the current ones. Both operations take all of them, as in the contract.
func update(o *Operations, id, name, summary string, example map[string]any) {
	api.WriteEmpty(o.Router, api.Operation{
		ID: id, Method: http.MethodPut, Path: below + "/" + name, Tag: "Servers", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, BodyOptional: true, Summary: summary, Description: forAll, Example: example,
	}, o.Load, func(ctx context.Context, tx *db.Tx, c api.Call[server.Path], _ UpdatePhpSettingsRequest) (api.Empty, error) {
		var err error
		if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
			return api.Empty{}, err
		}
		now, err := settingsOf(ctx, tx.Granted, c.Parent.Server)
		if err != nil {
			return api.Empty{}, err
		}
		change := checkLimits(c.Fields, api.Over(c, UpdatePhpSettingsRequest{MaxUploadSize: &now.MaxUploadSize, MaxExecutionTime: &now.MaxExecutionTime}))
		if !server.HasPHP(c.Parent.Server.Type) {
			c.Fields.State("A server of the type %s has no PHP.", c.Parent.Server.Type)
		}
		if err := c.Fields.Err(); err != nil {
			return api.Empty{}, err
		}
		change(&now)
		elsewhere, err := smaller(ctx, tx, c.Parent.Server, now.limits())
		if err != nil {
			return api.Empty{}, err
		}
		return o.set(ctx, tx, c.Parent, "Changing the limits of PHP"+elsewhere, change)
	})
}

// opcache adds an operation that turns OPcache on or off.
func opcache(o *Operations, id, method, verb, summary, description string, on bool) {
	api.WriteEmpty(o.Router, api.Operation{
		ID: id, Method: method, Path: below + "/opcache", Tag: "Servers", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Verb: verb, Summary: summary, Description: forAll,
	}, o.Load, func(ctx context.Context, tx *db.Tx, c api.Call[server.Path], _ api.NoBody) (api.Empty, error) {
		if !server.HasPHP(c.Parent.Server.Type) {
			return api.Empty{}, api.Conflict("A server of the type %s has no PHP.", c.Parent.Server.Type)
		}
		var err error
		if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
			return api.Empty{}, err
		}
		return o.set(ctx, tx, c.Parent, description, func(s *Settings) { s.OPcache = &on })
	})
}

// set accepts settings of a server that is locked.
func (o *Operations) set(ctx context.Context, tx *db.Tx, p server.Path, description string, change func(*Settings)) (api.Empty, error) {
	wish, err := changed(ctx, tx.Granted, p.Server, change)
	if err != nil {
		return api.Empty{}, err
	}
	accepted, err := o.Acceptor.Accept(ctx, tx, p, 0, "update", description, wish)
	return api.Empty{Event: accepted.EventID}, err
}

// changed returns the wish for settings of a server with a change.
func changed(ctx context.Context, q *query.Granted, srv query.Server, change func(*Settings)) (ledger.Wish, error) {
	s, err := settingsOf(ctx, q, srv)
	if err != nil {
		return ledger.Wish{}, err
	}
	change(&s)
	return ServerSettings.Want(srv.ID, s)
}

// settingsOf returns the settings of a server: none, if the first that were asked for failed.
func settingsOf(ctx context.Context, q *query.Granted, srv query.Server) (Settings, error) {
	now, err := ServerSettings.Row(ctx, q, srv.ID)
	if err != nil || now.Phase == ledger.Failed {
		return Settings{}, err
	}
	return now.Specification, nil
}

// LimitsOf returns the limits of PHP that a server has, or gets.
func LimitsOf(ctx context.Context, q *query.Granted, srv query.Server) (render.PHPLimits, error) {
	now, err := settingsOf(ctx, q, srv)
	return now.limits(), err
}

// maxNamed is how many domains a description names.
const maxNamed = 3

// smaller says which domains keep a smaller limit of their own, for the event; "" for none.
func smaller(ctx context.Context, tx *db.Tx, srv query.Server, limits render.PHPLimits) (string, error) {
	if limits.MaxUploadMB == 0 {
		return "", nil
	}
	rows, err := db.All[query.Domain](ctx, tx.SQL, "domains", db.Cond{
		SQL: "nginx IS NOT NULL AND site_id IN (SELECT id FROM sites WHERE server_id = ?)", Args: []any{srv.ID},
	})
	if err != nil {
		return "", err
	}
	file, _ := limits.Sizes()
	var names []string
	for _, row := range rows {
		tree, err := nginxconf.Read(*row.Nginx)
		if err != nil {
			continue
		}
		if least, _, set := nginxconf.BodySizes(tree); set && least < file {
			names = append(names, row.Name)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf(" (the nginx configuration of %s%s has a smaller limit of its own)", strings.Join(names, ", "), more), nil
}
