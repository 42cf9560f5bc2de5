package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/mod/semver"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Watch checks for a newer release once a day, and stores the result.
type Watch struct {
	DB     *db.DB
	Source Source
	Log    *slog.Logger
}

// Look is the job that looks for a newer release.
type Look struct{}

// Kind names the job.
func (Look) Kind() string { return "update.look" }

// Periodic returns how often it is checked whether a day has passed.
func Periodic() job.Periodic { return job.Periodic{Every: time.Hour, Args: Look{}} }

// lookApart is the least time between two requests to the source, also across restarts.
const lookApart = 24 * time.Hour

// setting is what is remembered in the installation's settings.
const setting = "update"

// seen is the newest release that the source has named.
type seen struct {
	LookedAt time.Time `json:"looked_at"`
	Version  string    `json:"version,omitempty"`
	Changes  string    `json:"changes,omitempty"`
	// Trouble is why what the source says can't be relied on, "" for nothing.
	Trouble string `json:"trouble,omitempty"`
}

// Work adds the job to the workers.
func (w *Watch) Work(workers *job.Workers) {
	job.Handle(workers, func(ctx context.Context, _ Look) error { return w.Look(ctx) })
}

// Look queries the source, at most once a day. A source that does not respond is not a failure of the panel.
func (w *Watch) Look(ctx context.Context) error {
	known, err := w.read(ctx)
	if err != nil {
		return err
	}
	now := w.DB.Clock.Now()
	if apart := now.Sub(known.LookedAt); apart >= 0 && apart < lookApart {
		return nil
	}
	known.LookedAt = now
	if err := w.write(ctx, known); err != nil { // before asking: a program that ends meanwhile does not ask again at once
		return err
	}
	index, _, err := w.Source.Newest(ctx)
	switch {
	case errors.Is(err, ErrExpired), errors.Is(err, ErrSignature):
		known.Trouble = err.Error()
	case err != nil:
		w.Log.WarnContext(ctx, "looking for a newer release failed", "error", err)
		return nil
	case semver.Compare(index.Version, known.Version) < 0:
		known.Trouble = "the index of releases names " + index.Version + " as the newest; it named " + known.Version + " before"
	default:
		known.Version, known.Changes, known.Trouble = index.Version, index.Changes, ""
	}
	return w.write(ctx, known)
}

// Judge returns an error if a release is older than one that the source has named before: that one is withheld.
func (w *Watch) Judge(ctx context.Context, version string) error {
	known, err := w.read(ctx)
	if err == nil && semver.Compare(version, known.Version) < 0 {
		err = fmt.Errorf("%w: it names %s, and named %s before", ErrWithheld, version, known.Version)
	}
	return err
}

// Trouble says why what the source of releases says can't be relied on, "" for nothing.
func (w *Watch) Trouble(ctx context.Context) (string, error) {
	known, err := w.read(ctx)
	return known.Trouble, err
}

// Newer returns the version of a newer release and where its changes are described, "" if none is known.
func (w *Watch) Newer(ctx context.Context) (version, changes string, err error) {
	known, err := w.read(ctx)
	if err != nil || semver.Compare(known.Version, w.Source.Version) <= 0 {
		return "", "", err
	}
	return known.Version, known.Changes, nil
}

func (w *Watch) read(ctx context.Context) (out seen, err error) {
	text, err := w.DB.Read().Ungranted().GetSetting(ctx, setting)
	if errors.Is(err, db.ErrNotFound) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &out)
	}
	if err != nil {
		return out, fmt.Errorf("read which release is the newest: %w", err)
	}
	return out, nil
}

func (w *Watch) write(ctx context.Context, s seen) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save which release is the newest: %w", err)
	}
	return w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, setting, string(raw)) })
}
