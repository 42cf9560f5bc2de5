// Package attention lists what needs attention now: failures, servers that do not answer, expiring certificates, unproven
// backups. It stores nothing; it is read from the rows of the features, each time.
package attention

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// The kinds, the most urgent ones first.
const (
	ServerUnreachable  = "server-unreachable"
	ServerHandedOver   = "server-handed-over" // one of the panel's replicas can't reach it, and another one does its work
	ServerFailed       = "server-failed"
	PanelDiskFull      = "panel-disk-full" // next to nothing is free for the panel's own data
	DiskFull           = "disk-full"       // next to nothing is free on it
	MemoryLost         = "memory-lost"     // what Hostler kept on it is gone
	SiteFailed         = "site-failed"
	DeploymentFailed   = "deployment-failed"
	CertificateFailing = "certificate-failing" // a renewal failed; the old certificate is still served
	SiteSharesAccount  = "site-shares-account" // a site of an older release has the password to every database of its server
	HookKnown          = "hook-known"          // the deploy hook is known to a person who left, and deploys for anyone who knows it
	BackupAlarm        = "backup-alarm"
	HeartbeatMissing   = "heartbeat-missing"
	CertificateEnding  = "certificate-ending" // it ends soon, and is not renewed automatically
	NginxRefused       = "nginx-refused"      // it was written before configurations were judged, and would be refused now
	FilesChanged       = "files-changed"      // by hand, though their heads say that this does not last
	Drift              = "drift"
	BackupUnproven     = "backup-unproven"
	RestartNeeded      = "restart-needed" // a service runs with older settings than were written for it
	RebootNeeded       = "reboot-needed"  // updates wait for it
	ServerWaiting      = "server-waiting" // for its line to be pasted
)

var order = []string{PanelDiskFull, ServerUnreachable, ServerHandedOver, ServerFailed, DiskFull, MemoryLost, SiteFailed, DeploymentFailed, CertificateFailing, SiteSharesAccount, HookKnown, BackupAlarm, HeartbeatMissing, NginxRefused, CertificateEnding, FilesChanged, Drift, BackupUnproven,
	RestartNeeded, RebootNeeded, ServerWaiting}

const (
	// endsWithin is how long before its end a certificate is listed. One that is renewed automatically was renewed long before.
	endsWithin = 14 * 24 * time.Hour
	// provenWithin is how long a new configuration may be without a proof before it is listed.
	provenWithin = 24 * time.Hour
	// fullShare and fullBytes are the threshold of a full disk: less than one part in fullShare and less than fullBytes free,
	// since a tenth of a large disk is plenty.
	fullShare = 10
	fullBytes = 20_000_000_000
)

// Item is one thing that needs attention.
type Item struct {
	Kind string
	// Subject is its name; Text describes the problem, as a sentence or its reason.
	Subject, Text string
	// ServerID is the server concerned, 0 for the panel itself, SiteID the site; ResourceID is the deployment, the domain, the
	// backup configuration or the heartbeat.
	ServerID           int64
	SiteID, ResourceID *int64
	// EventID is the event of the failed work.
	EventID *int64
	// Since is when it began, EndsAt when a certificate ends, both in microseconds, if known.
	Since, EndsAt *int64
}

type serverRow struct {
	ID               int64   `db:"id"`
	Name             string  `db:"name"`
	Status           string  `db:"status"`
	ConnectionStatus *string `db:"connection_status"`
	OperationID      *int64  `db:"operation_id"`
	CreatedAt        int64   `db:"created_at"`
}

type hostRow struct {
	ID            int64  `db:"id"`
	Name          string `db:"name"`
	DiskBytes     int64  `db:"disk_bytes"`
	DiskFreeBytes int64  `db:"disk_free_bytes"`
	RebootNeeded  bool   `db:"reboot_needed"`
	StaleServices string `db:"stale_services"`
	EditedFiles   string `db:"edited_files"`
	MemoryLostAt  *int64 `db:"memory_lost_at"`
}

type siteRow struct {
	ID          int64  `db:"id"`
	ServerID    int64  `db:"server_id"`
	Name        string `db:"name"`
	OperationID *int64 `db:"operation_id"`
}

type deploymentRow struct {
	ID          int64  `db:"id"`
	ServerID    int64  `db:"server_id"`
	SiteID      int64  `db:"site_id"`
	OperationID *int64 `db:"operation_id"`
	EndedAt     *int64 `db:"ended_at"`
}

