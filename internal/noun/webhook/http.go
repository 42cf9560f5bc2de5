package webhook

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// DeploymentWebhookAttributes are the attributes of a webhook.
type DeploymentWebhookAttributes struct {
	URL       api.Secret `json:"url" doc:"Callers without permission to manage the site's notifications do not see its path and query."`
	CreatedAt api.Time   `json:"created_at"`
	UpdatedAt api.Time   `json:"updated_at"`
}

// ResourceType returns deploymentWebhooks.
func (DeploymentWebhookAttributes) ResourceType() string { return "deploymentWebhooks" }

// Resource is a webhook in a document.
type Resource = api.Resource[DeploymentWebhookAttributes, api.NoRelationships]

// CreateDeploymentWebhookRequest asks for a webhook.
type CreateDeploymentWebhookRequest struct {
	URL api.Secret `json:"url" format:"uri" doc:"Where messages are sent, with POST."`
}

// UpdateDeploymentWebhookRequest changes a webhook.
type UpdateDeploymentWebhookRequest struct {
	URL api.Secret `json:"url" format:"uri" doc:"Where messages are sent from now on, those that wait for another attempt too."`
}

// Path is a webhook that the caller can see.
type Path struct {
	site.Path
	Webhook query.DeploymentWebhook
}

// Current locks the site's server, and reads it, the site and the webhook again.
func (p Path) Current(ctx context.Context, tx *db.Tx) (Path, error) {
	var err error
	if p.Path, err = p.Path.Current(ctx, tx); err != nil {
		return p, err
	}
	if p.Webhook, err = tx.GetDeploymentWebhook(ctx, p.Site, p.Webhook.ID); err != nil {
		return p, fmt.Errorf("read webhook: %w", err)
	}
	return p, nil
}

// DeliveryPath is one of its deliveries.
type DeliveryPath struct {
	Path
	Delivery query.Delivery
}

// Operations are the operations on webhooks.
type Operations struct {
	DB        *db.DB
	Vault     Vault
	Sites     *site.Store
	Guard     outbound.Guard
	Publisher *Publisher
	Router    *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/sites/{site}/webhooks"
	const single = many + "/{deploymentWebhook}"
	const deliveries = single + "/deliveries"
	view, manage := []access.Permission{access.ServerView, access.SiteManageNotifications}, []access.Permission{access.SiteManageNotifications}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.index", Method: http.MethodGet, Path: many, Tag: "Deployments", Mode: api.Sync, Permissions: view,
		Summary: "List a site's webhooks", Sorts: []string{"created_at", "updated_at"},
	}, o.Sites.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.store", Method: http.MethodPost, Path: many, Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status:  http.StatusAccepted,
		Summary: "Add a webhook", Description: "A webhook is called at the end of each deployment, with {status, server, site, commit_hash, commit_url, " +
			"commit_author, commit_message, deployment}; status is success or failed. Messages are signed according to Standard Webhooks with the secret in " +
			"meta.shown_once.secret: webhook-signature is v1 and the HMAC-SHA256 of webhook-id, webhook-timestamp and the body. Deliveries are retried for " +
			"almost a day until the response is 2xx.",
	}, o.Sites.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.show", Method: http.MethodGet, Path: single, Tag: "Deployments", Mode: api.Sync, Permissions: view,
		Summary: "Get a webhook",
	}, o.inPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.update", Before: single, Method: http.MethodPut, Path: single, Tag: "Deployments", Mode: api.Sync,
		Permissions: manage, Extension: true,
		Summary: "Change a webhook", Description: "The secret, and the record of deliveries, stay.",
	}, o.inPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.destroy", Method: http.MethodDelete, Path: single, Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status:  http.StatusAccepted,
		Summary: "Delete a webhook", Description: "Pending deliveries are discarded.",
	}, o.inPath, o.destroy)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.secret.update", Before: single, Method: http.MethodPut, Path: single + "/secret", Tag: "Deployments",
		Mode: api.Sync, Permissions: manage, Extension: true,
		Noun: "webhook-secret", Summary: "Regenerate a webhook's secret",
		Description: "The old secret stops working immediately. The new one is in meta.shown_once.secret and is shown only once.",
		Asks:        "The receiver rejects messages until it has the new secret.",
	}, o.inPath, o.rotate)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.deliveries.index", Method: http.MethodGet, Path: deliveries, Tag: "Deployments", Mode: api.Sync,
		Permissions: manage, Extension: true,
		Noun: "webhook-deliveries", Summary: "List a webhook's deliveries",
		Description: "Shows each request, its response and when it is retried. Deliveries are kept for 30 " +
			"days.", Filters: []api.Filter{{Name: "state"}, {Name: "event"}}, Sorts: []string{"created_at"},
		Formerly: "webhooks deliveries",
	}, o.inPath, o.deliveries)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.deliveries.store", Method: http.MethodPost, Path: deliveries, Tag: "Deployments", Mode: api.Async,
		Permissions: manage, Status: http.StatusAccepted, Extension: true,
		RateLimit: api.CommandRateLimit, Noun: "webhooks", Verb: "test",
		Summary: "Send a test message to a webhook", Description: "Sends the event test, with the status success and no commit.",
	}, o.inPath, o.test)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.deliveries.show", Method: http.MethodGet, Path: deliveries + "/{delivery}", Tag: "Deployments", Mode: api.Sync,
		Permissions: manage, Extension: true,
		Noun: "webhook-deliveries", Summary: "Get a delivery of a webhook",
		Formerly: "webhooks delivery",
	}, o.deliveryInPath, o.delivery)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.webhooks.deliveries.redeliver.store", Method: http.MethodPost, Path: deliveries + "/{delivery}/redeliver",
		Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, RateLimit: api.CommandRateLimit, Located: true, Noun: "webhook-deliveries", Verb: "redeliver",
		Summary:     "Resend a delivery",
		Description: "Creates a new delivery of the same message, with the same message id and a new signature.",
		Formerly:    "webhooks redeliver",
	}, o.deliveryInPath, o.again)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := o.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("deploymentWebhook")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetDeploymentWebhook(ctx, parent.Site, id)
	if err != nil {
		return Path{}, fmt.Errorf("read webhook %d: %w", id, err)
	}
	return Path{Path: parent, Webhook: row}, nil
}

