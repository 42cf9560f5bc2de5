package backup

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

func (o *Operations) instances(ctx context.Context, c api.Call[Path]) (api.Collection[InstanceResource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("backups", db.Equal("configuration_id", c.Parent.Configuration.ID)),
		func(rows ...query.Backup) ([]InstanceResource, error) {
			return o.resources(ctx, q, c.Parent, nil, rows...)
		})
}

func (o *Operations) instance(ctx context.Context, c api.Call[BackupPath]) (api.Document[InstanceResource], error) {
	return api.Single(o.resources(ctx, o.Store.DB.Reader(), c.Parent.Path, nil, c.Parent.Backup))
}

// resources makes documents. signed returns an address of an object for a download; nil where none is asked for.
func (o *Operations) resources(
	ctx context.Context, q query.DBTX, p Path, signed func(object string) (string, error), rows ...query.Backup,
) ([]InstanceResource, error) {
	ids, keyIDs, operations := make([]any, len(rows)), make([]any, len(rows)), make([]*int64, len(rows))
	for i, row := range rows {
		ids[i], keyIDs[i], operations[i] = row.ID, row.KeyID, row.OperationID
	}
	found, err := db.All[query.BackupItem](ctx, q, "backup_items", db.Equal("backup_id", ids...))
	if err != nil {
		return nil, err
	}
	keys, err := db.All[query.BackupKey](ctx, q, "backup_keys", db.Equal("id", keyIDs...))
	if err != nil {
		return nil, err
	}
	ops, err := job.ReadOperations(ctx, q, operations...)
	if err != nil {
		return nil, err
	}
	items, recipients := make(map[int64][]query.BackupItem, len(rows)), make(map[int64]string, len(keys))
	for _, item := range found {
		items[item.BackupID] = append(items[item.BackupID], item)
	}
	for _, key := range keys {
		recipients[key.ID] = key.Recipient
	}
	out := make([]InstanceResource, len(rows))
	for i, row := range rows {
		if out[i], err = o.resource(p, row, items[row.ID], recipients[row.KeyID], job.Meta(ops, row.OperationID), signed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (o *Operations) resource(
	p Path, row query.Backup, items []query.BackupItem, recipient string, operation *api.OperationMeta,
	signed func(object string) (string, error),
) (InstanceResource, error) {
	a := BackupAttributes{Status: row.Status, IsPartial: strconv.FormatBool(row.IsPartial), Size: row.Size, DatabaseIDs: []int64{}}
	if row.FinishedAt != nil {
		a.FinishedAt = new(time.UnixMicro(*row.FinishedAt).Unix())
	}
	m := BackupMeta{
		Encrypted: true, Recipient: recipient, Bucket: row.Bucket, Reason: row.Reason, ProofStatus: row.VerifyStatus,
		ProofReason: row.VerifyReason, Objects: []BackupObjectMeta{},
	}
	if row.Status == StatusFinished && row.VerifyStatus == nil {
		m.ProofStatus = new(notProven)
	}
	if row.VerifyStatus != nil && *row.VerifyStatus == StatusFinished {
		m.LastProvenRestore = api.NullTimeOf(row.VerifiedAt)
	}
	for _, item := range items {
		if item.DatabaseID != nil {
			a.DatabaseIDs = append(a.DatabaseIDs, *item.DatabaseID)
		}
		object := BackupObjectMeta{
			Kind: item.Kind, Name: item.Name, DatabaseID: item.DatabaseID, Status: item.Status, Key: item.Object,
			Size: item.Size, Checksum: item.Checksum, Reason: item.Reason,
		}
		if signed != nil && item.Status == itemStored {
			url, err := signed(item.Object)
			if err != nil {
				return InstanceResource{}, err
			}
			object.URL = api.SecretOf(url)
		}
		m.Objects = append(m.Objects, object)
	}
	return InstanceResource{
		ID: strconv.FormatInt(row.ID, 10), Links: o.Router.Links(instancePath(p, row.ID)), Attributes: a,
		Meta: &api.Meta{Operation: operation, Own: []any{InstanceMeta{m}}},
	}, nil
}

func instancePath(p Path, id int64) string {
	return pathOf(p.Path, p.Configuration.ID) + "/instances/" + strconv.FormatInt(id, 10)
}

func (o *Operations) run(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[InstanceResource], error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Document[InstanceResource]{}, err
	}
	row, accepted, err := o.Runner.Start(ctx, tx, c.Parent.Grant, c.Parent.Server, c.Parent.Configuration)
	if err != nil {
		return api.Document[InstanceResource]{}, err
	}
	doc, err := api.Single(o.resources(ctx, tx.SQL, c.Parent, nil, row))
	doc.Location, doc.Event = instancePath(c.Parent, row.ID), accepted.EventID
	return doc, err
}

func (o *Operations) removeInstance(ctx context.Context, tx *db.Tx, c api.Call[BackupPath], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	row := c.Parent.Backup
	if row.Status == StatusRemoving { // a second delete while the first runs
		return api.Empty{}, nil
	}
	if row.Status == StatusRunning && row.OperationID != nil {
		if err := o.Runner.Queue.Cancel(ctx, tx, *row.OperationID); err != nil && !errors.Is(err, job.ErrEnded) {
			return api.Empty{}, err
		}
	}
	accepted, err := o.Runner.Remove(ctx, tx, c.Parent.Grant, c.Parent.Server, c.Parent.Configuration, row)
	return api.Empty{Event: accepted.EventID}, err
}

// notProven is the proof of a finished backup that was not restored yet.
const notProven = "not_proven"

var errNotWhole = api.Conflict("This backup is not finished.")

func (o *Operations) prove(ctx context.Context, tx *db.Tx, c api.Call[BackupPath], _ api.NoBody) (api.Document[InstanceResource], error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Document[InstanceResource]{}, err
	}
	if c.Parent.Backup.Status != StatusFinished {
		return api.Document[InstanceResource]{}, errNotWhole
	}
	accepted, err := o.Runner.Prove(ctx, tx, c.Parent.Grant, c.Parent.Server, c.Parent.Configuration, c.Parent.Backup)
	if err != nil {
		return api.Document[InstanceResource]{}, err
	}
	doc, err := api.Single(o.resources(ctx, tx.SQL, c.Parent.Path, nil, c.Parent.Backup))
	doc.Event = accepted.EventID
	return doc, err
}

const downloadFor = time.Hour

func (o *Operations) download(ctx context.Context, tx *db.Tx, c api.Call[BackupPath], _ api.NoBody) (api.Document[InstanceResource], error) {
	var none api.Document[InstanceResource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	if c.Parent.Backup.Status != StatusFinished {
		return none, errNotWhole
	}
	provider, err := tx.GetStorageProvider(ctx, c.Parent, c.Parent.Backup.StorageProviderID)
	if errors.Is(err, db.ErrNotFound) {
		return none, api.Conflict("The storage provider of this backup was deleted.")
	}
	if err != nil {
		return none, fmt.Errorf("read storage provider: %w", err)
	}
	bucket, err := o.Store.Storage.Open(provider, c.Parent.Backup.Bucket)
	if err != nil {
		return none, err
	}
	return api.Single(o.resources(ctx, tx.SQL, c.Parent.Path, func(key string) (string, error) {
		return bucket.SignGet(ctx, key, downloadFor, key[strings.LastIndexByte(key, '/')+1:])
	}, c.Parent.Backup))
}

func (o *Operations) keys(ctx context.Context, c api.Call[organization.Path]) (api.Collection[KeyResource], error) {
	return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("backup_keys", db.Equal("organization_id", c.Parent.OrganizationID)),
		api.Each(func(row query.BackupKey) KeyResource {
			return o.keyResource(c.Parent, row)
		}))
}

func (o *Operations) keyResource(p organization.Path, row query.BackupKey) KeyResource {
	return KeyResource{
		ID: strconv.FormatInt(row.ID, 10), Links: o.Router.Links("/orgs/" + p.Slug + "/backup-keys"),
		Attributes: BackupKeyAttributes{Recipient: row.Recipient, CreatedAt: api.TimeOf(row.CreatedAt)},
	}
}

// export creates the key if there is none yet, so that it can be put away before the first backup.
func (o *Operations) export(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], _ api.NoBody) (api.Document[KeyResource], error) {
	row, err := o.Store.key(ctx, tx, c.Parent)
	if err != nil {
		return api.Document[KeyResource]{}, err
	}
	identity, err := o.Store.identity(row)
	if err != nil {
		return api.Document[KeyResource]{}, err
	}
	data := o.keyResource(c.Parent, row)
	data.Meta = &api.Meta{ShownOnce: &api.ShownOnce{Secret: api.SecretOf(identity.String())}}
	return api.Document[KeyResource]{Data: data}, nil
}

