package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/dns/dnstest"
	"github.com/hostlerhq/hostler/internal/noun/dnsrecord"
)

// zone is an account at a DNS provider, in a world whose site one-too.example.com is in its zone.
type zone struct {
	*world
	*testing.T
	account  *dnstest.Provider
	provider string // its id
	at       string // the domain
	host     string // the address of its server
}

// zones runs a test at each provider, on SQLite; at one of them on PostgreSQL as well.
func zones(t *testing.T, test func(z *zone)) {
	t.Helper()
	for _, c := range []struct {
		provider string
		dialect  db.Dialect
	}{{dns.Cloudflare, db.SQLite}, {dns.DigitalOcean, db.SQLite}, {dns.Hetzner, db.SQLite}, {dns.Gandi, db.SQLite}, {dns.DeSEC, db.SQLite},
		{dns.Cloudflare, db.PostgreSQL}} {
		t.Run(c.provider+" "+string(c.dialect), func(t *testing.T) {
			t.Parallel()
			test(newZone(t, c.provider, c.dialect))
		})
	}
}

func newZone(t *testing.T, provider string, dialect db.Dialect) *zone {
	t.Helper()
	account := dnstest.New([]string{"example.com"}, dnstest.Record{Name: "one-too.example.com", Type: "TXT", Value: "v=spf1"},
		dnstest.Record{Name: "one-too.example.com", Type: "MX", Value: "mail.example.com"}, dnstest.Record{Name: "example.com", Type: "A", Value: "192.0.2.200"})
	api := httptest.NewServer(serveDNS(account, provider))
	t.Cleanup(api.Close)
	w := WorldWith(t, dialect, func(c *app.Config) {
		c.DNSProviders = map[string]string{provider: api.URL}
		c.Nameservers = []string{dnstest.Nameserver(t, account)}
	})
	z := &zone{world: w, T: t, account: account, at: w.sites(w.mine.server) + "/" + w.mine.site + "/domains/" + w.mine.domain}
	z.provider = w.owner.Post("/orgs/acme/dns-providers", map[string]any{"name": "DNS", "provider": provider, "secret": dnstest.Token}).Want(t, 201).ID()
	z.host = w.owner.Get("/orgs/acme/servers/"+w.mine.server).Want(t, 200).Text("data", "attributes", "ip_address")
	return z
}

func serveDNS(account *dnstest.Provider, provider string) http.HandlerFunc {
	return map[string]http.HandlerFunc{
		dns.Cloudflare: account.Cloudflare, dns.DigitalOcean: account.DigitalOcean, dns.Hetzner: account.Hetzner, dns.Gandi: account.Gandi,
		dns.DeSEC: account.DeSEC,
	}[provider]
}

// plan reads a plan, and returns its hash with its steps as "create A name value".
func (z *zone) plan(query string) (hash string, steps []string) {
	z.T.Helper()
	a := z.owner.Get(z.at+"/dns/plan?dns_provider_id="+z.provider+query).Want(z.T, 200)
	for i := range a.At("data", "attributes", "steps").([]any) {
		steps = append(steps, strings.TrimSpace(strings.Join([]string{
			a.Text("data", "attributes", "steps", i, "action"), a.Text("data", "attributes", "steps", i, "type"),
			a.Text("data", "attributes", "steps", i, "name"), a.Text("data", "attributes", "steps", i, "value"),
		}, " ")))
	}
	return a.Text("data", "attributes", "hash"), steps
}

func (z *zone) body(hash string, replace ...string) map[string]any {
	b := map[string]any{"dns_provider_id": number(z.provider), "plan": hash}
	if len(replace) > 0 {
		b["replace"] = replace
	}
	return b
}

