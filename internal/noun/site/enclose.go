package site

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// actionEnclose closes the account of a site that was made before accounts were closed off.
const actionEnclose = "enclose"

// encloseBegun is the value of a site's column enclosed once it was asked to be: it is asked once.
const encloseBegun = 1

const encloseWithin = 15 * time.Minute

// Encloser begins the changes that close off the accounts of sites that were made before.
type Encloser struct {
	DB        *db.DB
	Ledger    *ledger.Ledger
	Processes Processes
}

// Processes brings the processes of an account to what closes them off.
type Processes interface {
	Enclose(ctx context.Context, tx *db.Tx, srv query.Server, user string) error
}

// Next starts the change of one remaining site of a server: one that fails does not stop others. It is started once; its event can be retried.
func (e *Encloser) Next(ctx context.Context, srv query.Server) error {
	if _, err := e.DB.Read().NextOpenSite(ctx, srv); errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return e.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, srv.ID); err != nil {
			return err
		}
		row, err := tx.NextOpenSite(ctx, srv)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find a site to enclose: %w", err)
		}
		if err := tx.SetSiteEnclosed(ctx, row.ID, encloseBegun); err != nil {
			return fmt.Errorf("enclose site %d: %w", row.ID, err)
		}
		if row.Type == sitetype.Balancer { // it has no account
			return nil
		}
		if row.Isolated {
			if err := e.Processes.Enclose(ctx, tx, srv, row.UnixUser); err != nil {
				return err
			}
		}
		now, err := Sites.Row(ctx, tx.Granted, row.ID)
		if err != nil {
			return fmt.Errorf("enclose site %d: %w", row.ID, err)
		}
		now.Specification.Enclosed = true
		wish, err := Sites.Want(row.ID, now.Specification)
		if err != nil {
			return err
		}
		_, err = server.Acceptor{Ledger: e.Ledger, Name: Aspect, Within: encloseWithin}.Accept(ctx, tx,
			server.Path{Grant: access.Grant{OrganizationID: srv.OrganizationID}, Server: srv}, row.ID,
			actionEnclose, "Isolating the account of "+row.Name+" from other sites", wish)
		return err
	})
}