func (o *Operations) deliveryInPath(ctx context.Context, actor access.Actor, path api.PathValues) (DeliveryPath, error) {
	parent, err := o.inPath(ctx, actor, path)
	if err != nil {
		return DeliveryPath{}, err
	}
	id, err := path.ID("delivery")
	if err != nil {
		return DeliveryPath{}, err
	}
	row, err := o.DB.Read().GetWebhookDelivery(ctx, parent.Webhook, id)
	if err != nil {
		return DeliveryPath{}, fmt.Errorf("read delivery %d: %w", id, err)
	}
	return DeliveryPath{Path: parent, Delivery: row}, nil
}

func pathOf(p site.Path, rest string) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/webhooks%s", p.Slug, p.Server.ID, p.Site.ID, rest)
}

func (o *Operations) document(p site.Path, row query.DeploymentWebhook) (api.Document[Resource], error) {
	id := strconv.FormatInt(row.ID, 10)
	at, address := pathOf(p, "/"+id), secret.String(row.Origin)
	if p.Grant.May(access.SiteManageNotifications) {
		var err error
		if address, err = o.Vault.address(row); err != nil {
			return api.Document[Resource]{}, err
		}
	}
	return api.Document[Resource]{Location: at, Data: Resource{
		ID: id, Links: o.Router.Links(at),
		Attributes: DeploymentWebhookAttributes{
			URL: api.SecretOf(address.Reveal()), CreatedAt: api.TimeOf(row.CreatedAt),
			UpdatedAt: api.TimeOf(row.UpdatedAt),
		},
	}}, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.DB.Reader(), c.List.Of("deployment_webhooks", db.Equal("site_id", c.Parent.Site.ID)),
		api.TryEach(func(row query.DeploymentWebhook) (Resource, error) {
			doc, err := o.document(c.Parent, row)
			return doc.Data, err
		}))
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return o.document(c.Parent.Path, c.Parent.Webhook)
}

