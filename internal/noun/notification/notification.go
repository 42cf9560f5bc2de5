// Package notification notifies people of events through mail, a webhook, Slack, Discord, Telegram, ntfy or Teams. It is
// independent: nothing that it reports waits for it, or depends on it.
package notification

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The events that a channel can subscribe to.
const (
	DeploymentSucceeded      = "deployment.succeeded"
	DeploymentFailed         = "deployment.failed"
	CertificateRenewalFailed = "certificate.renewal-failed"
	BackupFailed             = "backup.failed"
	BackupUnproven           = "backup.unproven"
	ServerUnreachable        = "server.unreachable"
	ServerReachable          = "server.reachable"
	DriftFound               = "drift.found"
	HeartbeatMissing         = "heartbeat.missing"
	HeartbeatBeating         = "heartbeat.beating"
	MonitorAlert             = "monitor.alert"
	MonitorRecovered         = "monitor.recovered"
)

// test is the event of a test message, for every channel.
const test = "test"

// events returns all that can be chosen, in the order that people read them.
func events() []string {
	return []string{
		DeploymentSucceeded, DeploymentFailed, CertificateRenewalFailed, BackupFailed, BackupUnproven, ServerUnreachable, ServerReachable,
		DriftFound, HeartbeatMissing, HeartbeatBeating, MonitorAlert, MonitorRecovered,
	}
}

// The types of channels.
const (
	Mail     = "mail"
	Webhook  = "webhook"
	Slack    = "slack"
	Discord  = "discord"
	Telegram = "telegram"
	Ntfy     = "ntfy"
	Teams    = "teams"
)

