package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// AspectKey is the key that Hostler logs in to a server with.
const AspectKey = "key"

// keyDeadline limits the replacement of a key; until then the old one works.
const keyDeadline = 30 * time.Minute

// Rekeyer adds a new key beside the old one, logs in with it, and only then removes the old one. Whenever it is interrupted, a
// key that Hostler has opens the server.
type Rekeyer struct {
	DB    *db.DB
	Keys  *Keys
	Facts Facts
}

// Aspect returns it for the engine.
func (r *Rekeyer) Aspect() job.Aspect {
	return task.Kind[struct{}]{Load: task.Nothing, Steps: r.steps, Write: r.write}.Aspect()
}

// steps are the two stages around the login with the new key; they are asked for again after the first, when the new key is the server's.
func (r *Rekeyer) steps(_ context.Context, _ *query.Queries, row query.Server, _ query.Operation, _ struct{}) ([]job.Stage, error) {
	add := job.Stage{Name: "add the new key", Within: settingsWithin}
	keep := []string{row.PublicKey}
	if row.NextPublicKey != "" {
		add.Change.Steps, add.After = addKey(row.NextPublicKey), r.take
		keep = append(keep, row.NextPublicKey)
	}
	return []job.Stage{add, {Name: "remove the old key", Within: settingsWithin, Change: wire.Change{Steps: dropKeys(row.ID, keep)}}}, nil
}

// keyFile contains Hostler's key on a server.
type keyFile struct{ path, owner string }

func keyFiles() []keyFile {
	return []keyFile{{"/root/.ssh/authorized_keys", ""}, {"/home/" + SiteUser + "/.ssh/authorized_keys", SiteUser}}
}

// editKeys returns a step for each of the files. A file that the sites' account has replaced is left alone: it can't block a new key for root.
func editKeys(what string, edit wire.Lines) []wire.Step {
	var steps []wire.Step
	for _, f := range keyFiles() {
		one := edit
		one.Path, one.Owner, one.Yield = f.path, f.owner, f.owner != ""
		steps = append(steps, wire.Step{Name: what + " in " + f.path, Lines: &one})
	}
	return steps
}

func addKey(public string) []wire.Step {
	return editKeys("new key", wire.Lines{Add: []string{public}})
}

// dropKeys removes the keys of Hostler but some; those of people stay.
func dropKeys(server int64, keep []string) []wire.Step {
	edit := wire.Lines{Drop: " " + keyComment(server)}
	for _, public := range keep {
		edit.Keep = append(edit.Keep, strings.Fields(public)[1])
	}
	return editKeys("old keys", edit)
}

// take logs in with the new key, and from then on it is the server's key.
func (r *Rekeyer) take(ctx context.Context, row query.Server) error {
	private, err := r.Keys.Box.Open(sealedAt(row.ID, "next_private_key"), row.NextPrivateKey)
	if err != nil {
		return err
	}
	target, err := r.Keys.Target(row)
	if err != nil {
		return err
	}
	if target.Signer, err = ssh.ParsePrivateKey(private); err != nil {
		return fmt.Errorf("read next key of server %d: %w", row.ID, err)
	}
	if _, err := r.Facts.Facts(ctx, target); err != nil {
		return fmt.Errorf("log in to server %d with its new key: %w", row.ID, err)
	}
	sealed, err := r.Keys.Box.Seal(sealedAt(row.ID, "private_key"), private)
	if err != nil {
		return err
	}
	return r.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.TakeNextServerKey(ctx, row.ID, sealed, row.NextPublicKey)
		if err == nil && n == 0 {
			err = errors.New("it was cancelled or replaced by another")
		}
		if err != nil {
			return fmt.Errorf("take next key of server %d: %w", row.ID, err)
		}
		return nil
	})
}

// write makes a new key for a replacement that is tried again, if there is none. At an end nothing changes: a new key that did not take the old one's place
// is kept for the next replacement. A server that was not heard of may have it, and say so later.
func (r *Rekeyer) write(ctx context.Context, tx *db.Tx, op query.Operation, _ struct{}, at job.State) error {
	if at != job.Queued {
		return nil
	}
	row, err := tx.Ungranted().GetServer(ctx, op.ResourceID)
	if err != nil {
		return fmt.Errorf("resume replacement of key: %w", err)
	}
	return r.Keys.next(ctx, tx, row)
}
