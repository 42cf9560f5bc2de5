package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// StorageProviderAttributes are the attributes of a storage provider.
type StorageProviderAttributes struct {
	Name         string       `json:"name"`
	Provider     string       `json:"provider" enum:"s3,spaces,hetzner,ovh,scaleway,custom"`
	ProviderName string       `json:"provider_name" enum:"Amazon S3,DigitalOcean Spaces,Hetzner,OVH,Scaleway,Custom (S3 Compatible)"`
	Region       *string      `json:"region"`
	Bucket       *string      `json:"bucket"`
	Directory    *string      `json:"directory"`
	Endpoint     *string      `json:"endpoint"`
	AssumeRole   *bool        `json:"assume_role"`
	InUse        bool         `json:"in_use"`
	CreatedAt    api.NullTime `json:"created_at"`
	UpdatedAt    api.NullTime `json:"updated_at"`
}

// ResourceType returns storageProviders.
func (StorageProviderAttributes) ResourceType() string { return "storageProviders" }

// Metas are what the meta of these resources has besides.
func (StorageProviderAttributes) Metas() []any { return []any{Meta{}} }

// Resource is a storage provider in a document.
type Resource = api.Resource[StorageProviderAttributes, api.NoRelationships]

// CreateStorageConfigurationRequest connects a bucket. The contract names it and its path parameter so, and the resource a storage provider.
type CreateStorageConfigurationRequest struct {
	Name       string      `json:"name" maxLength:"255"`
	Provider   string      `json:"provider" enum:"s3,spaces,hetzner,ovh,scaleway,custom"`
	Region     *string     `json:"region,omitempty" doc:"Required unless an endpoint is given."`
	Bucket     *string     `json:"bucket,omitempty" nullable:"true" doc:"The default bucket, for configurations that do not name one."`
	Directory  *string     `json:"directory,omitempty" nullable:"true"`
	Endpoint   *string     `json:"endpoint,omitempty" format:"uri"`
	AccessKey  *api.Secret `json:"access_key,omitempty" nullable:"true" doc:"It is never returned."`
	SecretKey  *api.Secret `json:"secret_key,omitempty" nullable:"true"`
	HostKey    *string     `json:"host_key,omitempty" ours:"true" nullable:"true"`
	AssumeRole bool        `json:"assume_role,omitempty" doc:"Always false: Hostler does not use the role of the machine it runs on. true is rejected."`
}

// UpdateStorageConfigurationRequest changes a storage provider: what is left out is unchanged, null or empty is cleared. Keys can't be cleared.
type UpdateStorageConfigurationRequest struct {
	Name       string      `json:"name" maxLength:"255"`
	Provider   string      `json:"provider" enum:"s3,spaces,hetzner,ovh,scaleway,custom"`
	Region     *string     `json:"region,omitempty"`
	Bucket     *string     `json:"bucket,omitempty" nullable:"true"`
	Endpoint   *string     `json:"endpoint,omitempty" format:"uri"`
	AccessKey  *api.Secret `json:"access_key,omitempty" nullable:"true"`
	SecretKey  *api.Secret `json:"secret_key,omitempty" nullable:"true"`
	HostKey    *string     `json:"host_key,omitempty" ours:"true" nullable:"true" doc:"For SFTP only. A change requires the secret_key as well."`
	UseRole    *bool       `json:"use_ec2_assumed_role,omitempty" doc:"The old name of assume_role."`
	Directory  *string     `json:"directory,omitempty" nullable:"true"`
	AssumeRole *bool       `json:"assume_role,omitempty"`
}

