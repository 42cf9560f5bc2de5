package certificate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

func (o *Operations) install(ctx context.Context, tx *db.Tx, c api.Call[Path], b InstallCertificateRequest) (api.Document[CertificateResource], error) {
	var none api.Document[CertificateResource]
	d, err := o.Store.Domains.Current(ctx, tx, &c.Parent.Path)
	if err != nil {
		return none, err
	}
	row, err := o.current(ctx, tx, c.Parent)
	if err != nil {
		return none, err
	}
	if row.Type != CSR || row.Chain != nil {
		return none, api.Conflict("This certificate does not wait for its signature.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	opened, err := o.Vault.Box.Open(sealedAt(row.ID, columnKey), row.PrivateKey)
	if err != nil {
		return none, err
	}
	key, err := parseKey(string(opened))
	if err != nil {
		return none, err
	}
	leaf, chain, err := uploadedChain(b.Certificate, key.Public())
	if err != nil {
		c.Fields.Add("certificate", "%s.", text.Capital(err.Error()))
		return none, c.Fields.Err()
	}
	if err := fits(leaf, key.Public(), d.Name, tx.Now); err != nil {
		c.Fields.Add("certificate", "%s.", text.Capital(err.Error()))
		return none, c.Fields.Err()
	}
	in := draft{}
	in.chain(leaf, chain)
	row.Chain, row.Names, row.ExpiresAt, row.Status, row.RequestStatus = in.row.Chain, in.row.Names, in.row.ExpiresAt, StatusInstalling, requestCreated
	if err := o.Work.keep(ctx, tx, c.Parent.At.Server.ID, row); err != nil {
		return none, err
	}
	event, err := o.begin(ctx, tx, c.Parent.Path.At, d, &row)
	if err != nil {
		return none, err
	}
	if d, err = tx.GetDomain(ctx, d, d.ID); err != nil {
		return none, fmt.Errorf("read domain: %w", err)
	}
	doc, err := document(ctx, tx.SQL, d, row)
	doc.Event = event
	return doc, err
}

func (o *Operations) current(ctx context.Context, tx *db.Tx, p Path) (query.Certificate, error) {
	row, err := tx.GetCertificate(ctx, p.Certificate)
	if errors.Is(err, db.ErrNotFound) {
		return row, api.ErrNotFound
	}
	if err != nil {
		return row, fmt.Errorf("read certificate %d: %w", p.Certificate.ID, err)
	}
	if row.Status == StatusRemoving {
		return row, api.Conflict("The certificate is being deleted.")
	}
	return row, nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	d, err := o.Store.Domains.Current(ctx, tx, &c.Parent.Path)
	if err != nil {
		return api.Empty{}, err
	}
	row, err := o.current(ctx, tx, c.Parent)
	if row.Status == StatusRemoving { // a second delete while the first runs
		return api.Empty{}, nil
	}
	if err != nil {
		return api.Empty{}, err
	}
	event, err := o.Work.accept(ctx, tx, c.Parent.At.Path, d, &row, "delete", certificates.Removal(row.ID))
	return api.Empty{Event: event}, err
}

func (o *Operations) action(ctx context.Context, tx *db.Tx, c api.Call[Path], b DomainCertificateActionRequest) (api.Empty, error) {
	d, err := o.Store.Domains.Current(ctx, tx, &c.Parent.Path)
	if err != nil {
		return api.Empty{}, err
	}
	row, err := o.current(ctx, tx, c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	active := d.CertificateID != nil && *d.CertificateID == row.ID
	if len(c.Fields) == 0 && b.Action == "enable" && row.Chain == nil {
		c.Fields.Add("action", "The certificate has not been issued yet.")
	}
	if err := c.Fields.Err(); err != nil || active == (b.Action == "enable") {
		return api.Empty{}, err
	}
	event, err := o.Work.change(ctx, tx, c.Parent.At.Path, d, &row, b.Action, func(s *Specification) { s.Active = b.Action == "enable" })
	return api.Empty{Event: event}, err
}
