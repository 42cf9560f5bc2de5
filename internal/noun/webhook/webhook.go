// Package webhook tells other programs of the end of deployments: a signed message to each address that a site has for that.
package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// The events of webhooks.
const (
	EventDeployment = "deployment.ended"
	EventTest       = "test"
)

// The two words for how a deployment ended.
const (
	statusSuccess = "success"
	statusFailed  = "failed"
)

// Vault seals the addresses that messages go to and the secrets that they are signed with.
type Vault struct{ Box *secret.Box }

func sealedAt(id int64, column string) secret.Place {
	return secret.Place{Table: "deployment_webhooks", Row: strconv.FormatInt(id, 10), Column: column}
}

// Keep seals the address of a webhook, whose row has to exist first. With many receivers, anyone who knows the address can post there.
func (v Vault) Keep(ctx context.Context, tx *db.Tx, row *query.DeploymentWebhook, address secret.String) (err error) {
	if row.Address, err = v.Box.Seal(sealedAt(row.ID, "address"), []byte(address.Reveal())); err != nil {
		return err
	}
	row.UpdatedAt = tx.Micros()
	if err := tx.SetDeploymentWebhookAddress(ctx, row.ID, row.Origin, row.Address, row.UpdatedAt); err != nil {
		return fmt.Errorf("keep address of webhook %d: %w", row.ID, err)
	}
	return nil
}

func (v Vault) address(row query.DeploymentWebhook) (secret.String, error) {
	plain, err := v.Box.Open(sealedAt(row.ID, "address"), row.Address)
	return secret.String(plain), err
}

func (v Vault) open(row query.DeploymentWebhook) (secret.String, error) {
	plain, err := v.Box.Open(sealedAt(row.ID, "secret"), row.Secret)
	return secret.String(plain), err
}

// Renew gives a webhook another secret, and returns it.
func (v Vault) Renew(ctx context.Context, tx *db.Tx, id int64) (secret.String, error) {
	key := delivery.NewSecret()
	sealed, err := v.Box.Seal(sealedAt(id, "secret"), []byte(key.Reveal()))
	if err != nil {
		return "", err
	}
	if err := tx.SetDeploymentWebhookSecret(ctx, id, sealed, tx.Micros()); err != nil {
		return "", fmt.Errorf("keep secret of webhook %d: %w", id, err)
	}
	return key, nil
}

// named is a thing of ours in a message.
type named struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// message is what receivers get. Those of existing services read the first seven; the last is ours.
type message struct {
	Status        string  `json:"status"`
	Server        named   `json:"server"`
	Site          named   `json:"site"`
	CommitHash    *string `json:"commit_hash"`
	CommitURL     *string `json:"commit_url"`
	CommitAuthor  *string `json:"commit_author"`
	CommitMessage *string `json:"commit_message"`
	Deployment    *ended  `json:"deployment,omitempty"`
}

// ended is a deployment in a message.
type ended struct {
	ID        int64        `json:"id"`
	Type      string       `json:"type"`
	Status    string       `json:"status"`
	Branch    *string      `json:"branch"`
	StartedAt api.NullTime `json:"started_at"`
	EndedAt   api.NullTime `json:"ended_at"`
}

// Publisher writes messages down when there is something to tell.
type Publisher struct{ Deliveries *delivery.Queue }

// DeploymentEnded writes down a message for each webhook of a deployment's site.
func (p *Publisher) DeploymentEnded(ctx context.Context, tx *db.Tx, d query.Deployment, good bool) error {
	hooks, err := tx.ListDeploymentWebhooks(ctx, d)
	if err != nil || len(hooks) == 0 {
		return err
	}
	m, err := about(ctx, tx.Granted, d)
	if err != nil {
		return fmt.Errorf("tell of deployment %d: %w", d.ID, err)
	}
	m.Status = statusFailed
	if good {
		m.Status = statusSuccess
	}
	m.CommitHash, m.CommitAuthor, m.CommitMessage = d.CommitHash, d.CommitAuthor, d.CommitMessage
	if d.CommitHash != nil {
		if m.CommitURL, err = commitURL(ctx, tx.Ungranted(), d.SiteID, *d.CommitHash); err != nil {
			return fmt.Errorf("tell of deployment %d: %w", d.ID, err)
		}
	}
	m.Deployment = &ended{
		ID: d.ID, Type: d.Type, Status: d.Status, Branch: d.CommitBranch, StartedAt: api.NullTimeOf(d.StartedAt),
		EndedAt: api.NullTimeOf(d.EndedAt),
	}
	for _, hook := range hooks {
		if _, err := p.put(ctx, tx, hook, EventDeployment, m); err != nil {
			return err
		}
	}
	return nil
}

// about returns a message of a site.
func about(ctx context.Context, q *query.Granted, of query.OfSite) (message, error) {
	site, err := q.GetSite(ctx, of)
	if err != nil {
		return message{}, err
	}
	server, err := q.GetServer(ctx, site)
	if err != nil {
		return message{}, err
	}
	return message{Server: named{server.ID, server.Name}, Site: named{site.ID, site.Name}}, nil
}

// commitURL returns the web page of a commit; nil if unknown.
func commitURL(ctx context.Context, q *query.Queries, siteID int64, hash string) (*string, error) {
	project, err := q.GetProject(ctx, siteID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	base := ""
	if project.ProviderID != nil {
		provider, err := q.GetSourceControlProviderByID(ctx, *project.ProviderID)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
		if provider.URL != nil {
			base = *provider.URL
		}
	}
	if u := git.CommitURL(project.Provider, base, project.Repository, hash); u != "" {
		return &u, nil
	}
	return nil, nil
}

func (p *Publisher) put(ctx context.Context, tx *db.Tx, hook query.DeploymentWebhook, event string, m message) (query.Delivery, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return query.Delivery{}, fmt.Errorf("write message: %w", err)
	}
	return p.Deliveries.Put(ctx, tx, delivery.To{WebhookID: &hook.ID}, event, string(body))
}

// Sender makes the attempts.
type Sender struct {
	DB     *db.DB
	Vault  Vault
	Client *http.Client
}

// Send posts a message to its webhook, signed again.
func (s *Sender) Send(ctx context.Context, d query.Delivery) (delivery.Outcome, error) {
	hook, err := s.DB.Read().Ungranted().GetDeploymentWebhookByID(ctx, *d.WebhookID)
	if errors.Is(err, db.ErrNotFound) {
		return delivery.Outcome{Failure: "The webhook was deleted.", Lasting: true}, nil
	}
	if err != nil {
		return delivery.Outcome{}, fmt.Errorf("read webhook %d: %w", *d.WebhookID, err)
	}
	key, err := s.Vault.open(hook)
	if err != nil {
		return delivery.Outcome{}, err
	}
	header, err := delivery.Signed(key, d.MessageID, s.DB.Clock.Now(), []byte(d.Payload))
	if err != nil {
		return delivery.Outcome{}, err
	}
	header.Set("X-Hostler-Event", d.Event)
	address, err := s.Vault.address(hook)
	if err != nil {
		return delivery.Outcome{}, err
	}
	return delivery.Post(ctx, s.Client, address.Reveal(), header, []byte(d.Payload)).Without(strings.TrimPrefix(address.Reveal(), hook.Origin)), nil
}