// Operations are the operations on storage providers.
type Operations struct {
	Store  *Store
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/storage-providers", "/orgs/{organization}/storage-providers/{storageConfiguration}"
	const checked = "The storage is tested before it is saved: an object is written, read and deleted in the bucket; without a bucket, only the keys are tested."
	manage := []access.Permission{access.StorageManage}
	api.Index(o.Router, api.Operation{
		ID: "organizations.storage-providers.index", Method: http.MethodGet, Path: many, Tag: "Storage Providers", Mode: api.Sync,
		Permissions: manage,
		Noun:        "storage", Summary: "List storage providers", Filters: []api.Filter{{Name: "provider"}}, Sorts: []string{
			"name", "provider", "created_at",
			"updated_at",
		},
	}, o.Store.Organizations.InPath, o.index)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.storage-providers.store", Method: http.MethodPost, Path: many, Tag: "Storage Providers",
		Mode: api.Sync, Permissions: manage,
		Status: http.StatusCreated, Noun: "storage", Summary: "Connect a storage provider", Description: checked,
		Example: map[string]any{"region": "eu-central-1", "bucket": "backups", "access_key": "example", "secret_key": "example"},
	}, o.Store.Organizations.InPath, o.checkNew, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.storage-providers.show", Method: http.MethodGet, Path: single, Tag: "Storage Providers", Mode: api.Sync,
		Permissions: manage,
		Noun:        "storage", Summary: "Get a storage provider",
	}, o.Store.InPath, o.show)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.storage-providers.update", Method: http.MethodPut, Path: single, Tag: "Storage Providers",
		Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, BodyOptional: true, Noun: "storage", Summary: "Update a storage provider", Description: checked,
		Example: map[string]any{"region": "eu-central-1", "bucket": "backups", "access_key": "example", "secret_key": "example"},
	}, o.Store.InPath, o.checkChanged, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.storage-providers.destroy", Method: http.MethodDelete, Path: single, Tag: "Storage Providers",
		Mode: api.Sync, Permissions: manage,
		Status: http.StatusNoContent, Conflict: true, Noun: "storage", Summary: "Delete a storage provider",
		Description: "Refused while a backup configuration uses the storage. The contents of the bucket stay.",
	}, o.Store.InPath, o.destroy)
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("storage_providers", db.Equal("organization_id", c.Parent.OrganizationID)),
		func(rows ...query.StorageProvider) ([]Resource, error) {
			return o.resources(ctx, q, c.Parent.Slug, rows...)
		})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return api.Single(o.resources(ctx, o.Store.DB.Reader(), c.Parent.Slug, c.Parent.Provider))
}

func (o *Operations) resources(ctx context.Context, q query.DBTX, slug string, rows ...query.StorageProvider) ([]Resource, error) {
	used, err := db.Held(ctx, q, "backup_configurations", "storage_provider_id", rows, func(row query.StorageProvider) int64 { return row.ID })
	if err != nil {
		return nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		id := strconv.FormatInt(row.ID, 10)
		out[i] = Resource{ID: id, Links: o.Router.Links(pathOf(slug, id)), Attributes: StorageProviderAttributes{
			Name: row.Name, Provider: row.Provider,
			ProviderName: known(row.Provider).name,
			Region:       row.Region, Bucket: row.Bucket, Directory: row.Directory, Endpoint: row.Endpoint, AssumeRole: &row.AssumeRole, InUse: used[row.ID],
			CreatedAt: api.NullTimeOf(&row.CreatedAt), UpdatedAt: api.NullTimeOf(&row.UpdatedAt),
		}}
		if row.HostKey != nil {
			out[i].Meta = &api.Meta{Own: []any{Meta{StorageMeta{HostKey: *row.HostKey}}}}
		}
	}
	return out, nil
}

// Meta is what storage providers add to meta.
type Meta struct {
	Storage StorageMeta `json:"storage"`
}

// StorageMeta describes a storage over SFTP.
type StorageMeta struct {
	// HostKey is the key that its server must present.
	HostKey string `json:"host_key"`
}

func pathOf(slug, id string) string { return "/orgs/" + slug + "/storage-providers/" + id }

// roleRefused is why no storage is opened with the role of the machine that Hostler runs on: it would open the operator's buckets
// to every organization, and requesting it from the metadata service would open that address to them too.
const roleRefused = "Hostler does not use the role of the machine it runs on, which belongs to no organization. Set access_key and secret_key."

