package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Secret wraps a text that must not be printed.
func Secret(text string) secret.String { return secret.String(text) }

// Description returns the API description without an installation.
func Description(ctx context.Context, base string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "hostler-openapi-")
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("read the base URL: %w", err)
	}
	d, err := db.Connect(ctx, db.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	a := &App{Store: &Store{DB: d}, BaseURL: u, Log: slog.New(slog.DiscardHandler)}
	if err := a.wire(); err != nil {
		return nil, err
	}
	return a.Router.Description()
}

// Finding is one check of an installation; Err says what is wrong and how to fix it.
type Finding struct {
	Check string
	Err   error
}

// Doctor checks an installation without changing it.
func Doctor(ctx context.Context, c Config) []Finding {
	var out []Finding
	add := func(check string, err error) { out = append(out, Finding{check, err}) }
	box, err := secret.OpenBox(c.KeyFile(), false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		add("master key "+c.KeyFile(), errors.New("there is none; start hostler once, or restore the file that belongs to the database"))
	case errors.Is(err, secret.ErrKeyPerms):
		add("master key "+c.KeyFile(), fmt.Errorf("%w; run: chmod 600 %s", err, c.KeyFile()))
	default:
		add("master key "+c.KeyFile(), err)
	}
	d, err := db.Connect(ctx, db.Config{URL: c.DatabaseURL, Dir: c.DataDir})
	if errors.Is(err, db.ErrDamaged) {
		add("database is whole", damaged(err))
		return out
	}
	add("database", err)
	if err != nil {
		return out
	}
	defer func() { _ = d.Close() }()
	add("database is whole", damaged(d.Verify(ctx)))
	if d.Dialect == db.SQLite {
		add("room on the disk of the data directory", roomIn(c.DataDir))
	}
	known, err := knownKeys(ctx, d)
	switch {
	case err != nil:
		add("schema", err)
	case len(known.keys) == 0:
		add("schema", errors.New("the database is empty or old; run: hostler migrate"))
	case box != nil:
		add("master key belongs to the database", known.in(box, c.KeyFile()))
	}
	if _, err := d.Setting(ctx, db.SettingScrub); err == nil {
		add("old secrets are removed from the database's files", errors.New("they could not be rewritten; make room for a copy of the database and restart hostler"))
	}
	if err == nil {
		stuck, err := job.Overdue(ctx, d)
		if err == nil && stuck > 0 {
			err = fmt.Errorf("%d operations are past their deadline; is hostler serve running?", stuck)
		}
		add("no operation is past its deadline", err)
	}
	return out
}

func damaged(err error) error {
	if errors.Is(err, db.ErrDamaged) {
		return fmt.Errorf("%w; stop hostler, keep a copy of the files, and put back a backup with: hostler restore", err)
	}
	return err
}
