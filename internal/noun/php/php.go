// Package php is the versions of PHP that servers have, and how they are configured.
package php

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is the part of a server that PHP belongs to, deadline how long a change of it may take: packages may come from far away.
const (
	Aspect   = "php"
	deadline = 30 * time.Minute
)

// actionUpgrade installs the newest packages of a version.
const actionUpgrade = "upgrade"

// Specification is a version of PHP. Its texts were checked, and are "" for the distribution's settings.
type Specification struct {
	Version value.PHPVersion `json:"version"`
	FPM     string           `json:"fpm,omitempty"`
	CLI     string           `json:"cli,omitempty"`
	// Pools are lines for the pools of accounts, by their names.
	Pools map[string]string `json:"pools,omitempty"`
}

// with returns a specification with other lines for the pools of an account. s is unchanged.
func (s Specification) with(user, text string) Specification {
	pools := map[string]string{}
	for name, lines := range s.Pools {
		pools[name] = lines
	}
	if pools[user] = text; text == "" {
		delete(pools, user)
	}
	s.Pools = pools
	return s
}

// Versions is the noun.
var Versions = &ledger.Noun[Specification]{Kind: "phpVersions", Version: 1, Needs: []access.Permission{access.ServerManagePHP}, Write: write, Keep: unused}

func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	var err error
	if row.Phase == ledger.Gone {
		err = tx.DeletePHPVersion(ctx, row.ID)
	} else {
		err = tx.PutPHPVersion(ctx, query.PutPHPVersionParams{
			ID: row.ID, ServerID: serverID, Version: row.Specification.Version.Dotted(),
			Status: server.PartStatus(row.Phase), OperationID: row.OperationID, CreatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write version of PHP %d: %w", row.ID, err)
	}
	return nil
}

// Settings are those of all versions of a server, whose id is the resource's. Zero values are the distribution's.
type Settings struct {
	// CLI is the version that is php on the command line.
	CLI              value.PHPVersion `json:"cli,omitzero"`
	MaxUploadSize    int64            `json:"max_upload_size,omitempty"`    // in MB
	MaxExecutionTime int64            `json:"max_execution_time,omitempty"` // in seconds
	OPcache          *bool            `json:"opcache,omitempty"`
}

func (s Settings) limits() render.PHPLimits {
	return render.PHPLimits{MaxUploadMB: s.MaxUploadSize, MaxExecutionSeconds: s.MaxExecutionTime, OPcache: s.OPcache}
}

// enabled reports whether OPcache is on, as it is in the distribution's packages.
func (s Settings) enabled() bool { return s.OPcache == nil || *s.OPcache }

// ServerSettings is the noun of Settings.
var ServerSettings = &ledger.Noun[Settings]{Kind: "phpSettings", Version: 1, Needs: []access.Permission{access.ServerManagePHP}, Write: writeSettings}

func writeSettings(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Settings]) error {
	srv, err := tx.Ungranted().GetServer(ctx, serverID)
	if err != nil {
		return fmt.Errorf("read server %d: %w", serverID, err)
	}
	s := row.Specification
	if row.Phase == ledger.Gone || row.Phase == ledger.Failed { // the host has what it had
		s = Settings{}
	}
	cli := srv.PHPCLIVersion
	if !s.CLI.IsZero() {
		cli = new(s.CLI.String())
	}
	status := map[bool]string{true: "enabled", false: "disabled"}[s.enabled()]
	if err := tx.SetServerPHP(ctx, serverID, cli, &status, tx.Micros()); err != nil {
		return fmt.Errorf("write settings of PHP of server %d: %w", serverID, err)
	}
	return nil
}

// State is the PHP of a server once what a view includes is done.
type State struct {
	server   query.Server
	versions []ledger.Resource[Specification]
	settings Settings
	// set reports whether there are settings, even if they are none.
	set bool
}

// StateOf reads a view.
func StateOf(v ledger.View) (s State, err error) {
	s.server = v.Server
	if s.versions, err = Versions.Of(v); err != nil {
		return s, err
	}
	s.settings, s.set, err = ServerSettings.Get(v, v.Server.ID)
	return s, err
}

