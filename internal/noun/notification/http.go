package notification

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// NotificationChannelAttributes are the attributes of a channel.
type NotificationChannelAttributes struct {
	Name      string   `json:"name"`
	Type      string   `json:"type" enum:"mail,webhook,slack,discord,telegram,ntfy,teams"`
	Target    string   `json:"target" doc:"The part of the destination that is not secret."`
	Events    []string `json:"events" nullable:"false"`
	Enabled   bool     `json:"enabled"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns notificationChannels.
func (NotificationChannelAttributes) ResourceType() string { return "notificationChannels" }

// Metas are what the meta of these resources has besides.
func (NotificationChannelAttributes) Metas() []any { return []any{recipient.Meta{}} }

// Resource is a channel in a document.
type Resource = api.Resource[NotificationChannelAttributes, api.NoRelationships]

// CreateNotificationChannelRequest asks for a channel.
type CreateNotificationChannelRequest struct {
	Name    string      `json:"name" maxLength:"255"`
	Type    string      `json:"type" enum:"mail,webhook,slack,discord,telegram,ntfy,teams"`
	Events  []string    `json:"events" nullable:"false" maxItems:"50"`
	Enabled *bool       `json:"enabled,omitempty" doc:"Defaults to true."`
	Address *string     `json:"address,omitempty" nullable:"true" doc:"For mail."`
	URL     *api.Secret `json:"url,omitempty" nullable:"true" writeOnly:"true"`
	Token   *api.Secret `json:"token,omitempty" nullable:"true" writeOnly:"true"`
	Chat    *string     `json:"chat,omitempty" nullable:"true" doc:"For Telegram: the chat's id, or @channel."`
	Topic   *api.Secret `json:"topic,omitempty" nullable:"true" writeOnly:"true"`
}

// UpdateNotificationChannelRequest changes a channel. What is absent stays; the type stays always.
type UpdateNotificationChannelRequest struct {
	Name    *string     `json:"name,omitempty" maxLength:"255"`
	Events  *[]string   `json:"events,omitempty" nullable:"false" maxItems:"50"`
	Enabled *bool       `json:"enabled,omitempty"`
	Address *string     `json:"address,omitempty"`
	URL     *api.Secret `json:"url,omitempty" writeOnly:"true"`
	Token   *api.Secret `json:"token,omitempty" writeOnly:"true"`
	Chat    *string     `json:"chat,omitempty"`
	Topic   *api.Secret `json:"topic,omitempty" writeOnly:"true"`
}

// Path is a channel that the caller can see.
type Path struct {
	organization.Path
	Channel query.NotificationChannel
}

// DeliveryPath is one of its deliveries.
type DeliveryPath struct {
	Path
	Delivery query.Delivery
}

// Operations are the operations on channels.
type Operations struct {
	DB            *db.DB
	Vault         Vault
	Organizations *organization.Store
	Guard         outbound.Guard
	Notifier      *Notifier
	Recipients    *recipient.Asker
	Router        *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const tag = "Notifications"
	const many, single = "/orgs/{organization}/notification-channels", "/orgs/{organization}/notification-channels/{notificationChannel}"
	const deliveries = single + "/deliveries"
	manage := []access.Permission{access.IntegrationsManage}
	api.Index(o.Router, api.Operation{
		ID: "organizations.notification-channels.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true,
		Noun: "notifications", Summary: "List notification channels", Filters: []api.Filter{{Name: "type"}}, Sorts: []string{"name", "created_at"},
	}, o.Organizations.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.notification-channels.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true, Status: http.StatusCreated,
		Noun: "notifications", Summary: "Add a notification channel",
		Description: "Messages to a webhook are signed with the secret in meta.shown_once.secret, like those of a site's webhooks.",
		Example:     map[string]any{"address": "ops@example.com"},
	}, o.Organizations.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.notification-channels.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true,
		Noun: "notifications", Summary: "Get a notification channel",
	}, o.inPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.notification-channels.update", Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true, BodyOptional: true,
		Noun: "notifications", Summary: "Update a notification channel",
		Example: map[string]any{"name": "example"},
	}, o.inPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.notification-channels.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true, Status: http.StatusNoContent,
		Noun: "notifications", Summary: "Delete a notification channel", Description: "Pending deliveries are discarded.",
	}, o.inPath, o.destroy)
	api.Index(o.Router, api.Operation{
		ID: "organizations.notification-channels.deliveries.index", Method: http.MethodGet, Path: deliveries, Tag: tag,
		Mode: api.Sync, Permissions: manage, Extension: true,
		Noun:    "notification-deliveries",
		Summary: "List the messages of a channel", Filters: []api.Filter{{Name: "state"}, {Name: "event"}}, Sorts: []string{"created_at"},
		Formerly: "notifications deliveries",
	}, o.inPath, o.deliveries)
	api.Write(o.Router, api.Operation{
		ID: "organizations.notification-channels.deliveries.store", Method: http.MethodPost, Path: deliveries, Tag: tag,
		Mode: api.Async, Permissions: manage, Extension: true,
		Status: http.StatusAccepted, RateLimit: api.CommandRateLimit, Noun: "notifications", Verb: "test", Summary: "Send a test message to a channel",
	}, o.inPath, o.test)
	api.Show(o.Router, api.Operation{
		ID: "organizations.notification-channels.deliveries.show", Method: http.MethodGet, Path: deliveries + "/{delivery}",
		Tag: tag, Mode: api.Sync, Permissions: manage, Extension: true,
		Noun: "notification-deliveries", Summary: "Get a message of a channel",
	}, o.deliveryInPath, o.delivery)
	api.Write(o.Router, api.Operation{
		ID: "organizations.notification-channels.deliveries.redeliver.store", Method: http.MethodPost,
		Path: deliveries + "/{delivery}/redeliver", Tag: tag, Mode: api.Async, Permissions: manage,
		Extension: true, Status: http.StatusAccepted, RateLimit: api.CommandRateLimit, Located: true, Noun: "notification-deliveries", Verb: "redeliver",
		Summary: "Redeliver a notification",
	}, o.deliveryInPath, o.again)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := o.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("notificationChannel")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetNotificationChannel(ctx, org, id)
	if err != nil {
		return Path{}, fmt.Errorf("read notification channel %d: %w", id, err)
	}
	return Path{Path: org, Channel: row}, nil
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
	row, err := o.DB.Read().GetChannelDelivery(ctx, parent.Channel, id)
	if err != nil {
		return DeliveryPath{}, fmt.Errorf("read delivery %d: %w", id, err)
	}
	return DeliveryPath{Path: parent, Delivery: row}, nil
}

func pathOf(slug string, id int64) string {
	return "/orgs/" + slug + "/notification-channels/" + strconv.FormatInt(id, 10)
}

func (o *Operations) document(ctx context.Context, q query.DBTX, slug string, row query.NotificationChannel) (api.Document[Resource], error) {
	doc, err := api.Single(o.resources(ctx, q, slug, row))
	doc.Location = pathOf(slug, row.ID)
	return doc, err
}

// resources returns channels of one organization.
func (o *Operations) resources(ctx context.Context, q query.DBTX, slug string, rows ...query.NotificationChannel) ([]Resource, error) {
	var organization int64
	var emails []string
	for _, row := range rows {
		if row.Type == Mail {
			organization, emails = row.OrganizationID, append(emails, row.Target)
		}
	}
	waiting, err := recipient.Waiting(ctx, q, organization, emails...)
	if err != nil {
		return nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		out[i] = Resource{
			ID: strconv.FormatInt(row.ID, 10), Links: o.Router.Links(pathOf(slug, row.ID)),
			Attributes: NotificationChannelAttributes{
				Name: row.Name, Type: row.Type, Target: row.Target, Events: strings.Fields(row.Events), Enabled: row.Enabled,
				CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
			},
		}
		if row.Type == Mail {
			out[i].Meta = &api.Meta{Own: []any{recipient.MetaOf(waiting, row.Target)}}
		}
	}
	return out, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.DB.Reader(), c.List.Of("notification_channels", db.Equal("organization_id", c.Parent.OrganizationID)),
		func(rows ...query.NotificationChannel) ([]Resource, error) {
			return o.resources(ctx, o.DB.Reader(), c.Parent.Slug, rows...)
		})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return o.document(ctx, o.DB.Reader(), c.Parent.Slug, c.Parent.Channel)
}

// maxChannels is the maximum per organization: every event is sent to all of them.
const maxChannels = 200

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateNotificationChannelRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	name, chosen := c.Fields.Line("name", b.Name, 0), checkEvents(c.Fields, b.Events)
	kind := b.Type
	if len(c.Fields["type"]) > 0 {
		kind = ""
	}
	set, target := asked{Address: b.Address, URL: b.URL.RevealNull(), Token: b.Token.RevealNull(), Chat: b.Chat, Topic: b.Topic.RevealNull()}.read(c.Fields,
		o.Guard, kind, settings{})
	n, err := tx.CountNotificationChannels(ctx, c.Parent)
	if err != nil {
		return none, fmt.Errorf("count notification channels: %w", err)
	}
	if n >= maxChannels {
		c.Fields.Add("type", "An organization can have at most %d channels.", maxChannels)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if kind == Webhook {
		set.Key = delivery.NewSecret().Reveal()
	}
	row, err := tx.InsertNotificationChannel(ctx, query.InsertNotificationChannelParams{
		OrganizationID: c.Parent.OrganizationID, Name: name, Type: kind,
		Target: target, Events: chosen,
		Enabled: b.Enabled == nil || *b.Enabled, Settings: []byte{}, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("add notification channel: %w", err)
	}
	doc, err := o.keep(ctx, tx, c.Parent.Slug, row, set) // the seal is bound to the row, which has to be there first
	if set.Key != "" {
		doc.Data.Meta = &api.Meta{ShownOnce: &api.ShownOnce{Secret: api.SecretOf(set.Key)}}
	}
	return doc, err
}

func (o *Operations) keep(ctx context.Context, tx *db.Tx, slug string, row query.NotificationChannel, set settings) (api.Document[Resource], error) {
	sealed, err := o.Vault.seal(row.ID, set)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	row, err = tx.UpdateNotificationChannel(ctx, query.UpdateNotificationChannelParams{
		ID: row.ID, Name: row.Name, Target: row.Target, Events: row.Events,
		Enabled: row.Enabled, Settings: sealed, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return api.Document[Resource]{}, fmt.Errorf("keep notification channel: %w", err)
	}
	if row.Type == Mail {
		if err := o.Recipients.Ask(ctx, tx, row, "address", set.Address); err != nil {
			return api.Document[Resource]{}, err
		}
	}
	return o.document(ctx, tx.SQL, slug, row)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateNotificationChannelRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := organization.Current(ctx, tx, "notification_channels", tx.GetNotificationChannel, c.Parent, c.Parent.Channel.ID)
	if err != nil {
		return none, err
	}
	set, err := o.Vault.open(row)
	if err != nil {
		return none, err
	}
	if b.Name != nil {
		row.Name = c.Fields.Line("name", *b.Name, 0)
	}
	if b.Events != nil {
		row.Events = checkEvents(c.Fields, *b.Events)
	}
	if b.Enabled != nil {
		row.Enabled = *b.Enabled
	}
	set, row.Target = asked{Address: b.Address, URL: b.URL.RevealNull(), Token: b.Token.RevealNull(), Chat: b.Chat, Topic: b.Topic.RevealNull()}.read(c.Fields,
		o.Guard, row.Type, set)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	return o.keep(ctx, tx, c.Parent.Slug, row, set)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	n, err := tx.DeleteNotificationChannel(ctx, c.Parent.Channel.ID)
	if err == nil && n == 0 {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete notification channel: %w", err)
	}
	return api.Empty{}, nil
}

func listOf(p Path) string { return pathOf(p.Slug, p.Channel.ID) + "/deliveries" }

func (o *Operations) deliveries(ctx context.Context, c api.Call[Path]) (api.Collection[delivery.Resource], error) {
	return delivery.Page(ctx, o.DB.Reader(), o.Router, listOf(c.Parent), c.List.Of("deliveries", db.Equal("channel_id", c.Parent.Channel.ID)))
}

func (o *Operations) delivery(_ context.Context, c api.Call[DeliveryPath]) (api.Document[delivery.Resource], error) {
	return o.deliveryDocument(c.Parent.Path, c.Parent.Delivery), nil
}

func (o *Operations) deliveryDocument(p Path, d query.Delivery) api.Document[delivery.Resource] {
	data := delivery.Resources(o.Router, listOf(p), d)[0]
	return api.Document[delivery.Resource]{Data: data, Location: listOf(p) + "/" + data.ID}
}

func (o *Operations) test(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[delivery.Resource], error) {
	d, err := o.Notifier.put(ctx, tx, c.Parent.Channel, Message{
		Event: test, Title: "A test from Hostler",
		Text:         "Notifications of the organization " + c.Parent.Slug + " reach this channel.",
		Organization: c.Parent.Slug, URL: "/servers",
	})
	return o.deliveryDocument(c.Parent, d), err
}

func (o *Operations) again(ctx context.Context, tx *db.Tx, c api.Call[DeliveryPath], _ api.NoBody) (api.Document[delivery.Resource], error) {
	d, err := o.Notifier.Deliveries.Again(ctx, tx, c.Parent.Delivery)
	return o.deliveryDocument(c.Parent.Path, d), err
}
