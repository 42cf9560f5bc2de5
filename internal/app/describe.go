package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"

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
	d, err := db.Connect(ctx, db.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	a, err := unserved(d, base)
	if err != nil {
		return nil, err
	}
	return a.Router.Description()
}

// unserved returns an App without an installation, that describes itself and serves nothing.
func unserved(d *db.DB, base string) (*App, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("read the base URL: %w", err)
	}
	a := &App{Store: &Store{DB: d}, BaseURL: u, Log: slog.New(slog.DiscardHandler)}
	return a, a.wire()
}