// work does the newest work on the domain as the engine does it, and returns why it ended, "" for a success. Work that would be tried again is left.
func (z *zone) work() (reason string) {
	z.T.Helper()
	ctx := context.Background()
	id := number(z.owner.Get(z.at+"/dns").Want(z.T, 200).Text("data", "meta", "operation", "id"))
	q := z.App.DB.Read().Ungranted()
	op, err := q.GetOperation(ctx, id)
	if err != nil {
		z.T.Fatal(err)
	}
	aspect := (&dnsrecord.Task{Store: z.App.Records.Store}).Aspect()
	stages, err := aspect.Plan(ctx, q, query.Server{}, []query.Operation{op})
	if err != nil {
		z.T.Fatal(err)
	}
	state := job.Succeeded
	for _, s := range stages {
		err := s.After(ctx, query.Server{})
		var end *job.StageError
		var later *job.LaterError
		switch {
		case errors.As(err, &later):
			return "later: " + later.Reason
		case errors.As(err, &end):
			reason, state = end.Reason, job.Failed
		case err != nil:
			z.T.Fatal(err)
		}
		if reason != "" {
			break
		}
	}
	z.Tx(func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: id, State: string(state), Reason: reason, UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		return aspect.Write(ctx, tx, op, state)
	})
	return reason
}

func (z *zone) watch() {
	z.T.Helper()
	if err := z.App.Records.Watch(context.Background(), dnsrecord.Watch{}); err != nil {
		z.T.Fatal(err)
	}
}

func (z *zone) want(lines ...string) {
	z.T.Helper()
	all := append([]string{"example.com A 192.0.2.200", "one-too.example.com MX mail.example.com", "one-too.example.com TXT v=spf1"}, lines...)
	if diff := cmp.Diff(all, z.account.Lines(), cmpopts.SortSlices(strings.Compare)); diff != "" {
		z.T.Errorf("records at the provider (-want +got):\n%s", diff)
	}
}

func (z *zone) set(sql string, args ...any) {
	z.T.Helper()
	z.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, sql, args...)
		return err
	})
}

// make makes the records of the domain.
func (z *zone) make() {
	z.T.Helper()
	z.set("UPDATE domains SET status = 'enabled' WHERE id = $1", number(z.mine.domain))
	hash, _ := z.plan("")
	z.owner.Post(z.at+"/dns", z.body(hash)).Want(z.T, 202)
	if reason := z.work(); reason != "" {
		z.T.Fatal(reason)
	}
}