// InstanceMeta is what backups add to meta.
type InstanceMeta struct {
	Backup BackupMeta `json:"backup"`
}

// BackupMeta is the contents of a backup.
type BackupMeta struct {
	// Encrypted is always set: objects are encrypted to Recipient (age) before they leave the host.
	Encrypted bool   `json:"encrypted"`
	Recipient string `json:"recipient"`
	Bucket    string `json:"bucket"`
	// Reason is why a backup failed, or what it is missing.
	Reason *string `json:"reason"`
	// LastProvenRestore is when this backup was restored into a separate database and found to equal the dump.
	LastProvenRestore api.NullTime       `json:"last_proven_restore"`
	ProofStatus       *string            `json:"proof_status" enum:"finished,failed,not_proven" doc:"not_proven for a finished backup that was not restored yet."`
	ProofReason       *string            `json:"proof_reason"`
	Objects           []BackupObjectMeta `json:"objects"`
}

// BackupObjectMeta is one object of a backup.
type BackupObjectMeta struct {
	Kind       string  `json:"kind" enum:"database,files"`
	Name       string  `json:"name"`
	DatabaseID *int64  `json:"database_id"`
	Status     string  `json:"status" enum:"pending,sent,stored,failed"`
	Key        string  `json:"key"`
	Size       int64   `json:"size"`
	Checksum   *string `json:"checksum" doc:"The SHA-256 digest of the object, in hexadecimal."`
	Reason     *string `json:"reason"`
	// URL temporarily gives access to the object; set only if a download was requested.
	URL api.Secret `json:"url,omitzero"`
}
