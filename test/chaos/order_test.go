package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// Whichever call to a provider the program is killed at, before or after the provider did what it was asked, each server is ordered once, and destroyed.
// The stand-in of the provider is outside of the program: it kills it when the call arrives, and starts it again.
func TestOrdersSurviveKills(t *testing.T) {
	t.Parallel()
	for i, provider := range []string{cloud.DigitalOcean, cloud.Hetzner, cloud.Vultr, cloud.Akamai, cloud.AWS} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			cases := 2
			if full() {
				cases = 20
			}
			killsDuringOrders(t, provider, "", cases, uint64(i))
		})
	}
	t.Run("on PostgreSQL", func(t *testing.T) {
		t.Parallel()
		cases := 1
		if full() {
			cases = 10
		}
		killsDuringOrders(t, cloud.Vultr, pgtest.Database(t, "empty", nil), cases, 5) // which has servers of one name, and does not list their orders
	})
}

// orders are servers at one provider, ordered one after the other by a program that is killed.
type orders struct {
	*testing.T
	p        *panel.Panel
	provider string
	fake     *cloudtest.Cloud
}

func killsDuringOrders(t *testing.T, provider, database string, cases int, stream uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed(t), stream))
	o := &orders{T: t, provider: provider, fake: cloudtest.New(provider)}
	o.fake.RetryAfter = "1"
	var boots sync.WaitGroup
	o.fake.Boot = func(m cloudtest.Machine) string {
		boots.Go(func() {
			ctx, end := context.WithTimeout(t.Context(), 2*time.Minute)
			defer end()
			if _, err := cloudtest.FirstBoot(ctx, m); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
		return ""
	}
	var err error
	o.p, err = panel.OnDatabase(panel.Program(t, "hostler"), "127.0.0.1", database, "--allow-local-servers", "--cloud-every", "50ms",
		"--cloud-endpoint", provider+"="+o.fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log:\n%s", o.p.Log())
		}
		o.p.Close()
		o.fake.Close()
		boots.Wait()
	})
	calls, missed := o.life("plain", func(string) {}), 0
	for i := range cases {
		at, done, slow := 1+i*calls/cases+random.IntN(max(1, calls/cases)), random.IntN(2) == 1, random.IntN(3)
		name := fmt.Sprintf("%d-killed-%d-of-%d-%t-%d", i, at, calls, done, slow)
		killed := make(chan struct{})
		o.life(name, func(token string) {
			o.fake.Slow(token, slow)
			o.fake.End(token, at, done, func() {
				o.p.Kill()
				if err := o.p.Up(); err != nil {
					t.Error(err)
				}
				close(killed)
			})
		})
		select {
		case <-killed:
		default: // it needed fewer calls than the first
			missed++
		}
		if t.Failed() {
			t.Fatalf("%s failed", name)
		}
	}
	if t.Logf("%d servers with %d calls each, the program was killed during %d of them", cases, calls, cases-missed); missed > cases/4 {
		t.Errorf("%d of %d programs were not killed", missed, cases)
	}
}

// want asks the API until it answers, which it does once however often it is asked.
func (o *orders) want(code int, path, key string, body any) panel.Answer {
	o.Helper()
	var last error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		a, err := o.p.DoOnce(http.MethodPost, path, key, body)
		if last = err; err != nil || a.Code >= http.StatusInternalServerError { // it is down
			continue
		}
		if a.Code != code {
			o.Fatalf("POST %s answered %d: %s", path, a.Code, a.Body)
		}
		return a
	}
	o.Fatalf("POST %s: %v", path, last)
	return panel.Answer{}
}

// life orders a server with an account of its own, waits until it has called, and deletes it. It returns how many calls the provider had.
func (o *orders) life(token string, accident func(token string)) (calls int) {
	o.Helper()
	account, err := strconv.Atoi(o.want(http.StatusCreated, "/server-credentials", token, o.fake.Credential(token)).Data.ID)
	if err != nil {
		o.Fatal(err)
	}
	o.fake.Calls(token)
	accident(token)
	id := o.want(http.StatusAccepted, "/servers", token, map[string]any{
		"name": token[:min(len(token), 30)], "type": "web", "provider": o.provider,
		"credential_id": account, o.provider: o.fake.Place(),
	}).Data.ID
	known := o.until(token, id, "known", func(a panel.Answer) bool {
		return a.Data.Meta.Provisioning == "provisioning" && a.Data.Operation().Step == "look at the server"
	})
	has := o.fake.Machines(token)
	if len(has) != 1 || has[0].ID != known.Data.Text("identifier") || has[0].Address != known.Data.Text("ip_address") {
		o.Errorf("%s: at the provider is %+v, known is %s", token, has, known.Body)
	}
	o.until(token, id, "deleted", func(panel.Answer) bool {
		a, err := o.p.Do(http.MethodDelete, "/servers/"+id, nil)
		return err == nil && (a.Code == http.StatusAccepted || a.Code == http.StatusNotFound)
	})
	o.until(token, id, "gone", func(a panel.Answer) bool { return a.Code == http.StatusNotFound })
	if left, ordered := o.fake.Machines(token), o.fake.Ordered(token); len(left) != 0 || ordered != 1 {
		o.Errorf("%s: %d servers were ordered, and %+v are left", token, ordered, left)
	}
	return len(o.fake.Calls(token))
}

// until reads a server until it is as it should be. Where the work waits for two minutes, they pass.
func (o *orders) until(token, id, what string, ok func(panel.Answer) bool) (now panel.Answer) {
	o.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		a, err := o.p.Do(http.MethodGet, "/servers/"+id, nil)
		if err != nil || a.Code >= http.StatusInternalServerError { // it is down
			continue
		}
		if now = a; ok(now) {
			return now
		}
		if reason := now.Data.Operation().Reason; strings.Contains(reason, "It is unknown") || strings.Contains(reason, "does not list") {
			if _, err := o.p.DB(o).Exec("UPDATE server_orders SET sent_at = sent_at - 180000000 WHERE server_id = " + id + " AND sent_at > 0"); err != nil {
				o.Fatal(err)
			}
			time.Sleep(time.Second)
		}
	}
	o.Fatalf("%s: the server is not %s: %s", token, what, now.Body)
	return now
}