// Records are planned, made, seen, followed and removed, and those of others are left.
func TestDNSRecords(t *testing.T) {
	t.Parallel()
	zones(t, func(z *zone) {
		const name = "one-too.example.com"
		a := z.owner.Get(z.at+"/dns").Want(z.T, 200)
		if got := a.Text("data", "attributes", "status"); got != "none" {
			z.T.Errorf("the status is %s", got)
		}
		hash, steps := z.plan("")
		if diff := cmp.Diff([]string{"create A " + name + " " + z.host}, steps); diff != "" {
			z.T.Errorf("plan (-want +got):\n%s", diff)
		}
		if got := z.account.Changes(); len(got) > 0 {
			z.T.Errorf("a plan changed %v", got)
		}
		z.make()
		z.want(name + " A " + z.host)
		a = z.owner.Get(z.at+"/dns").Want(z.T, 200)
		for path, want := range map[string]string{"status": "made", "records.0.state": "made", "records.0.value": z.host, "records.0.zone": "example.com"} {
			if got := a.Text(stepsTo(path)...); got != want {
				z.T.Errorf("%s is %s, want %s", path, got, want)
			}
		}
		if a.At("data", "attributes", "records", 0, "seen") != true {
			z.T.Errorf("the record is not seen: %s", a.Body)
		}
		// The same once more changes nothing; a plan of before is refused.
		z.account.Changes()
		again, steps := z.plan("")
		if diff := cmp.Diff([]string{"keep A " + name + " " + z.host}, steps); diff != "" {
			z.T.Errorf("plan of what is there (-want +got):\n%s", diff)
		}
		wantFields(z.T, z.owner.Post(z.at+"/dns", z.body(hash)), "plan")
		z.owner.Post(z.at+"/dns", z.body(again)).Want(z.T, 202)
		z.owner.Post(z.at+"/dns", z.body(again)).Want(z.T, 409)
		if reason := z.work(); reason != "" || len(z.account.Changes()) > 0 {
			z.T.Errorf("the second time: %s", reason)
		}
		// The server gets another address.
		z.watch()
		z.set("UPDATE servers SET ip_address = '198.51.100.77' WHERE id = $1", number(z.mine.server))
		z.watch()
		if reason := z.work(); reason != "" {
			z.T.Error(reason)
		}
		z.want(name + " A 198.51.100.77")
		// A change manually is shown, and is not overwritten.
		z.account.Edit("A", name, "192.0.2.66")
		a = z.owner.Post(z.at+"/dns/check", nil).Want(z.T, 200)
		if got := a.Text("data", "attributes", "records", 0, "state"); got != "changed" {
			z.T.Errorf("the state is %s: %s", got, a.Body)
		}
		if got := z.owner.Get("/orgs/acme/attention").Want(z.T, 200); !strings.Contains(string(got.Body), "dns-records") {
			z.T.Errorf("attention does not say so: %s", got.Body)
		}
		z.set("UPDATE servers SET ip_address = '198.51.100.78' WHERE id = $1", number(z.mine.server))
		z.watch()
		if reason := z.work(); !strings.Contains(reason, "changed manually") {
			z.T.Errorf("what was changed manually: %s", reason)
		}
		z.want(name + " A 192.0.2.66")
		hash, steps = z.plan("")
		wantFields(z.T, z.owner.Post(z.at+"/dns", z.body(hash)), "replace")
		hash, steps = z.plan("&replace=A+" + name)
		if diff := cmp.Diff([]string{"change A " + name + " 198.51.100.78"}, steps); diff != "" {
			z.T.Errorf("plan with a name (-want +got):\n%s", diff)
		}
		z.owner.Post(z.at+"/dns", z.body(hash, "A "+name)).Want(z.T, 202)
		if reason := z.work(); reason != "" {
			z.T.Error(reason)
		}
		z.want(name + " A 198.51.100.78")
		z.owner.Delete("/orgs/acme/dns-providers/"+z.provider).Want(z.T, 409)
		z.owner.Delete(z.at+"/dns").Want(z.T, 204)
		if reason := z.work(); reason != "" {
			z.T.Error(reason)
		}
		z.want()
		z.owner.Delete(z.at+"/dns").Want(z.T, 204) // there are none
		z.owner.Delete("/orgs/acme/dns-providers/"+z.provider).Want(z.T, 204)
	})
}

// The records of a deleted domain are removed, unless they were changed manually.
func TestRecordsOfDeletedDomains(t *testing.T) {
	t.Parallel()
	zones(t, func(z *zone) {
		z.make()
		z.set("DELETE FROM domains WHERE id = $1", number(z.mine.domain))
		z.account.Refuse(func(string, string) int { return http.StatusServiceUnavailable })
		z.watch()
		z.account.Refuse(nil)
		z.watch() // it is not time yet
		z.want("one-too.example.com A " + z.host)
		z.Clock.Move(10 * time.Minute)
		z.watch()
		z.want()
	})
}

