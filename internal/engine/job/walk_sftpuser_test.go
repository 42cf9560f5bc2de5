package job_test

import (
	"context"
	"errors"
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/sftpuser"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
	"github.com/hostlerhq/hostler/test/walk"
)

// sftpDriver asks for SFTP users, whose mark is the key.
var sftpDriver = &driver{
	kind: sftpuser.Users.Kind, aspect: sftpuser.Aspect, noun: sftpuser.Users, applied: server.PartInstalled, failed: server.PartFailed,
	includes: []vhost.Include{sftpuser.Include{}},
	aspects: func(w *walker) map[string]job.Aspect {
		return map[string]job.Aspect{sftpuser.Aspect: converge.Converger{Ledger: w.ledger, Plans: sftpuser.Plan}.Aspect()}
	},
	mark: func(number string) string { return "ssh-ed25519 key-" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		at, err := w.home(ctx, tx)
		if err != nil {
			return ledger.Wish{}, err
		}
		row, err := tx.InsertSFTPUser(ctx, query.InsertSFTPUserParams{SiteID: at, Name: "login", Keys: mark, Status: server.PartInstalling})
		if err != nil {
			return ledger.Wish{}, err
		}
		w.homes[walk.Resource{Kind: sftpuser.Users.Kind, ID: row.ID}] = at
		return sftpuser.Users.Want(row.ID, login(at, row.ID, mark))
	},
	update: func(_ context.Context, _ *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		return sftpuser.Users.Want(id, login(w.homes[walk.Resource{Kind: sftpuser.Users.Kind, ID: id}], id, mark))
	},
	remove: sftpuser.Users.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetSFTPUser(ctx, w.homes[walk.Resource{Kind: sftpuser.Users.Kind, ID: id}], id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}

func login(siteID, id int64, mark string) sftpuser.Specification {
	return sftpuser.Specification{SiteID: siteID, Name: "login-" + strconv.FormatInt(id, 10), Keys: []string{mark}}
}
