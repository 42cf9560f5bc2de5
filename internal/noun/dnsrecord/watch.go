package dnsrecord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Watcher follows sites that are reached elsewhere by now, looks at records, and removes those of deleted domains.
type Watcher struct{ *Store }

// Watch is the job.
type Watch struct{}

// Kind names the job.
func (Watch) Kind() string { return "dnsrecord.watch" }

// Periodic returns how often that is.
func Periodic() job.Periodic { return job.Periodic{Every: time.Minute, Args: Watch{}} }

const (
	// A record that is not seen yet is looked at each minute for its first hour, all others each hour.
	lookEvery, lookSoon, lookNew = time.Hour, time.Minute, time.Hour
	lookWithin                   = 20 * time.Second
	// atOnce is how many domains, and how many left records, are looked at in a turn.
	atOnce = 20

	firstAgain = 5 * time.Minute
	mostAgain  = 24 * time.Hour
)

// Watch does what is due.
func (w *Watcher) Watch(ctx context.Context, _ Watch) error {
	return errors.Join(w.follow(ctx), w.looks(ctx), w.remove(ctx))
}

// follow begins work for the domains that need other records than the newest work asked for.
func (w *Watcher) follow(ctx context.Context) error {
	rows, err := w.DB.Read().Ungranted().ListDomainDNS(ctx)
	if err != nil {
		return fmt.Errorf("list DNS of domains: %w", err)
	}
	var failed []error // one domain's does not keep the others from being followed
	for _, row := range rows {
		if row.Status != statusMade && row.Status != statusFailed {
			continue
		}
		_, asked, err := w.moved(ctx, w.DB.Read(), row)
		if err == nil && asked != "" { // hardly ever: most turns only read
			err = w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return w.followOne(ctx, tx, row) })
		}
		var conflict *api.Error
		if err != nil && !errors.Is(err, db.ErrNotFound) && !errors.As(err, &conflict) { // an archived server has no work
			failed = append(failed, fmt.Errorf("follow domain %d: %w", row.DomainID, err))
		}
	}
	return errors.Join(failed...)
}

// moved returns what a domain needs, as it is asked for, if that is other records than the newest work asked for; else "".
func (w *Watcher) moved(ctx context.Context, q *query.Granted, row query.DomainDNS) (at subject, asked string, err error) {
	if at, err = w.find(ctx, q, row.DomainID); err != nil || slices.Contains(unsettled(), at.domain.Status) {
		return at, "", err
	}
	wants, no, err := w.wanted(ctx, q, at.domain, at.server)
	if err != nil || no != "" { // there is nothing that they could be changed to
		return at, "", err
	}
	if asked, err = text(wants); asked == row.Asked {
		asked = ""
	}
	return at, asked, err
}

func (w *Watcher) followOne(ctx context.Context, tx *db.Tx, row query.DomainDNS) error {
	at, asked, err := w.moved(ctx, tx.Granted, row)
	if err != nil || asked == "" {
		return err
	}
	p, err := server.Path{Grant: access.Grant{OrganizationID: at.site.OrganizationID}, Server: at.server}.Current(ctx, tx)
	if err != nil {
		return err
	}
	at.server = p.Server
	_, err = w.begin(ctx, tx, at, p.Grant, actionFollow, request{ProviderID: row.DNSProviderID}, asked)
	return err
}

// unsettled are the states of a domain whose names may not stay: its records follow once they do.
func unsettled() []string {
	return []string{domain.StatusConnecting, domain.StatusUpdating, domain.StatusRemoving}
}