// A removal that keeps failing needs attention, with the provider's reason, until the provider confirms it or has no such record any longer. The failures of
// one provider are one line (kubernetes-sigs/external-dns 4428 and 5786: one record that is gone, or refused, held up all others).
func TestRemovalKeepsFailing(t *testing.T) {
	t.Parallel()
	zones(t, func(z *zone) {
		attention := func() string {
			z.T.Helper()
			for _, item := range z.owner.Get("/orgs/acme/attention").Want(z.T, 200).At("data").([]any) {
				if a := object(object(item)["attributes"]); a["kind"] == "dns-records" && a["site_id"] == nil {
					return fmt.Sprint(a["subject"], ": ", a["text"])
				}
			}
			return ""
		}
		z.set("UPDATE domains SET www_redirect_type = 'from-www' WHERE id = $1", number(z.mine.domain))
		z.make()
		z.set("DELETE FROM domains WHERE id = $1", number(z.mine.domain))
		z.account.Refuse(func(method, _ string) int {
			if method == http.MethodGet {
				return 0
			}
			return http.StatusForbidden
		})
		for i := range 3 {
			if got := attention(); got != "" {
				z.T.Errorf("after %d failures: %s", i, got)
			}
			z.watch()
			z.Clock.Move(time.Hour)
		}
		got := attention()
		for _, want := range []string{"DNS: The A record of ", "one-too.example.com and 1 more", "refused the token", "at most once a day"} {
			if !strings.Contains(got, want) {
				z.T.Errorf("want %q: %s", want, got)
			}
		}
		if got := z.viewer.Get("/orgs/acme/attention").Want(z.T, 200); strings.Contains(string(got.Body), dnstest.Token) {
			z.T.Errorf("a token is shown: %s", got.Body)
		}
		// A person removes one of them at the provider, and gives the token its right again.
		z.account.Edit("A", "www.one-too.example.com", "")
		z.Clock.Move(25 * time.Hour)
		z.watch()
		if got := attention(); !strings.Contains(got, "The A record of one-too.example.com, a deleted domain, can't be removed") {
			z.T.Errorf("one that is left: %s", got)
		}
		z.account.Refuse(nil)
		z.Clock.Move(25 * time.Hour)
		z.watch()
		z.want()
		if got := attention(); got != "" {
			z.T.Errorf("after the removal: %s", got)
		}
	})
}

// The plan of deleting a site, or a domain of it, says which records go with it, and the provider is not asked.
func TestPlanOfADeletionHasItsRecords(t *testing.T) {
	t.Parallel()
	z := newZone(t, dns.Cloudflare, db.SQLite)
	z.make()
	line := "remove the DNS record A one-too.example.com " + z.host + " at the provider, unless it was changed manually"
	z.account.Refuse(func(string, string) int { return http.StatusServiceUnavailable })
	for _, at := range []string{z.at, z.sites(z.mine.server) + "/" + z.mine.site} {
		a := z.owner.Delete(at+"?dry_run=true").Want(t, 200)
		if !strings.Contains(string(a.Body), line) {
			t.Errorf("the plan of deleting %s: %s", at, a.Body)
		}
		if other := z.owner.Delete(z.sites(z.other.server)+"/"+z.other.site+"?dry_run=true").Want(t, 200); strings.Contains(string(other.Body), "DNS record") {
			t.Errorf("the plan of another site: %s", other.Body)
		}
	}
	said := z.assistant(z.owner.Token).wants("plan", map[string]any{
		"operation": "organizations.servers.sites.domains.destroy", "parameters": map[string]any{"site": z.mine.site, "domainRecord": z.mine.domain},
	}, false, line)
	z.assistant(z.owner.Token).wants("apply", map[string]any{
		"operation": "organizations.servers.sites.domains.destroy", "parameters": map[string]any{"site": z.mine.site, "domainRecord": z.mine.domain},
		"plan": planLine.FindStringSubmatch(said)[1],
	}, false, "accepted as event")
}

