package job_test

import (
	"context"
	"errors"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
)

// sshkeyDriver asks for SSH keys, whose mark is the key.
var sshkeyDriver = &driver{
	kind: sshkey.Noun.Kind, aspect: sshkey.Aspect, noun: sshkey.Noun, applied: server.PartInstalled, failed: server.PartFailed,
	aspects: func(w *walker) map[string]job.Aspect {
		return map[string]job.Aspect{sshkey.Aspect: converge.Converger{Ledger: w.ledger, Plans: sshkey.Plan}.Aspect()}
	},
	mark: func(number string) string { return "KEY" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		s := sshkey.Specification{Name: mark, User: "forge", Key: "ssh-ed25519 " + mark}
		row, err := tx.InsertSSHKey(ctx, query.InsertSSHKeyParams{ServerID: w.server.ID, Name: s.Name, UnixUser: s.User, Key: s.Key, Status: server.PartInstalling})
		if err != nil {
			return ledger.Wish{}, err
		}
		return sshkey.Noun.Want(row.ID, s)
	},
	remove: sshkey.Noun.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetSSHKey(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}