// check makes the row of a request, with its findings in f.
func check(f api.Fields, name, provider string, region, bucket, directory, endpoint, hostKey *string, role bool, k *Keys) query.StorageProvider {
	row := query.StorageProvider{Name: f.Line("name", name, 0), Provider: provider, AssumeRole: role}
	if region := text.Trimmed(region); region != "" {
		if region != strings.ToLower(region) && (provider != Custom || endpoint == nil) {
			region = strings.ToLower(region) // it becomes part of a host's name
		}
		row.Region = &region
		if !regionPattern.MatchString(strings.ToLower(region)) {
			f.Add("region", "The region must have only letters, digits and dashes.")
		}
	}
	if address := text.Trimmed(endpoint); address != "" && len(f["endpoint"]) == 0 {
		u, err := parseEndpoint(withoutBucket(address, text.Trimmed(bucket)))
		if err != nil {
			f.Add("endpoint", "%s.", text.Capital(err.Error()))
		} else {
			address = u.String()
		}
		row.Endpoint = &address
	}
	switch {
	case isKnown(provider) && provider == Custom && row.Endpoint == nil && len(f["endpoint"]) == 0:
		f.Add("endpoint", "The endpoint field is required for this provider.")
	case isKnown(provider) && provider != Custom && row.Endpoint == nil && row.Region == nil && len(f["region"]) == 0:
		f.Add("region", "The region field is required for this provider.")
	}
	if bucket := text.Trimmed(bucket); bucket != "" {
		row.Bucket = &bucket
		if err := CheckBucket(bucket); err != nil {
			f.Add("bucket", "%s.", text.Capital(err.Error()))
		}
	}
	if directory != nil {
		dir, err := CleanDirectory(*directory)
		if err != nil {
			f.Add("directory", "%s.", text.Capital(err.Error()))
		} else if dir != "" {
			row.Directory = &dir
		}
	}
	if hostKey := text.Trimmed(hostKey); hostKey != "" && len(f["host_key"]) == 0 {
		key, err := cleanHostKey(hostKey)
		switch {
		case err != nil:
			f.Add("host_key", "%s.", text.Capital(err.Error()))
		case !overSFTP(row):
			f.Add("host_key", "Only a storage over SFTP has a host key.")
		}
		row.HostKey = &key
	}
	if overSFTP(row) && provider != Custom {
		f.Add("endpoint", "Only a custom storage can be reached over SFTP.")
	}
	if onDisk(row) {
		if provider != Custom {
			f.Add("endpoint", "Only a custom storage can be on the disk of Hostler's machine.")
		}
		if row.Bucket == nil && len(f["bucket"]) == 0 {
			f.Add("bucket", "The bucket field is required for a storage on the disk of Hostler's machine: it names the directory of the backups.")
		}
		*k = Keys{} // whoever runs Hostler opened it
		return row
	}
	if role {
		f.Add("assume_role", roleRefused)
		return row
	}
	if key := strings.TrimSpace(text.PEM(k.SecretKey)); overSFTP(row) && isPrivateKey(key) {
		k.SecretKey = key // with its line ends, which may have become blanks
	}
	for field, key := range map[string]string{"access_key": k.AccessKey, "secret_key": k.SecretKey} {
		switch {
		case len(f[field]) > 0:
		case key == "":
			f.Add(field, "The %s field is required.", field)
		case field == "secret_key" && overSFTP(row):
			checkSecret(f, key)
		case len(key) > 512 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
			f.Add(field, "The %s must be at most 512 printable ASCII characters.", field)
		}
	}
	return row
}

// checkSecret is what opens an SFTP server: a password or a private key.
func checkSecret(f api.Fields, secret string) {
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(secret)); err == nil {
		f.Add("secret_key", "The secret_key is a public key. Give its private key, which begins with -----BEGIN, or a password.")
	} else if isPrivateKey(secret) {
		if len(secret) > 8<<10 { // RSA of 8192 bits; what is larger takes long to look at
			f.Add("secret_key", "The secret_key is too long for a private key.")
		} else if _, err := ssh.ParsePrivateKey([]byte(secret)); err != nil {
			f.Add("secret_key", "The secret_key must be a private key without a passphrase, or a password.")
		}
	} else if len(secret) > 512 || strings.ContainsFunc(secret, unicode.IsControl) {
		f.Add("secret_key", "The secret_key must be one line of at most 512 characters, or a private key.")
	}
}