// What a provider refuses ends the work with its reason, and what was changed before is as it was.
func TestRefusedRecords(t *testing.T) {
	t.Parallel()
	zones(t, func(z *zone) {
		z.set("UPDATE domains SET status = 'enabled', www_redirect_type = 'from-www' WHERE id = $1", number(z.mine.domain))
		for status, word := range map[int]string{401: "refused the token", 403: "refused the token", 429: "too often", 500: "can't answer", 503: "can't answer"} {
			z.account.Refuse(func(string, string) int { return status })
			a := z.owner.Get(z.at + "/dns/plan?dns_provider_id=" + z.provider)
			wantFields(z.T, a, "dns_provider_id")
			if !strings.Contains(string(a.Body), word) {
				z.T.Errorf("a %d is %s", status, a.Body)
			}
		}
		z.account.Refuse(nil)
		hash, steps := z.plan("")
		if len(steps) != 2 {
			z.T.Fatalf("the plan is %v", steps)
		}
		refuseSecond := func(status int) {
			n := 0
			z.account.Refuse(func(method, _ string) int {
				if method != http.MethodPost && method != http.MethodPut {
					return 0
				}
				if n++; n == 2 { // what is undone then is accepted
					return status
				}
				return 0
			})
		}
		z.owner.Post(z.at+"/dns", z.body(hash)).Want(z.T, 202)
		refuseSecond(403)
		if reason := z.work(); !strings.Contains(reason, "refused the token") || !strings.Contains(reason, "are as they were") {
			z.T.Errorf("the second of two is refused: %s", reason)
		}
		z.want()
		if got := z.owner.Get(z.at+"/dns").Want(z.T, 200).Text("data", "attributes", "status"); got != "failed" {
			z.T.Errorf("the status is %s", got)
		}
		// One that does not answer is asked again, and goes on with what is left.
		z.account.Refuse(nil)
		hash, _ = z.plan("")
		z.owner.Post(z.at+"/dns", z.body(hash)).Want(z.T, 202)
		refuseSecond(503)
		if reason := z.work(); !strings.HasPrefix(reason, "later: ") {
			z.T.Errorf("a provider that is away: %s", reason)
		}
		z.account.Refuse(nil)
		if reason := z.work(); reason != "" {
			z.T.Error(reason)
		}
		z.want("one-too.example.com A "+z.host, "www.one-too.example.com A "+z.host)
		// What changed between the plan and the work is found by the work.
		hash, _ = z.plan("")
		z.owner.Post(z.at+"/dns", z.body(hash)).Want(z.T, 202)
		z.account.Edit("A", "www.one-too.example.com", "192.0.2.66")
		if reason := z.work(); !strings.Contains(reason, "Nothing was changed.") {
			z.T.Errorf("a record that was changed meanwhile: %s", reason)
		}
	})
}

// What can't be planned is refused with the field or the state that is in the way, and records of another organization's account are out of reach.
func TestRefusedPlans(t *testing.T) {
	t.Parallel()
	z := newZone(t, dns.Cloudflare, db.SQLite)
	plan := z.at + "/dns/plan"
	wantFields(t, z.owner.Get(plan), "dns_provider_id")
	wantFields(t, z.owner.Get(plan+"?dns_provider_id=first"), "dns_provider_id")
	wantFields(t, z.owner.Get(plan+"?dns_provider_id="+z.foreign.dnsProvider), "dns_provider_id")
	wantFields(t, z.owner.Post(z.at+"/dns", map[string]any{"dns_provider_id": number(z.foreign.dnsProvider), "plan": strings.Repeat("a", 64)}), "dns_provider_id")
	wantFields(t, z.owner.Post(z.at+"/dns", map[string]any{"dns_provider_id": number(z.provider), "plan": "a"}), "plan")
	wantFields(t, z.owner.Post(z.at+"/dns", z.body(strings.Repeat("a", 64), "www.example.com")), "replace")
	wantFields(t, z.owner.Post(z.at+"/dns", z.body(strings.Repeat("a", 64), "MX one-too.example.com")), "replace")
	wantFields(t, z.owner.Post(z.at+"/dns", z.body(strings.Repeat("a", 64))), "plan")
	z.owner.Post(z.at+"/dns/check", nil).Want(t, 409)
	z.set("UPDATE domains SET name = 'shop.example.org' WHERE id = $1", number(z.mine.domain)) // the account has no such zone
	wantFields(t, z.owner.Get(plan+"?dns_provider_id="+z.provider), "dns_provider_id")
	z.set("UPDATE domains SET name = 'one-too.example.com' WHERE id = $1", number(z.mine.domain))
	z.set("UPDATE servers SET ip_address = NULL WHERE id = $1", number(z.mine.server))
	if a := z.owner.Get(plan+"?dns_provider_id="+z.provider).Want(t, 409); !strings.Contains(string(a.Body), "not known yet") {
		t.Errorf("a server without an address: %s", a.Body)
	}
	wrong := z.owner.Post("/orgs/acme/dns-providers",
		map[string]any{"name": "Wrong", "provider": dns.Cloudflare, "secret": "wr0ng-token-of-another"}).Want(t, 201).ID()
	z.set("UPDATE servers SET ip_address = '198.51.100.77' WHERE id = $1", number(z.mine.server))
	a := z.owner.Get(plan + "?dns_provider_id=" + wrong)
	wantFields(t, a, "dns_provider_id")
	if strings.Contains(string(a.Body), "wr0ng") {
		t.Errorf("the token is quoted: %s", a.Body)
	}
}