// Message is a notification, and the body of webhooks.
type Message struct {
	Event string `json:"event"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// URL is where the dashboard shows more, "" for nowhere.
	URL          string    `json:"url,omitempty"`
	Organization string    `json:"organization"`
	Server       *Thing    `json:"server,omitempty"`
	Site         *Thing    `json:"site,omitempty"`
	OccurredAt   time.Time `json:"occurred_at"`
	// Record is what became of the work that the message reports, nil for none.
	Record *Record `json:"record,omitempty"`
}

// Thing is a server or a site in a message.
type Thing struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// settings are what a channel's sender needs; sealed.
type settings struct {
	Address string `json:"address,omitempty"`
	URL     string `json:"url,omitempty"`
	Token   string `json:"token,omitempty"`
	Chat    string `json:"chat,omitempty"`
	Topic   string `json:"topic,omitempty"`
	// Key signs what a webhook gets.
	Key string `json:"key,omitempty"`
}

// secrets returns the parts that no answer of a receiver may repeat in a delivery.
func (s settings) secrets() []string {
	out := []string{s.URL, s.Token, s.Topic, s.Key}
	if _, rest, ok := strings.Cut(s.URL, "://"); ok {
		if _, path, ok := strings.Cut(rest, "/"); ok {
			out = append(out, "/"+path)
		}
	}
	return out
}

// Vault seals settings.
type Vault struct{ Box *secret.Box }

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "notification_channels", Row: strconv.FormatInt(id, 10), Column: "settings"}
}

func (v Vault) open(row query.NotificationChannel) (settings, error) {
	var s settings
	plain, err := v.Box.Open(sealedAt(row.ID), row.Settings)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(plain, &s); err != nil {
		return s, fmt.Errorf("read settings of notification channel %d: %w", row.ID, err)
	}
	return s, nil
}

func (v Vault) seal(id int64, s settings) ([]byte, error) {
	plain, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("seal settings: %w", err)
	}
	return v.Box.Seal(sealedAt(id), plain)
}

// Notifier stores notifications, in the transaction of their event.
type Notifier struct {
	Deliveries *delivery.Queue
	// Page is the address of a page of the dashboard.
	Page func(path string) string
}

// Notify writes a message down for each channel of an organization that wants to know.
func (n *Notifier) Notify(ctx context.Context, tx *db.Tx, organizationID int64, m Message) error {
	channels, err := tx.Ungranted().ListNotificationChannels(ctx, organizationID)
	if err != nil {
		return fmt.Errorf("list notification channels: %w", err)
	}
	channels = slices.DeleteFunc(channels, func(c query.NotificationChannel) bool {
		return !c.Enabled || !slices.Contains(strings.Fields(c.Events), m.Event)
	})
	if len(channels) == 0 {
		return nil
	}
	org, err := tx.Ungranted().GetOrganization(ctx, organizationID)
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	m.Organization = org.Slug
	for _, c := range channels {
		if _, err := n.put(ctx, tx, c, m); err != nil {
			return err
		}
	}
	return nil
}

// Maximum lengths of notifications.
const (
	maxTitle = 200
	maxText  = 1500
)

func (n *Notifier) put(ctx context.Context, tx *db.Tx, c query.NotificationChannel, m Message) (query.Delivery, error) {
	m.OccurredAt = tx.Now
	m.Title, m.Text = line(m.Title), strings.TrimSpace(text.Clean(m.Text, maxText))
	if m.URL != "" {
		m.URL = n.Page("/orgs/" + m.Organization + m.URL)
	}
	body, err := json.Marshal(m)
	if err != nil {
		return query.Delivery{}, fmt.Errorf("write notification: %w", err)
	}
	return n.Deliveries.Put(ctx, tx, delivery.To{ChannelID: &c.ID}, m.Event, string(body))
}

// line returns a text as one line: names and hosts' messages may contain anything.
func line(s string) string { return text.Clean(text.Line(s), maxTitle) }

// DeploymentEnded tells how a deployment ended.
func (n *Notifier) DeploymentEnded(ctx context.Context, tx *db.Tx, d query.Deployment, good bool) error {
	m := Message{Event: DeploymentFailed}
	if good {
		m.Event = DeploymentSucceeded
	}
	site, server, err := about(ctx, tx.Granted, d)
	if err != nil {
		return fmt.Errorf("tell of deployment %d: %w", d.ID, err)
	}
	m.Site, m.Server, m.URL = &Thing{site.ID, site.Name}, &Thing{server.ID, server.Name}, "/sites/"+strconv.FormatInt(site.ID, 10)
	m.Title = "Deployment of " + site.Name + " failed"
	if good {
		m.Title = site.Name + " was deployed"
	}
	m.URL += "/deployments/" + strconv.FormatInt(d.ID, 10)
	m.Text, m.Record = "Server "+server.Name, &Record{Planned: planned(d)}
	if d.OperationID != nil {
		op, err := tx.GetOrganizationOperation(ctx, d, *d.OperationID)
		if err != nil {
			return fmt.Errorf("tell of deployment %d: %w", d.ID, err)
		}
		if !good {
			m.Text = op.Reason + "\n" + m.Text
		} else if m.Record.Verified, err = verified(ctx, tx, op.EventID); err != nil {
			return fmt.Errorf("tell of deployment %d: %w", d.ID, err)
		}
	}
	if good {
		by, err := startedBy(ctx, tx, d)
		if err != nil {
			return fmt.Errorf("tell of deployment %d: %w", d.ID, err)
		}
		m.Record.Applied = &Applied{At: tx.Now, By: by}
	}
	return n.Notify(ctx, tx, d.OrganizationID, m)
}

// planned says what a deployment is of.
func planned(d query.Deployment) (out []string) {
	if d.CommitHash != nil {
		commit := "Commit " + short(*d.CommitHash)
		if branch := line(text.Of(d.CommitBranch)); branch != "" {
			commit += " of " + branch
		}
		out = append(out, commit)
		if message := firstLine(d.CommitMessage); message != "" {
			out = append(out, message)
		}
	}
	if d.CommitAuthor != nil {
		out = append(out, "Written by "+line(*d.CommitAuthor))
	}
	return out
}

// startedBy says who, or what, started a deployment.
func startedBy(ctx context.Context, tx *db.Tx, d query.Deployment) (string, error) {
	if by := map[string]string{"push": "a push", "hook": "the deploy hook"}[d.Type]; by != "" || d.InitiatorID == nil {
		return cmp.Or(by, "Hostler"), nil
	}
	user, err := tx.Ungranted().GetUser(ctx, *d.InitiatorID)
	if errors.Is(err, db.ErrNotFound) {
		return "a former member", nil
	}
	return cmp.Or(line(user.Name), user.Email), err
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

func firstLine(s *string) string {
	first, _, _ := strings.Cut(text.Of(s), "\n")
	return line(first)
}

func about(ctx context.Context, q *query.Granted, of query.OfSite) (query.Site, query.Server, error) {
	site, err := q.GetSite(ctx, of)
	if err != nil {
		return site, query.Server{}, err
	}
	server, err := q.GetServer(ctx, site)
	return site, server, err
}

// RenewalFailed tells that a certificate of a site could not be renewed; the old one is served still.
func (n *Notifier) RenewalFailed(ctx context.Context, tx *db.Tx, c query.Certificate, reason string) error {
	site, server, err := about(ctx, tx.Granted, c)
	if err != nil {
		return fmt.Errorf("tell of certificate %d: %w", c.ID, err)
	}
	text := reason + "\nThe certificate that is there is served still."
	if c.ExpiresAt != nil {
		text += "\nIt expires on " + day(*c.ExpiresAt) + "."
	}
	return n.Notify(ctx, tx, site.OrganizationID, Message{
		Event: CertificateRenewalFailed, Title: "The certificate of " + site.Name + " could not be renewed", Text: text,
		URL: "/sites/" + strconv.FormatInt(site.ID, 10), Site: &Thing{site.ID, site.Name}, Server: &Thing{server.ID, server.Name},
	})
}

// BackupAlarm reports that backups of a configuration need attention. unproven is set if a stored backup could not be proven.
func (n *Notifier) BackupAlarm(ctx context.Context, tx *db.Tx, c query.BackupConfiguration, reason string, unproven bool) error {
	server, err := tx.GetServer(ctx, c)
	if err != nil {
		return fmt.Errorf("tell of backup configuration %d: %w", c.ID, err)
	}
	m := Message{
		Event: BackupFailed, Title: "Backup " + c.Name + " on " + server.Name + " failed", Text: reason,
		URL: "/servers/" + strconv.FormatInt(server.ID, 10), Server: &Thing{server.ID, server.Name},
	}
	if unproven {
		m.Event, m.Title = BackupUnproven, "Backup "+c.Name+" on "+server.Name+" could not be verified"
	}
	return n.Notify(ctx, tx, c.OrganizationID, m)
}

// fewLines is how many differences, files or checks a message names.
const fewLines = 5

// some returns the first lines, and how many more there are.
func some(lines []string) []string {
	if more := len(lines) - fewLines; more > 0 {
		return append(slices.Clone(lines[:fewLines]), fmt.Sprintf("and %d more", more))
	}
	return lines
}

// Drifted tells that a server is no longer what it should be, and in what. Differences themselves may have secrets, and stay in the panel.
func (n *Notifier) Drifted(ctx context.Context, tx *db.Tx, server query.Server, found []wire.Difference) error {
	lines := make([]string, len(found))
	for i, d := range found {
		lines[i] = line(cmp.Or(d.Path, d.Step) + ": " + d.What)
	}
	text := append([]string{"The server differs from what is planned:"}, some(lines)...)
	return n.Notify(ctx, tx, server.OrganizationID, Message{
		Event: DriftFound, Title: "Drift found on " + server.Name, Text: strings.Join(text, "\n"), URL: "/servers/" +
			strconv.FormatInt(server.ID, 10), Server: &Thing{server.ID, server.Name},
	})
}

// verified returns the evidence of the checks that the work of an event passed.
func verified(ctx context.Context, tx *db.Tx, event *int64) ([]string, error) {
	if event == nil {
		return nil, nil
	}
	r, err := job.RecordOf(ctx, tx.Granted, *event)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range r.Checks {
		if !slices.Contains(out, c.Evidence) { // some follow each part of the work
			out = append(out, c.Evidence)
		}
	}
	return out, nil
}

// HeartbeatChanged tells that a heartbeat of a site is missing, or that it beats again.
func (n *Notifier) HeartbeatChanged(ctx context.Context, tx *db.Tx, h query.Heartbeat, missing bool, text string) error {
	site, server, err := about(ctx, tx.Granted, h)
	if err != nil {
		return fmt.Errorf("tell of heartbeat %d: %w", h.ID, err)
	}
	m := Message{
		Event: HeartbeatBeating, Title: "Heartbeat " + h.Name + " of " + site.Name + " recovered", Text: text, URL: "/sites/" + strconv.FormatInt(site.ID, 10),
		Site: &Thing{site.ID, site.Name}, Server: &Thing{server.ID, server.Name},
	}
	if missing {
		m.Event, m.Title = HeartbeatMissing, "Heartbeat "+h.Name+" of "+site.Name+" is missing"
	}
	return n.Notify(ctx, tx, site.OrganizationID, m)
}

// MonitorChanged notifies of a monitor that alerts, or no longer does; title says what changed in one line.
func (n *Notifier) MonitorChanged(ctx context.Context, tx *db.Tx, srv query.Server, title string, alert bool, text string) error {
	event := map[bool]string{true: MonitorAlert, false: MonitorRecovered}[alert]
	m := Message{Event: event, Title: title, Text: text, URL: page(srv), Server: &Thing{srv.ID, srv.Name}}
	return n.Notify(ctx, tx, srv.OrganizationID, m)
}
