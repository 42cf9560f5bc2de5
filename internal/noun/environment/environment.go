// Package environment is the .env files of sites: sealed here with every version that was, written on the site's server for its user alone.
package environment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/agent/dotenv"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is the aspect of environment files: a separate lane for each site.
const Aspect = "environment"

const (
	resource = "environments"
	deadline = 10 * time.Minute
	// maxContent is the largest file, maxVersions how many are kept.
	maxContent  = 256 << 10
	maxVersions = 100
)

// The states of a version.
const (
	statusWriting = "writing"
	statusWritten = "written"
	statusFailed  = "failed"
)

// EnvironmentAttributes is the content of a site's .env.
type EnvironmentAttributes struct {
	Content api.Secret `json:"content"`
}

// ResourceType returns environments.
func (EnvironmentAttributes) ResourceType() string { return "environments" }

// Resource is a site's environment in a document.
type Resource = api.Resource[EnvironmentAttributes, api.NoRelationships]

// UpdateEnvironmentRequest replaces a site's .env.
type UpdateEnvironmentRequest struct {
	Environment   api.Secret  `json:"environment"`
	Cache         bool        `json:"cache,omitempty" doc:"Rebuild the application's cached configuration."`
	Queues        bool        `json:"queues,omitempty" doc:"Restart the application's queue workers."`
	EncryptionKey *api.Secret `json:"encryption_key,omitempty" nullable:"true"`
}

// Operations are the operations on environments.
type Operations struct {
	DB     *db.DB
	Box    *secret.Box
	Sites  *site.Store
	Queue  *job.Queue
	Router *api.Router
}

func sealedAt(id int64, column string) secret.Place {
	return secret.Place{Table: "environments", Row: strconv.FormatInt(id, 10), Column: column}
}

// Register adds the operations.
func (o *Operations) Register() {
	const path = "/orgs/{organization}/servers/{server}/sites/{site}/environment"
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.environment.show", Method: http.MethodGet, Path: path, Tag: "Sites", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView, access.SiteManageEnvironment},
		Summary:     "Get a site's environment",
		Description: "Returns the .env file as last written, or about to be written, by Hostler. A version that could not be written is not shown.",
	}, o.Sites.InPath, o.show)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.environment.update", Method: http.MethodPut, Path: path, Tag: "Sites", Mode: api.Async,
		Permissions: []access.Permission{access.SiteManageEnvironment},
		Status:      http.StatusAccepted, Summary: "Replace a site's environment",
		Description: "Only the site's user can read the file. All releases share it, including the live one. If the application can't be refreshed, the previous " +
			"file is restored.",
	}, o.Sites.InPath, o.update)
	o.registerVersions(path)
}

func (o *Operations) show(ctx context.Context, c api.Call[site.Path]) (api.Document[Resource], error) {
	id := strconv.FormatInt(c.Parent.Site.ID, 10)
	out := Resource{ID: id, Links: o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/sites/%s/environment", c.Parent.Slug, c.Parent.Server.ID, id))}
	newest, err := o.DB.Read().NewestEnvironment(ctx, c.Parent.Site)
	if errors.Is(err, db.ErrNotFound) {
		return api.Document[Resource]{Data: out}, nil
	}
	if err != nil {
		return api.Document[Resource]{}, fmt.Errorf("read environment: %w", err)
	}
	ops, err := job.ReadOperations(ctx, o.DB.Reader(), newest.OperationID)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	out.Meta = &api.Meta{Operation: job.Meta(ops, newest.OperationID)}
	row, err := o.DB.Read().EnvironmentInForce(ctx, c.Parent.Site)
	if errors.Is(err, db.ErrNotFound) { // none was ever written
		return api.Document[Resource]{Data: out}, nil
	}
	if err != nil {
		return api.Document[Resource]{}, fmt.Errorf("read environment: %w", err)
	}
	content, err := o.Box.Open(sealedAt(row.ID, "content"), row.Content)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	out.Attributes.Content = api.SecretOf(string(content))
	return api.Document[Resource]{Data: out}, nil
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b UpdateEnvironmentRequest) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	switch {
	case len(b.Environment.Reveal()) > maxContent:
		c.Fields.Add("environment", "The environment must not be longer than %d bytes.", maxContent)
	case strings.ContainsRune(b.Environment.Reveal(), 0) || !utf8.ValidString(b.Environment.Reveal()):
		c.Fields.Add("environment", "The environment must be text.")
	case c.Parent.Site.Type == sitetype.Laravel || c.Parent.Site.Type == sitetype.Statamic:
		if _, wrong := dotenv.Parse(dotenv.PHP, b.Environment.Reveal(), nil); len(wrong) > 0 { // with which they do not start
			c.Fields.Add("environment", "The application can't read %s.", wrong[0])
		}
	}
	if b.EncryptionKey != nil && (len(b.EncryptionKey.Reveal()) > 1000 || strings.ContainsAny(b.EncryptionKey.Reveal(), "\x00\r\n")) {
		c.Fields.Add("encryption_key", "The encryption_key must be one line of text.")
	}
	if c.Parent.Site.Type == sitetype.Balancer {
		c.Fields.Add("environment", "A site on a load balancer has no environment.")
	}
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	accepted, err := o.begin(ctx, tx, c.Parent, b)
	return api.Empty{Event: accepted.EventID}, err
}

// Begin accepts a site's first .env.
func (o *Operations) Begin(ctx context.Context, tx *db.Tx, p site.Path, content string) error {
	_, err := o.begin(ctx, tx, p, UpdateEnvironmentRequest{Environment: api.SecretOf(content)})
	return err
}

func (o *Operations) begin(ctx context.Context, tx *db.Tx, p site.Path, b UpdateEnvironmentRequest) (job.Accepted, error) {
	row, err := tx.InsertEnvironment(ctx, query.InsertEnvironmentParams{
		SiteID: p.Site.ID, UserID: &p.UserID, Content: []byte{}, Cache: b.Cache,
		Queues: b.Queues, Status: statusWriting, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return job.Accepted{}, fmt.Errorf("keep environment: %w", err)
	}
	content, err := o.Box.Seal(sealedAt(row.ID, "content"), []byte(b.Environment.Reveal()))
	if err != nil {
		return job.Accepted{}, err
	}
	var key []byte
	if b.EncryptionKey != nil && !b.EncryptionKey.IsZero() {
		if key, err = o.Box.Seal(sealedAt(row.ID, "encryption_key"), []byte(b.EncryptionKey.Reveal())); err != nil {
			return job.Accepted{}, err
		}
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: p.Grant, ServerID: p.Server.ID, SiteID: p.Site.ID, Ready: p.Server.IsReady,
		Aspect:   job.Beside(Aspect, p.Site.ID),
		Resource: resource, ResourceID: row.ID, Action: "update", Description: "Writing the environment of " + p.Site.Name, RanAs: "root", Within: deadline,
	})
	if err != nil {
		return job.Accepted{}, err
	}
	if err := tx.SealEnvironment(ctx, row.ID, content, key, &accepted.OperationID); err != nil {
		return job.Accepted{}, fmt.Errorf("keep environment: %w", err)
	}
	if err := tx.DeleteOldEnvironments(ctx, p.Site.ID, maxVersions); err != nil {
		return job.Accepted{}, fmt.Errorf("drop old environments: %w", err)
	}
	return accepted, nil
}
