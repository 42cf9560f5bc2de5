package environment

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Programs are those that answer for sites: they know their variables from when they were started.
type Programs interface {
	// Restart starts the program of a site again, if it has one that runs.
	Restart(ctx context.Context, tx *db.Tx, of query.OfSite) error
}

// Task writes the files of environments. It does not converge: the site's user may change a file as well, and each version is written once.
type Task struct {
	Box      *secret.Box
	Programs Programs
}

// Aspect returns it for the engine.
func (t *Task) Aspect() job.Aspect {
	return task.Kind[query.Environment]{
		Load: task.Row((*query.Queries).GetEnvironment), Gone: "the site was deleted", Ready: t.ready, Steps: t.steps, Write: t.write,
	}.Aspect()
}

// ready says that the site's directory does not exist yet.
func (t *Task) ready(ctx context.Context, q *query.Queries, _ query.Operation, env query.Environment) (string, error) {
	row, err := q.GetSite(ctx, env.SiteID)
	if err != nil {
		return "", fmt.Errorf("read site of environment %d: %w", env.ID, err)
	}
	return site.Awaited(row), nil
}

// refresh runs in an application after its environment changed; the flags come in its environment.
const refresh = `#!/bin/bash -e
if [ ! -d "$SITE_DIRECTORY" ]; then exit 0; fi # nothing is deployed
cd "$SITE_DIRECTORY"
if [ ! -f artisan ]; then exit 0; fi
if [ "$REFRESH_CACHE" = 1 ]; then php artisan config:cache; fi
if [ "$REFRESH_QUEUES" = 1 ]; then php artisan queue:restart; fi
`

// steps returns one script of the site's account, which writes the file and refreshes the application. If anything of that fails, it restores the previous
// file, so that the shown content is the one in force.
func (t *Task) steps(ctx context.Context, q *query.Queries, srv query.Server, _ query.Operation, env query.Environment) ([]job.Stage, error) {
	place, err := site.PlaceNow(ctx, q.Granted(), srv, env.SiteID)
	if err != nil {
		return nil, fmt.Errorf("read site of environment %d: %w", env.ID, err)
	}
	content, err := t.Box.Open(sealedAt(env.ID, "content"), env.Content)
	if err != nil {
		return nil, err
	}
	var key []byte
	if len(env.EncryptionKey) > 0 {
		if key, err = t.Box.Open(sealedAt(env.ID, "encryption_key"), env.EncryptionKey); err != nil {
			return nil, err
		}
	}
	script, err := Script(srv, place, env, content, key)
	if err != nil {
		return nil, err
	}
	return []job.Stage{{Name: "write .env", Script: &script, Detach: env.Cache || env.Queues}}, nil
}

// Script is a version of an environment as a run on its host. It is pure.
func Script(srv query.Server, place site.Place, env query.Environment, content, key []byte) (wire.Script, error) {
	base, err := place.Base()
	if err != nil {
		return wire.Script{}, err
	}
	home, err := place.Home()
	if err != nil {
		return wire.Script{}, err
	}
	application, err := place.Application()
	if err != nil {
		return wire.Script{}, err
	}
	s := wire.Script{
		User: place.Site.UnixUser, Dir: base.String(), Content: refresh, Files: map[string][]byte{release.EnvironmentFile: content},
		Env: map[string]string{
			release.VarRoot: base.String(), "SITE_DIRECTORY": home.String(), release.VarCached: text.Flag(env.Cache),
			"REFRESH_CACHE": text.Flag(env.Cache), "REFRESH_QUEUES": text.Flag(env.Queues),
		},
		Before: []string{wire.ReleaseProgram, "environment"}, After: []string{
			wire.ReleaseProgram,
			"environment-keep",
		}, Back: []string{wire.ReleaseProgram, "environment-back"},
	}
	if application != "" {
		s.Env[release.VarApplication] = application
	}
	s.Programs = place.Programs(srv)
	if len(key) > 0 {
		s.Env["LARAVEL_ENV_ENCRYPTION_KEY"], s.Redact = string(key), []string{string(key)}
	}
	return s, nil
}

// shows is the status of a version.
var shows = task.Shows{job.Queued: statusWriting, job.Begun: statusWriting, job.Succeeded: statusWritten, job.Failed: statusFailed}

// write notes whether a version is the one on the host. The site's program knows its variables from when it was started.
func (t *Task) write(ctx context.Context, tx *db.Tx, _ query.Operation, env query.Environment, at job.State) error {
	if err := tx.SetEnvironmentStatus(ctx, env.ID, shows.Of(at), tx.Micros()); err != nil || !at.Done() {
		return err
	}
	return t.Programs.Restart(ctx, tx, env)
}