type certificateRow struct {
	ID        int64  `db:"id"`
	SiteID    int64  `db:"site_id"`
	DomainID  int64  `db:"domain_id"`
	Failure   string `db:"failure"`
	ExpiresAt *int64 `db:"expires_at"`
}

type domainRow struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

type nginxRow struct {
	ID           int64   `db:"id"`
	SiteID       int64   `db:"site_id"`
	Name         string  `db:"name"`
	NginxRefused *string `db:"nginx_refused"`
}

type backupRow struct {
	ID        int64   `db:"id"`
	ServerID  int64   `db:"server_id"`
	Name      string  `db:"name"`
	Alarm     *string `db:"alarm"`
	CreatedAt int64   `db:"created_at"`
}

type heartbeatRow struct {
	ID     int64  `db:"id"`
	SiteID int64  `db:"site_id"`
	Name   string `db:"name"`
	DueAt  *int64 `db:"due_at"`
}

type operationRow struct {
	ID         int64  `db:"id"`
	Reason     string `db:"reason"`
	EventID    *int64 `db:"event_id"`
	FinishedAt *int64 `db:"finished_at"`
}

type settingRow struct {
	Name  string `db:"name"`
	Value string `db:"value"`
}

type readerRow struct {
	SiteID  int64 `db:"site_id"`
	UserID  int64 `db:"user_id"`
	ShownAt int64 `db:"shown_at"`
}

type userRow struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

// Rights looks up people's current permissions.
type Rights interface {
	// Holds reports whether a member of an organization has permissions on a server, whatever they signed in with.
	Holds(ctx context.Context, q *query.Granted, organization, user, server int64, needed ...access.Permission) (bool, error)
}

// Store reads what needs attention, on the servers that a caller can see.
type Store struct {
	DB     *db.DB
	Rights Rights
	// Panel returns a warning about the panel's own disk, "" if it has enough space. It may be nil.
	Panel func() string
}

// failed is met by rows whose last operation failed.
var failed = db.Cond{SQL: "operation_id IN (SELECT id FROM operations WHERE state = 'failed')"}

// staying is met by servers that are not being rebooted: those are expected to be away for a moment.
var staying = db.Cond{SQL: "(operation_id IS NULL OR operation_id NOT IN (SELECT id FROM operations WHERE state IN ('pending', 'running') AND action = '" + server.ActionReboot + "'))"}

