package job_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// phpDriver asks for versions of PHP, each of which a server has once. The mark is a line of the settings of FPM.
var phpDriver = &driver{
	kind: php.Versions.Kind, aspect: php.Aspect, noun: php.Versions, applied: server.PartInstalled, failed: server.PartFailed,
	aspects: func(w *walker) map[string]job.Aspect {
		return map[string]job.Aspect{php.Aspect: php.NewConverger(w.ledger, func(context.Context, query.Server) error { return nil }).Aspect()}
	},
	mark: func(number string) string { return "user_agent = php-" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		rows, err := tx.Ungranted().ListPHPVersions(ctx, w.server.ID)
		if err != nil {
			return ledger.Wish{}, err
		}
		for _, v := range value.PHPVersions() {
			if slices.ContainsFunc(rows, func(r query.PHPVersion) bool { return r.Version == v.Dotted() }) {
				continue
			}
			row, err := tx.InsertPHPVersion(ctx, w.server.ID, v.Dotted(), server.PartInstalling, tx.Micros())
			if err != nil {
				return ledger.Wish{}, err
			}
			return php.Versions.Want(row.ID, php.Specification{Version: v, FPM: mark})
		}
		return ledger.Wish{}, errors.New("the server has every version of PHP")
	},
	update: func(ctx context.Context, tx *db.Tx, _ *walker, id int64, mark string) (ledger.Wish, error) {
		row, err := php.Versions.Row(ctx, tx.Granted, id)
		if err == nil && row.Phase == ledger.Gone {
			err = db.ErrNotFound
		}
		row.Specification.FPM = mark
		wish, failed := php.Versions.Want(id, row.Specification)
		return wish, errors.Join(err, failed)
	},
	remove: php.Versions.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetPHPVersion(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}

// phpSettingsDriver asks for the settings of all versions of the server, two of which it has from the beginning. The mark is a limit; what nginx waits
// for is a few seconds longer, and must not be the mark of another.
var phpSettingsDriver = &driver{
	kind: php.ServerSettings.Kind, aspect: php.Aspect, noun: php.ServerSettings, applied: present,
	prepare: func(ctx context.Context, tx *db.Tx, w *walker) error {
		for _, name := range []string{"8.4", "8.5"} {
			v, err := value.ParsePHPVersion(name)
			if err != nil {
				return err
			}
			row, err := tx.InsertPHPVersion(ctx, w.server.ID, name, server.PartInstalled, tx.Micros())
			if err != nil {
				return err
			}
			wish, err := php.Versions.Want(row.ID, php.Specification{Version: v})
			if err == nil {
				err = apply(ctx, tx, w, wish)
			}
			if err != nil {
				return err
			}
		}
		return nil
	},
	mark:   func(number string) string { return "max_execution_time = " + number + "00" },
	create: wantLimit,
	update: func(ctx context.Context, tx *db.Tx, w *walker, _ int64, mark string) (ledger.Wish, error) {
		return wantLimit(ctx, tx, w, mark)
	},
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := php.ServerSettings.Row(ctx, w.db.Read(), id)
		return shown(row.Phase), err
	},
}

func wantLimit(_ context.Context, _ *db.Tx, w *walker, mark string) (ledger.Wish, error) {
	seconds, err := strconv.ParseInt(strings.TrimPrefix(mark, "max_execution_time = "), 10, 64)
	if err != nil {
		return ledger.Wish{}, err
	}
	return php.ServerSettings.Want(w.server.ID, php.Settings{MaxExecutionTime: seconds})
}

// shown is the status of a resource whose row has none: it is there, or it is not.
func shown(p ledger.Phase) string {
	if p == ledger.Gone || p == ledger.Failed {
		return ""
	}
	return present
}

// apply records what a host has before a walk.
func apply(ctx context.Context, tx *db.Tx, w *walker, wish ledger.Wish) error {
	return tx.PutApplied(ctx, query.PutAppliedParams{
		Kind: wish.Kind, ID: wish.ID, ServerID: w.server.ID, Version: int64(wish.Version),
		Specification: string(wish.Specification), UpdatedAt: tx.Micros(),
	})
}