// originOf returns the part of an address that every viewer sees. An address that cannot be used is reported.
func (o *Operations) originOf(f api.Fields, address api.Secret) string {
	if len(f["url"]) > 0 {
		return ""
	}
	u, err := o.Guard.CheckURL(address.Reveal())
	if err != nil {
		f.Add("url", "The url can't be used. %s", err)
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// maxWebhooks is how many a site can have: each deployment ends in a message to all of them.
const maxWebhooks = 20

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateDeploymentWebhookRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	origin := o.originOf(c.Fields, b.URL)
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	rows, err := tx.ListDeploymentWebhooks(ctx, c.Parent.Site)
	if err != nil {
		return none, fmt.Errorf("list webhooks: %w", err)
	}
	if len(rows) >= maxWebhooks {
		c.Fields.Add("url", "A site can have at most %d webhooks.", maxWebhooks)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertDeploymentWebhook(ctx, c.Parent.Site.ID, origin, []byte{}, tx.Micros())
	if err != nil {
		return none, fmt.Errorf("add webhook: %w", err)
	}
	if err := o.Vault.Keep(ctx, tx, &row, secret.String(b.URL.Reveal())); err != nil {
		return none, err
	}
	return o.keepSecret(ctx, tx, c.Parent, row) // the seal is bound to the row, which has to be there first
}

func (o *Operations) keepSecret(ctx context.Context, tx *db.Tx, p site.Path, row query.DeploymentWebhook) (api.Document[Resource], error) {
	var none api.Document[Resource]
	key, err := o.Vault.Renew(ctx, tx, row.ID)
	if err != nil {
		return none, err
	}
	row.UpdatedAt = tx.Micros()
	doc, err := o.document(p, row)
	if err != nil {
		return none, err
	}
	doc.Data.Meta = &api.Meta{ShownOnce: shown(key)}
	return doc, nil
}

func shown(key secret.String) *api.ShownOnce {
	return &api.ShownOnce{Secret: api.SecretOf(key.Reveal())}
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateDeploymentWebhookRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	origin := o.originOf(c.Fields, b.URL)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	row := c.Parent.Webhook
	row.Origin = origin
	if err := o.Vault.Keep(ctx, tx, &row, secret.String(b.URL.Reveal())); err != nil {
		return none, err
	}
	return o.document(c.Parent.Path, row)
}

func (o *Operations) rotate(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Document[Resource]{}, err
	}
	return o.keepSecret(ctx, tx, c.Parent.Path, c.Parent.Webhook)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if err := tx.DeleteDeploymentWebhook(ctx, c.Parent.Webhook.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete webhook %d: %w", c.Parent.Webhook.ID, err)
	}
	return api.Empty{}, nil
}

func (o *Operations) listOf(p Path) string {
	return pathOf(p.Path, "/"+strconv.FormatInt(p.Webhook.ID, 10)+"/deliveries")
}

func (o *Operations) deliveries(ctx context.Context, c api.Call[Path]) (api.Collection[delivery.Resource], error) {
	return delivery.Page(ctx, o.DB.Reader(), o.Router, o.listOf(c.Parent), c.List.Of("deliveries", db.Equal("webhook_id", c.Parent.Webhook.ID)))
}

func (o *Operations) delivery(_ context.Context, c api.Call[DeliveryPath]) (api.Document[delivery.Resource], error) {
	return o.deliveryDocument(c.Parent.Path, c.Parent.Delivery), nil
}

func (o *Operations) deliveryDocument(p Path, d query.Delivery) api.Document[delivery.Resource] {
	data := delivery.Resources(o.Router, o.listOf(p), d)[0]
	return api.Document[delivery.Resource]{Data: data, Location: o.listOf(p) + "/" + data.ID}
}

func (o *Operations) test(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[delivery.Resource], error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Document[delivery.Resource]{}, err
	}
	m, err := about(ctx, tx.Granted, c.Parent.Site)
	if err != nil {
		return api.Document[delivery.Resource]{}, fmt.Errorf("test webhook %d: %w", c.Parent.Webhook.ID, err)
	}
	m.Status = statusSuccess
	d, err := o.Publisher.put(ctx, tx, c.Parent.Webhook, EventTest, m)
	return o.deliveryDocument(c.Parent, d), err
}

func (o *Operations) again(ctx context.Context, tx *db.Tx, c api.Call[DeliveryPath], _ api.NoBody) (api.Document[delivery.Resource], error) {
	var err error
	if c.Parent.Path, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Document[delivery.Resource]{}, err
	}
	d, err := o.Publisher.Deliveries.Again(ctx, tx, c.Parent.Delivery)
	return o.deliveryDocument(c.Parent.Path, d), err
}