// ask tests a storage, and reports errors on the field concerned.
func (o *Operations) ask(ctx context.Context, f api.Fields, row query.StorageProvider, k Keys) error {
	name := ""
	if row.Bucket != nil {
		name = *row.Bucket
	}
	b, err := o.Store.bucket(row, k, name)
	if err != nil {
		f.Add("endpoint", "The endpoint is not valid.")
		return nil //nolint:nilerr // the field says it
	}
	if name == "" {
		err = b.Ask(ctx)
	} else {
		dir := ""
		if row.Directory != nil {
			dir = *row.Directory
		}
		err = b.Probe(ctx, dir)
	}
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	reason := "The storage lost the object that was written."
	var problem *Problem
	if errors.As(err, &problem) {
		reason = problem.Reason
	}
	var other *host.UnpinnedKeyError
	if row.HostKey == nil && errors.As(err, &other) {
		f.Coded("host_key", api.CodeHostKey, map[string]any{"host_key": hostKeyText(other.Key)}, "%s", reason)
		return nil
	}
	f.Add(fieldOf(row, reason), "%s", reason)
	return nil
}

func fieldOf(row query.StorageProvider, reason string) string {
	switch {
	case strings.Contains(reason, "host key"):
		return "host_key"
	case strings.Contains(reason, "access key"):
		return "access_key"
	case strings.Contains(reason, "secret key"):
		return "secret_key"
	case row.Region != nil && strings.Contains(reason, "another region"):
		return "region"
	case row.Bucket != nil && (strings.Contains(reason, "no bucket") || strings.Contains(reason, "does not allow")):
		return "bucket"
	case row.Endpoint != nil:
		return "endpoint"
	default:
		return "region"
	}
}

func ofRequest(f api.Fields, b CreateStorageConfigurationRequest) (query.StorageProvider, Keys) {
	k := Keys{AccessKey: text.Trimmed(b.AccessKey.RevealNull()), SecretKey: text.Trimmed(b.SecretKey.RevealNull())}
	row := check(f, b.Name, b.Provider, b.Region, b.Bucket, b.Directory, b.Endpoint, b.HostKey, b.AssumeRole, &k)
	return row, k
}