// Two sites can't have one name: the second is refused until it names the record, and then the first no longer has it.
func TestTwoSitesClaimOneName(t *testing.T) {
	t.Parallel()
	z := newZone(t, dns.Cloudflare, db.SQLite)
	z.make()
	other := *z
	other.at = z.sites(z.other.server) + "/" + z.other.site + "/domains/" + z.other.domain
	z.set("UPDATE domains SET name = 'one-too.example.com', status = 'enabled' WHERE id = $1", number(z.other.domain))
	hash, steps := other.plan("")
	if len(steps) != 1 || !strings.HasPrefix(steps[0], "refuse A ") {
		t.Errorf("the plan is %v", steps)
	}
	wantFields(t, z.owner.Post(other.at+"/dns", z.body(hash)), "replace")
	hash, _ = other.plan("&replace=A+one-too.example.com")
	z.owner.Post(other.at+"/dns", z.body(hash, "A one-too.example.com")).Want(t, 202)
	if reason := other.work(); reason != "" {
		t.Error(reason)
	}
	now := z.account.Lines()
	z.set("DELETE FROM domains WHERE id = $1", number(z.mine.domain)) // its records are the other's
	z.watch()
	if diff := cmp.Diff(now, z.account.Lines()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// With a load balancer in front, the records lead to it, and back to the server when it goes. With keep, they stay.
func TestRecordsFollowABalancer(t *testing.T) {
	t.Parallel()
	z := newZone(t, dns.Cloudflare, db.SQLite)
	z.make()
	z.set("UPDATE domains SET name = 'one-too.example.com' WHERE site_id = $1", number(z.mine.balancerSite))
	z.set("UPDATE servers SET ip_address = '198.51.100.99' WHERE id = $1", number(z.mine.balancer))
	z.set("DELETE FROM load_balancing_nodes WHERE site_id = $1", number(z.mine.balancerSite))
	z.set(`INSERT INTO load_balancing_nodes (site_id, server_id, port, weight, backup, down, created_at, updated_at) VALUES ($1, $2, 80, 1, FALSE, FALSE, 0, 0)`,
		number(z.mine.balancerSite), number(z.mine.server))
	z.watch()
	if reason := z.work(); reason != "" {
		t.Error(reason)
	}
	z.want("one-too.example.com A 198.51.100.99")
	z.set("DELETE FROM load_balancing_nodes WHERE site_id = $1", number(z.mine.balancerSite))
	z.watch()
	if reason := z.work(); reason != "" {
		t.Error(reason)
	}
	z.want("one-too.example.com A " + z.host)
	z.owner.Delete(z.at+"/dns?keep=true").Want(t, 204)
	z.watch()
	z.want("one-too.example.com A " + z.host)
	if got := z.owner.Get(z.at+"/dns").Want(t, 200).Text("data", "attributes", "status"); got != "none" {
		t.Errorf("the status is %s", got)
	}
}

// end ends the newest work on the domain as the engine does it for a state.
func (z *zone) end(state job.State) (event string) {
	z.T.Helper()
	a := z.owner.Get(z.at+"/dns").Want(z.T, 200)
	z.Tx(func(ctx context.Context, tx *db.Tx) error {
		op, err := tx.Ungranted().GetOperation(ctx, number(a.Text("data", "meta", "operation", "id")))
		if err != nil {
			return err
		}
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: string(state), UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		return (&dnsrecord.Task{Store: z.App.Records.Store}).Aspect().Write(ctx, tx, op, state)
	})
	return "/orgs/acme/servers/" + z.mine.server + "/events/" + a.Text("data", "meta", "operation", "event_id")
}

// Work that is cancelled between two records leaves the one that it made, which is known as Hostler's. A retry is held to the plan that was agreed to, and a
// new plan goes on with what is left.
func TestCancelBetweenRecords(t *testing.T) {
	t.Parallel()
	zones(t, func(z *zone) {
		z.set("UPDATE domains SET status = 'enabled', www_redirect_type = 'from-www' WHERE id = $1", number(z.mine.domain))
		hash, _ := z.plan("")
		z.owner.Post(z.at+"/dns", z.body(hash)).Want(z.T, 202)
		n := 0
		z.account.Refuse(func(method, _ string) int {
			if method == http.MethodGet {
				return 0
			}
			if n++; n == 2 {
				return http.StatusServiceUnavailable
			}
			return 0
		})
		if reason := z.work(); !strings.HasPrefix(reason, "later: ") {
			z.T.Fatalf("a provider that is away: %s", reason)
		}
		z.account.Refuse(nil)
		z.owner.Delete(z.at+"/dns").Want(z.T, 409) // it is being changed
		event := z.end(job.Cancelled)
		z.want("one-too.example.com A " + z.host)
		a := z.owner.Get(z.at+"/dns").Want(z.T, 200)
		if a.Text("data", "attributes", "status") != "failed" || a.Text("data", "attributes", "records", 0, "name") != "one-too.example.com" {
			z.T.Errorf("after it was cancelled: %s", a.Body)
		}
		z.watch() // what was asked for is as it was: no work begins
		z.want("one-too.example.com A " + z.host)
		z.owner.Post(event+"/retry", nil).Want(z.T, 202)
		z.owner.Post(event+"/retry", nil).Want(z.T, 409)
		if reason := z.work(); !strings.Contains(reason, "Look at the plan again") {
			z.T.Errorf("a retry with another plan: %q", reason)
		}
		z.want("one-too.example.com A " + z.host)
		hash, steps := z.plan("")
		if diff := cmp.Diff([]string{"keep A one-too.example.com " + z.host, "create A www.one-too.example.com " + z.host}, steps); diff != "" {
			z.T.Errorf("the plan of what is left (-want +got):\n%s", diff)
		}
		z.owner.Post(z.at+"/dns", z.body(hash)).Want(z.T, 202)
		if reason := z.work(); reason != "" {
			z.T.Error(reason)
		}
		z.want("one-too.example.com A "+z.host, "www.one-too.example.com A "+z.host)
		// A removal that was cancelled is retried as it was.
		z.owner.Delete(z.at+"/dns").Want(z.T, 204)
		event = z.end(job.Cancelled)
		z.owner.Post(event+"/retry", nil).Want(z.T, 202)
		if reason := z.work(); reason != "" {
			z.T.Error(reason)
		}
		z.want()
	})
}

// With two load balancers in front, nothing is chosen: the plan is refused, and records that are there stay until one of the balancers is gone.
func TestTwoBalancers(t *testing.T) {
	t.Parallel()
	z := newZone(t, dns.Cloudflare, db.SQLite)
	z.make()
	for i, site := range []string{z.mine.balancerSite, z.other.balancerSite} {
		z.set("UPDATE domains SET name = 'one-too.example.com' WHERE site_id = $1", number(site))
		z.set("DELETE FROM load_balancing_nodes WHERE site_id = $1", number(site))
		z.set(`INSERT INTO load_balancing_nodes (site_id, server_id, port, weight, backup, down, created_at, updated_at) VALUES ($1, $2, 80, 1, FALSE, FALSE, 0, 0)`,
			number(site), number(z.mine.server))
		z.set("UPDATE servers SET ip_address = $1 WHERE id = $2", fmt.Sprintf("198.51.100.9%d", i), number([]string{z.mine.balancer, z.other.balancer}[i]))
	}
	if a := z.owner.Get(z.at+"/dns/plan").Want(t, 409); !strings.Contains(string(a.Body), "Several load balancers") {
		t.Errorf("the plan: %s", a.Body)
	}
	z.owner.Post(z.at+"/dns", z.body(strings.Repeat("a", 64))).Want(t, 409)
	z.watch()
	z.want("one-too.example.com A " + z.host)
	z.set("DELETE FROM load_balancing_nodes WHERE site_id = $1", number(z.other.balancerSite))
	z.watch()
	if reason := z.work(); reason != "" {
		t.Error(reason)
	}
	z.want("one-too.example.com A 198.51.100.90")
}

// The records of an archived server's sites stay as they are, and nothing follows. A request to remove them is refused with the reason.
func TestRecordsOfAnArchivedServer(t *testing.T) {
	t.Parallel()
	z := newZone(t, dns.Cloudflare, db.SQLite)
	z.make()
	z.set("UPDATE servers SET status = 'archived', is_ready = FALSE, revoked = TRUE, ip_address = '198.51.100.77' WHERE id = $1", number(z.mine.server))
	z.watch()
	z.want("one-too.example.com A " + z.host)
	hash, _ := z.plan("")
	z.owner.Post(z.at+"/dns", z.body(hash)).Want(t, 409)
	if a := z.owner.Delete(z.at+"/dns").Want(t, 409); !strings.Contains(string(a.Body), "archived") {
		t.Errorf("removing them: %s", a.Body)
	}
	z.want("one-too.example.com A " + z.host)
	// Once the server is deleted, they go.
	z.set("DELETE FROM domains WHERE id = $1", number(z.mine.domain))
	z.watch()
	z.want()
}

// Work on records needs the right to manage sites' domains, also while it waits: that which a person asked for and that which Hostler begins itself.
func TestRecordsNeedTheRight(t *testing.T) {
	t.Parallel()
	z := newZone(t, dns.Cloudflare, db.SQLite)
	z.make()
	z.set("UPDATE servers SET ip_address = '198.51.100.77' WHERE id = $1", number(z.mine.server))
	z.watch()
	z.serviceBegan(t, "domainDNS", access.SiteMeta)
	if reason := z.work(); reason != "" {
		t.Fatal(reason)
	}
	hash, _ := z.plan("")
	asked := z.owner.Post(z.at+"/dns", z.body(hash)).Want(t, 202)
	z.Tx(func(ctx context.Context, tx *db.Tx) error {
		op, err := tx.Ungranted().GetOperation(ctx, number(asked.Text("data", "meta", "operation", "id")))
		if err != nil {
			return err
		}
		if op.AskedBy == nil || !cmp.Equal(job.Needs(op), []access.Permission{access.SiteMeta}) {
			t.Errorf("the work is asked for by %v, and needs %v", op.AskedBy, job.Needs(op))
		}
		return nil
	})
	// Who may only look can neither plan nor cancel it, and a provider of another organization's stays closed.
	z.viewer.Get(z.at+"/dns/plan").Want(t, 403)
	z.viewer.Post("/orgs/acme/servers/"+z.mine.server+"/events/"+asked.Text("data", "meta", "operation", "event_id")+"/cancel", nil).Want(t, 403)
	z.stranger.Get(z.at+"/dns/plan").Want(t, 404)
}

// stepsTo are the steps of a path in the attributes: records.0.state.
func stepsTo(path string) []any {
	out := []any{"data", "attributes"}
	for _, part := range strings.Split(path, ".") {
		if part == "0" {
			out = append(out, 0)
			continue
		}
		out = append(out, part)
	}
	return out
}