// List returns everything that needs attention now, the most urgent first.
func (s *Store) List(ctx context.Context, g access.Grant) ([]Item, error) {
	l := lister{q: s.DB.Reader(), read: s.DB.Read(), rights: s.Rights, g: g, of: db.Both(server.VisibleOf(g), server.Attended()), now: s.DB.Clock.Now()}
	for _, read := range []func(context.Context) error{l.servers, l.handedOver, l.drifts, l.sites, l.accounts, l.hooks, l.deployments, l.certificates, l.backups, l.heartbeats, l.nginx, l.hosts, l.reasons} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	if s.Panel != nil && g.SeesAll() {
		if text := s.Panel(); text != "" {
			l.add(Item{Kind: PanelDiskFull, Subject: "Hostler", Text: text}, nil)
		}
	}
	slices.SortStableFunc(l.out, func(a, b Item) int {
		return cmp.Or(slices.Index(order, a.Kind)-slices.Index(order, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
	return l.out, nil
}

// lister reads for one caller.
type lister struct {
	q      query.DBTX
	read   *query.Granted
	rights Rights
	g      access.Grant
	of     db.Cond
	now    time.Time
	out    []Item
	// operation is the operation with the reason, by the index of an item.
	operation map[int]int64
}

// add adds an item; why is the operation with its reason, nil for none.
func (l *lister) add(item Item, why *int64) {
	if why != nil {
		if l.operation == nil {
			l.operation = map[int]int64{}
		}
		l.operation[len(l.out)] = *why
	}
	l.out = append(l.out, item)
}

func (l *lister) servers(ctx context.Context) error {
	rows, err := db.All[serverRow](ctx, l.q, "servers", server.Visible(l.g), db.Equal("revoked", false), db.Any(
		db.Equal("status", server.StatusConnecting, server.StatusFailed), db.Both(db.Equal("connection_status", server.ConnectionDisconnected), staying), failed))
	if err != nil {
		return err
	}
	for _, r := range rows {
		item := Item{Kind: ServerFailed, Subject: r.Name, ServerID: r.ID}
		switch {
		case r.Status == server.StatusDeleting || r.Status == server.StatusArchiving:
			continue
		case r.Status == server.StatusConnecting:
			item.Kind, item.Since, r.OperationID = ServerWaiting, &r.CreatedAt, nil
		case r.ConnectionStatus != nil && *r.ConnectionStatus == server.ConnectionDisconnected:
			item.Kind, r.OperationID = ServerUnreachable, nil
		}
		l.add(item, r.OperationID)
	}
	return nil
}

// handedOver are servers that a replica of the panel gave up a short while ago.
func (l *lister) handedOver(ctx context.Context) error {
	leases, err := job.HandedOver(ctx, l.read, l.now)
	if err != nil || len(leases) == 0 {
		return err
	}
	since := map[int64]int64{}
	for _, lease := range leases {
		if id, ok := job.ServerOfLane(lease.Name); ok {
			since[id] = max(since[id], lease.HandedAt)
		}
	}
	rows, err := db.All[serverRow](ctx, l.q, "servers", server.Visible(l.g), db.Equal("is_ready", true))
	for _, r := range rows {
		if at, ok := since[r.ID]; ok {
			l.add(Item{Kind: ServerHandedOver, Subject: r.Name, ServerID: r.ID, Since: &at, Text: "A replica of Hostler could not reach it for two minutes, so another one does its work."}, nil)
		}
	}
	return err
}

// hosts are servers whose disk is full, whose agent forgot all, on which own files were changed, or that wait for a reboot or for the restart of a
// service, as they said themselves when they were last looked at.
func (l *lister) hosts(ctx context.Context) error {
	full := db.Cond{SQL: "disk_free_bytes < disk_bytes / ? AND disk_free_bytes < ?", Args: []any{fullShare, fullBytes}}
	rows, err := db.All[hostRow](ctx, l.q, "servers", server.Visible(l.g), db.Equal("is_ready", true), db.Any(full, db.Cond{SQL: "stale_services <> '' OR edited_files <> '' OR memory_lost_at IS NOT NULL"}, db.Both(db.Equal("reboot_needed", true), staying)))
	for _, r := range rows {
		if r.DiskFreeBytes < r.DiskBytes/fullShare && r.DiskFreeBytes < fullBytes {
			l.add(Item{Kind: DiskFull, Subject: r.Name, ServerID: r.ID, Text: fmt.Sprintf("Only %s of %s are free on its disk.", gigabytes(r.DiskFreeBytes), gigabytes(r.DiskBytes))}, nil)
		}
		if r.StaleServices != "" {
			l.add(Item{Kind: RestartNeeded, Subject: r.Name, ServerID: r.ID, Text: strings.ReplaceAll(r.StaleServices, ",", ", ") + " runs with older settings than were written for it. They are in force once it is restarted."}, nil)
		}
		if r.MemoryLostAt != nil {
			l.add(Item{Kind: MemoryLost, Subject: r.Name, ServerID: r.ID, Since: r.MemoryLostAt, Text: "What Hostler kept on it is gone, with the files of its scheduled jobs and processes. Repair it; what else is lost is reported then."}, nil)
		}
		if r.EditedFiles != "" {
			l.add(Item{Kind: FilesChanged, Subject: r.Name, ServerID: r.ID, Text: changed(strings.Split(r.EditedFiles, "\n"))}, nil)
		}
		if r.RebootNeeded {
			l.add(Item{Kind: RebootNeeded, Subject: r.Name, ServerID: r.ID}, nil)
		}
	}
	return err
}

// namedFiles is how many files are named.
const namedFiles = 10

// changed names files that were changed by hand.
func changed(paths []string) string {
	text := strings.Join(paths[:min(len(paths), namedFiles)], ", ")
	if more := len(paths) - namedFiles; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "Changed by hand: " + text + ". The next change of the server overwrites them, and its event shows how they differed."
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// drifts adds servers whose files were found to differ when they were last compared.
func (l *lister) drifts(ctx context.Context) error {
	const prefix = "drift:"
	found, err := db.All[settingRow](ctx, l.q, "settings", db.Cond{SQL: "name LIKE '" + prefix + "%' AND value <> ''"})
	if err != nil || len(found) == 0 {
		return err
	}
	var ids []any
	for _, f := range found {
		if id, err := strconv.ParseInt(strings.TrimPrefix(f.Name, prefix), 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	rows, err := db.All[serverRow](ctx, l.q, "servers", server.Visible(l.g), db.Equal("revoked", false), db.Equal("id", ids...))
	for _, r := range rows {
		l.add(Item{Kind: Drift, Subject: r.Name, ServerID: r.ID}, nil)
	}
	return err
}

func (l *lister) sites(ctx context.Context) error {
	rows, err := db.All[siteRow](ctx, l.q, "sites", l.of, failed)
	for _, r := range rows {
		l.add(Item{Kind: SiteFailed, Subject: r.Name, ServerID: r.ServerID, SiteID: &r.ID}, r.OperationID)
	}
	return err
}

// accounts adds sites that sign in with the account with access to every database of their server. New ones get their own; a
// password in a site's files can't be changed without the site.
func (l *lister) accounts(ctx context.Context) error {
	rows, err := db.All[siteRow](ctx, l.q, "sites", l.of, db.Cond{SQL: "database_user_id IN (SELECT id FROM database_users WHERE main)"})
	for _, r := range rows {
		l.add(Item{Kind: SiteSharesAccount, Subject: r.Name, ServerID: r.ServerID, SiteID: &r.ID, Text: "It has the password of the account that may use every database of its server. " +
			"Make an account for its database, write that to its environment, then set another password for the account of all sites."}, nil)
	}
	return err
}

// hooks adds sites whose deploy hook was shown to people who have lost the permission to see it. It works for them until the site has another one.
func (l *lister) hooks(ctx context.Context) error {
	staff := db.Cond{SQL: "user_id NOT IN (SELECT user_id FROM memberships WHERE organization_id = ? AND role_id BETWEEN ? AND ?)", Args: []any{l.g.OrganizationID, access.RoleOwner, access.RoleDeveloper}}
	rows, err := db.All[readerRow](ctx, l.q, "hook_readers", db.In("site_id", "sites", l.of), staff)
	if err != nil || len(rows) == 0 {
		return err
	}
	var ids, people []any
	for _, r := range rows {
		ids, people = append(ids, r.SiteID), append(people, r.UserID)
	}
	sites, err := l.named(ctx, ids)
	if err != nil {
		return err
	}
	users, err := db.All[userRow](ctx, l.q, "users", db.Equal("id", people...))
	if err != nil {
		return err
	}
	type place struct{ user, server int64 }
	holds, known := map[place]bool{}, map[int64][]string{}
	for _, r := range rows {
		at := place{r.UserID, sites[r.SiteID].ServerID}
		if _, asked := holds[at]; !asked {
			if holds[at], err = l.rights.Holds(ctx, l.read, l.g.OrganizationID, at.user, at.server, access.ServerView, access.SiteManageDeploys); err != nil {
				return err
			}
		}
		if holds[at] {
			continue
		}
		name := "a user whose account was deleted"
		if i := slices.IndexFunc(users, func(u userRow) bool { return u.ID == r.UserID }); i >= 0 {
			name = users[i].Name
		}
		known[r.SiteID] = append(known[r.SiteID], name)
	}
	for id, names := range known {
		slices.Sort(names)
		l.add(Item{Kind: HookKnown, Subject: sites[id].Name, ServerID: sites[id].ServerID, SiteID: new(id), Text: "Its deploy hook was shown to " + strings.Join(names, ", ") + ", who can no longer see it. Give it a new one."}, nil)
	}
	return nil
}

// named returns sites by their ids.
func (l *lister) named(ctx context.Context, ids []any) (map[int64]siteRow, error) {
	rows, err := db.All[siteRow](ctx, l.q, "sites", db.Equal("id", ids...))
	out := map[int64]siteRow{}
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, err
}

// deployments adds the newest ones of their sites, if they failed.
func (l *lister) deployments(ctx context.Context) error {
	rows, err := db.All[deploymentRow](ctx, l.q, "deployments", l.of, db.Cond{SQL: "id IN (SELECT latest_deployment_id FROM projects WHERE deployment_status IN ('failed', 'failed-build'))"})
	if err != nil {
		return err
	}
	var ids []any
	for _, r := range rows {
		ids = append(ids, r.SiteID)
	}
	sites, err := l.named(ctx, ids)
	for _, r := range rows {
		l.add(Item{Kind: DeploymentFailed, Subject: sites[r.SiteID].Name, ServerID: r.ServerID, SiteID: &r.SiteID, ResourceID: &r.ID, Since: r.EndedAt}, r.OperationID)
	}
	return err
}

// certificates adds served ones whose renewal failed or that are not renewed in time.
func (l *lister) certificates(ctx context.Context) error {
	rows, err := db.All[certificateRow](ctx, l.q, "certificates", db.In("site_id", "sites", l.of), db.Cond{
		SQL: "id IN (SELECT certificate_id FROM domains) AND (failure <> '' OR expires_at < ?)", Args: []any{l.now.Add(endsWithin).UnixMicro()}})
	if err != nil {
		return err
	}
	var domains, ids []any
	for _, r := range rows {
		domains, ids = append(domains, r.DomainID), append(ids, r.SiteID)
	}
	sites, err := l.named(ctx, ids)
	if err != nil {
		return err
	}
	names, err := db.All[domainRow](ctx, l.q, "domains", db.Equal("id", domains...))
	for _, r := range rows {
		item := Item{Kind: CertificateEnding, Subject: sites[r.SiteID].Name, ServerID: sites[r.SiteID].ServerID, SiteID: &r.SiteID, ResourceID: &r.DomainID, EndsAt: r.ExpiresAt}
		if at := slices.IndexFunc(names, func(d domainRow) bool { return d.ID == r.DomainID }); at >= 0 {
			item.Subject = names[at].Name
		}
		if r.Failure != "" {
			item.Kind, item.Text = CertificateFailing, r.Failure
		}
		l.add(item, nil)
	}
	return err
}

func (l *lister) backups(ctx context.Context) error {
	rows, err := db.All[backupRow](ctx, l.q, "backup_configurations", l.of, db.Cond{SQL: "(alarm IS NOT NULL OR verified_at IS NULL)"})
	for _, r := range rows {
		item := Item{Kind: BackupUnproven, Subject: r.Name, ServerID: r.ServerID, ResourceID: &r.ID, Since: &r.CreatedAt}
		if r.Alarm != nil {
			item.Kind, item.Text, item.Since = BackupAlarm, *r.Alarm, nil
		} else if l.now.Sub(time.UnixMicro(r.CreatedAt)) < provenWithin {
			continue
		}
		l.add(item, nil)
	}
	return err
}

// nginx adds domains with a configuration that predates the checks and would be refused now.
func (l *lister) nginx(ctx context.Context) error {
	rows, err := db.All[nginxRow](ctx, l.q, "domains", db.In("site_id", "sites", l.of), db.Equal("nginx_rule", "kept"), db.Cond{SQL: "nginx IS NOT NULL AND nginx_refused <> ''"})
	if err != nil {
		return err
	}
	var ids []any
	for _, r := range rows {
		ids = append(ids, r.SiteID)
	}
	sites, err := l.named(ctx, ids)
	for _, r := range rows {
		l.add(Item{Kind: NginxRefused, Subject: r.Name, Text: *r.NginxRefused, ServerID: sites[r.SiteID].ServerID, SiteID: &r.SiteID, ResourceID: &r.ID}, nil)
	}
	return err
}

// heartbeats adds those that were not called in time.
func (l *lister) heartbeats(ctx context.Context) error {
	rows, err := db.All[heartbeatRow](ctx, l.q, "heartbeats", db.In("site_id", "sites", l.of), db.Equal("status", "missing"))
	if err != nil {
		return err
	}
	var ids []any
	for _, r := range rows {
		ids = append(ids, r.SiteID)
	}
	sites, err := l.named(ctx, ids)
	for _, r := range rows {
		site := sites[r.SiteID]
		l.add(Item{Kind: HeartbeatMissing, Subject: r.Name, Text: "It was not heard from on " + site.Name + ".", ServerID: site.ServerID, SiteID: &r.SiteID, ResourceID: &r.ID, Since: r.DueAt}, nil)
	}
	return err
}

// reasons adds the reasons of failed work.
func (l *lister) reasons(ctx context.Context) error {
	var ids []any
	for _, id := range l.operation {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := db.All[operationRow](ctx, l.q, "operations", db.Equal("id", ids...))
	for at, id := range l.operation {
		if i := slices.IndexFunc(rows, func(o operationRow) bool { return o.ID == id }); i >= 0 {
			l.out[at].Text, l.out[at].EventID = rows[i].Reason, rows[i].EventID
			if l.out[at].Since == nil {
				l.out[at].Since = rows[i].FinishedAt
			}
		}
	}
	return err
}