func (o *Operations) checkNew(ctx context.Context, c api.Call[organization.Path], b CreateStorageConfigurationRequest) error {
	row, k := ofRequest(c.Fields, b)
	row.OrganizationID = c.Parent.OrganizationID
	if len(c.Fields) > 0 {
		return c.Fields.Err()
	}
	if err := o.ask(ctx, c.Fields, row, k); err != nil {
		return err
	}
	return c.Fields.Err()
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateStorageConfigurationRequest) (api.Document[Resource], error) {
	row, k := ofRequest(c.Fields, b)
	if err := c.Fields.Err(); err != nil {
		return api.Document[Resource]{}, err
	}
	row.OrganizationID = c.Parent.OrganizationID
	row, err := tx.InsertStorageProvider(ctx, query.InsertStorageProviderParams{
		OrganizationID: row.OrganizationID, Name: row.Name, Provider: row.Provider,
		Region: row.Region, Bucket: row.Bucket,
		Directory: row.Directory, Endpoint: row.Endpoint, AssumeRole: row.AssumeRole, Secret: []byte{}, HostKey: row.HostKey, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return api.Document[Resource]{}, fmt.Errorf("create storage provider: %w", err)
	}
	return o.keep(ctx, tx, c.Parent.Slug, row, &k) // the seal is bound to the row, which has to be there first
}

func (o *Operations) keep(ctx context.Context, tx *db.Tx, slug string, row query.StorageProvider, k *Keys) (api.Document[Resource], error) {
	var none api.Document[Resource]
	plain, err := json.Marshal(k)
	if err != nil {
		return none, fmt.Errorf("seal keys: %w", err)
	}
	if row.Secret, err = o.Store.Box.Seal(sealedAt(row.ID), plain); err != nil {
		return none, err
	}
	row, err = tx.UpdateStorageProvider(ctx, query.UpdateStorageProviderParams{
		ID: row.ID, Name: row.Name, Provider: row.Provider, Region: row.Region,
		Bucket: row.Bucket, Directory: row.Directory,
		Endpoint: row.Endpoint, AssumeRole: row.AssumeRole, Secret: row.Secret, HostKey: row.HostKey, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("keep storage provider: %w", err)
	}
	doc, err := api.Single(o.resources(ctx, tx.SQL, slug, row))
	doc.Location = pathOf(slug, doc.Data.ID)
	return doc, err
}

// requestOf returns the request for a storage provider as it is, without its keys. A provider of another kind has its own endpoint.
func requestOf(row query.StorageProvider, b UpdateStorageConfigurationRequest) UpdateStorageConfigurationRequest {
	now := UpdateStorageConfigurationRequest{Region: api.Copied(row.Region), Bucket: api.Copied(row.Bucket), Directory: api.Copied(row.Directory)}
	if b.Provider == row.Provider {
		now.Endpoint = api.Copied(row.Endpoint)
	}
	return now
}

// changed returns a row after a request, which was read over the current state. The keys are only sent to the place that
// they were entered for.
func (o *Operations) changed(f api.Fields, row query.StorageProvider, b UpdateStorageConfigurationRequest) (query.StorageProvider, Keys, error) {
	k, err := o.Store.keys(row)
	if err != nil {
		return row, k, err
	}
	role := row.AssumeRole
	for _, given := range []*bool{b.UseRole, b.AssumeRole} {
		if given != nil {
			role = *given
		}
	}
	access, key := text.Trimmed(b.AccessKey.RevealNull()), text.Trimmed(b.SecretKey.RevealNull())
	old := k
	if access != "" {
		k.AccessKey = access
	}
	if key != "" {
		k.SecretKey = key
	}
	out := check(f, b.Name, b.Provider, b.Region, b.Bucket, b.Directory, b.Endpoint, b.HostKey, role, &k)
	out.ID, out.OrganizationID = row.ID, row.OrganizationID
	was, now := serverOf(row), serverOf(out)
	if out.HostKey == nil && was == now && overSFTP(out) {
		out.HostKey = row.HostKey
	}
	f.SameAddress("secret_key", key != "" || old.SecretKey == "" || role || onDisk(out), api.Address{Field: "endpoint", Was: was, Now: now},
		api.Address{Field: "bucket", Was: text.Trimmed(row.Bucket), Now: text.Trimmed(out.Bucket)},
		api.Address{Field: "access_key", Was: old.AccessKey, Now: k.AccessKey},
		api.Address{Field: "host_key", Was: text.Trimmed(row.HostKey), Now: text.Trimmed(out.HostKey)})
	return out, k, nil
}

// serverOf is the server that a storage is at; empty if the row doesn't say.
func serverOf(row query.StorageProvider) string {
	u, err := Endpoint(row)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func (o *Operations) checkChanged(ctx context.Context, c api.Call[Path], b UpdateStorageConfigurationRequest) error {
	row, k, err := o.changed(c.Fields, c.Parent.Provider, api.Over(c, requestOf(c.Parent.Provider, b)))
	if err != nil {
		return err
	}
	if len(c.Fields) > 0 {
		return c.Fields.Err()
	}
	if err := o.ask(ctx, c.Fields, row, k); err != nil {
		return err
	}
	return c.Fields.Err()
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateStorageConfigurationRequest) (api.Document[Resource], error) {
	now, err := organization.Current(ctx, tx, "storage_providers", tx.GetStorageProvider, c.Parent, c.Parent.Provider.ID)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	row, k, err := o.changed(c.Fields, now, api.Over(c, requestOf(now, b)))
	if err != nil {
		return api.Document[Resource]{}, err
	}
	if err := c.Fields.Err(); err != nil {
		return api.Document[Resource]{}, err
	}
	return o.keep(ctx, tx, c.Parent.Slug, row, &k)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	n, err := tx.CountBackupConfigurations(ctx, c.Parent.Provider)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete storage provider: %w", err)
	}
	if n > 0 {
		return api.Empty{}, api.Conflict("This storage provider is currently in use by one or more backup configurations and cannot be deleted.")
	}
	n, err = tx.DeleteStorageProvider(ctx, c.Parent.Provider.ID)
	if err == nil && n == 0 {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete storage provider: %w", err)
	}
	return api.Empty{}, nil
}