// begin accepts work on the DNS of a domain.
func (s *Store) begin(ctx context.Context, tx *db.Tx, at subject, grant access.Grant, action string, r request, asked string) (event int64, err error) {
	accepted, err := s.Queue.Begin(ctx, tx, job.Work{
		Grant: grant, ServerID: at.server.ID, SiteID: at.site.ID, Ready: true, Aspect: job.Beside(Aspect, at.domain.ID),
		Resource: resource, ResourceID: at.domain.ID, Action: action, Lasting: true, Needs: []access.Permission{access.SiteMeta},
		Description: map[string]string{
			actionMake: "Making DNS records of ", actionFollow: "Updating DNS records of ", actionRemove: "Removing DNS records of ",
		}[action] + at.domain.Name,
		Request: r, Within: workWithin,
	})
	if err != nil {
		return 0, err
	}
	status := statusPending
	if action == actionRemove {
		status = statusRemoving
	}
	_, err = tx.PutDomainDNS(ctx, query.PutDomainDNSParams{
		DomainID: at.domain.ID, DNSProviderID: r.ProviderID, Status: status, Asked: asked, LookAt: tx.Now.Add(lookEvery).UnixMicro(),
		OperationID: &accepted.OperationID, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return 0, fmt.Errorf("write DNS of domain %d: %w", at.domain.ID, err)
	}
	return accepted.EventID, nil
}

// looks looks at the domains whose turn it is.
func (w *Watcher) looks(ctx context.Context) error {
	rows, err := w.DB.Read().Ungranted().ListDueDomainDNS(ctx, w.DB.Clock.Now().UnixMicro(), atOnce)
	if err != nil {
		return fmt.Errorf("list DNS of domains: %w", err)
	}
	var mu sync.Mutex
	var failed []error
	var wg sync.WaitGroup
	for _, row := range rows {
		wg.Go(func() {
			if _, err := w.look(ctx, row.DomainID); err != nil && !errors.Is(err, db.ErrNotFound) {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// look sees what the provider and nameservers have of the records of a domain, and stores it.
func (s *Store) look(ctx context.Context, id int64) (seen, error) {
	out := seen{Records: []seenRecord{}}
	q := s.DB.Read()
	row, err := q.Ungranted().GetDomainDNS(ctx, id)
	if err != nil {
		return out, fmt.Errorf("read DNS of domain %d: %w", id, err)
	}
	at, err := s.find(ctx, q, id)
	if err != nil {
		return out, err
	}
	if at, err = s.open(ctx, q, at, row.DNSProviderID); err != nil {
		return out, err
	}
	within, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	in, err := s.gather(within, q, at, nil, nil)
	switch {
	case dns.KindOf(err) != "":
		out.Problem = err.Error()
	case err != nil:
		return out, err
	}
	for i := range in.Own {
		out.Records = append(out.Records, in.found(&in.Own[i], out.Problem != ""))
	}
	var wg sync.WaitGroup
	for i := range out.Records {
		wg.Go(func() { out.Records[i].Sights = s.Resolver.Sights(within, out.Records[i].Type, out.Records[i].Name) })
	}
	wg.Wait()
	now := s.DB.Clock.Now()
	out.At = now.UnixMicro()
	next := lookEvery
	unseen := slices.ContainsFunc(out.Records, func(r seenRecord) bool { return !r.shown() })
	if unseen && now.Sub(time.UnixMicro(row.UpdatedAt)) < lookNew {
		next = lookSoon
	}
	text, err := text(out)
	if err != nil {
		return out, err
	}
	return out, s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.SetDomainDNSSeen(ctx, id, text, now.Add(next).UnixMicro())
	})
}

// found returns what the provider has of a record that was made.
func (in Input) found(own *query.DNSRecord, unasked bool) seenRecord {
	r := seenRecord{Name: own.Name, Type: own.Type, Value: own.Value, State: recordUnknown, Found: []string{}}
	if unasked {
		return r
	}
	r.State = recordMissing
	for _, live := range in.Live[own.Name] {
		if live.Type != own.Type && live.Type != dns.CNAME {
			continue
		}
		r.Found = append(r.Found, live.Value)
		switch mine := in.mine(live) == own; {
		case mine && live.Value == own.Value:
			r.State = recordMade
		case r.State != recordMade:
			r.State = recordChanged
		}
	}
	return r
}

// remove removes the records of deleted domains, as far as they are what was made.
func (w *Watcher) remove(ctx context.Context) error {
	q := w.DB.Read()
	rows, err := q.Ungranted().ListLeftDNSRecords(ctx, w.DB.Clock.Now().UnixMicro(), atOnce)
	if err != nil {
		return fmt.Errorf("list DNS records of deleted domains: %w", err)
	}
	var failed []error
	for _, row := range rows {
		err := w.removeOne(ctx, q, row)
		if dns.KindOf(err) != "" {
			wait, reason := min(firstAgain<<min(row.Failures, 10), mostAgain), err.Error()
			err = w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
				return tx.FailDNSRecord(ctx, row.ID, reason, tx.Now.Add(wait).UnixMicro(), tx.Micros())
			})
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("remove DNS record %d: %w", row.ID, err))
		}
	}
	return errors.Join(failed...)
}

func (w *Watcher) removeOne(ctx context.Context, q *query.Granted, row query.DNSRecord) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	records, _, err := w.Providers.Records(ctx, q, row, row.DNSProviderID)
	if err != nil {
		return err
	}
	zone := dns.Zone{ID: row.ZoneID, Name: row.Zone}
	live, err := records.At(ctx, zone, row.Name)
	if err != nil && dns.KindOf(err) != dns.NoZone {
		return err
	}
	in := Input{Own: []query.DNSRecord{row}, Live: map[string][]dns.Record{row.Name: live}}
	for _, i := range Removal(in) {
		if i.Action != actionDelete {
			continue
		}
		if err := records.Delete(ctx, zone, i.live); err != nil {
			return err
		}
	}
	return w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.DeleteDNSRecord(ctx, row.ID) })
}