// Pool returns the file of a site's pool; nothing for a site without PHP.
func (s State) Pool(row query.Site) (render.PoolInput, error) {
	pool, err := site.Pool(s.server, row)
	if err != nil || pool.PHP.IsZero() {
		return render.PoolInput{}, err
	}
	user, err := value.ParseUnixUser(row.UnixUser)
	if err != nil {
		return render.PoolInput{}, err
	}
	in := render.PoolInput{Pool: pool, User: user, Isolated: row.Isolated, Share: site.ShareOf(row), MaxExecutionSeconds: s.settings.MaxExecutionTime}
	for _, r := range s.versions {
		if r.Specification.Version == pool.PHP {
			in.Own = r.Specification.Pools[row.UnixUser]
		}
	}
	return in, nil
}

// Masters returns the pools of a version of PHP that have master processes of their own.
func Masters(v ledger.View, version value.PHPVersion) ([]render.Pool, error) {
	sites, err := site.Sites.Of(v)
	if err != nil {
		return nil, err
	}
	var out []render.Pool
	for _, s := range sites {
		pool, err := site.Pool(v.Server, s.Specification.Site(s.ID, v.Server))
		if err != nil {
			return nil, fmt.Errorf("site %s: %w", s.Specification.Name, err)
		}
		if pool.Alone && pool.PHP == version {
			out = append(out, pool)
		}
	}
	return out, nil
}

// request is what an operation asks for beside its wishes.
type request struct {
	// SiteDefault makes a version that of new sites once the server has it.
	SiteDefault bool `json:"site_default,omitempty"`
}

// Converger makes servers have their versions.
type Converger struct{ converge.Converger }

// NewConverger makes the aspect. refresh reads what a host has after packages changed.
func NewConverger(l *ledger.Ledger, refresh func(context.Context, query.Server) error) *Converger {
	return &Converger{converge.Converger{Ledger: l, Plans: Plan, OneByOne: true, Done: func(ctx context.Context, srv query.Server, _ job.Stage) error {
		return refresh(ctx, srv)
	}}}
}

// Aspect returns it for the engine.
func (c *Converger) Aspect() job.Aspect {
	a := c.Converger.Aspect()
	a.Write = c.Write
	return a
}

// Write makes an installed version the default of new sites where that was asked for.
func (c *Converger) Write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	if err := c.Converger.Write(ctx, tx, op, at); err != nil || !at.Done() || op.Action != "create" {
		return err
	}
	var r request
	if err := json.Unmarshal([]byte(op.Request), &r); err != nil || !r.SiteDefault {
		return nil //nolint:nilerr // it asked for nothing else
	}
	row, err := Versions.Row(ctx, tx.Granted, op.ResourceID)
	if err != nil || row.Phase != ledger.Applied {
		return err
	}
	if err := tx.SetServerSitePHP(ctx, op.ServerID, new(row.Specification.Version.String()), tx.Micros()); err != nil {
		return fmt.Errorf("set version of PHP of new sites: %w", err)
	}
	return nil
}

// Finder records the versions that are found on servers: those that a server is set up with, and those that were installed by hand.
type Finder struct{ Ledger *ledger.Ledger }

// Found records what has no row yet.
func (f Finder) Found(ctx context.Context, tx *db.Tx, srv query.Server, facts wire.Facts) error {
	rows, err := tx.ListPHPVersions(ctx, srv)
	if err != nil {
		return fmt.Errorf("list versions of PHP: %w", err)
	}
	for _, v := range server.VersionsOf(facts) {
		if slices.ContainsFunc(rows, func(r query.PHPVersion) bool { return r.Version == v.Dotted() }) {
			continue
		}
		row, err := tx.InsertPHPVersion(ctx, srv.ID, v.Dotted(), server.PartInstalled, tx.Micros())
		if err != nil {
			return fmt.Errorf("insert version of PHP: %w", err)
		}
		wish, err := Versions.Want(row.ID, Specification{Version: v})
		if err == nil {
			err = f.Ledger.Adopt(ctx, tx, srv.ID, wish)
		}
		if err != nil {
			return fmt.Errorf("record PHP %s of server %d: %w", v.Dotted(), srv.ID, err)
		}
	}
	return nil
}
