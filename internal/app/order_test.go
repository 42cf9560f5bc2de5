package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// forward is the machine's clock, put forward.
type forward struct{ by atomic.Int64 }

func (c *forward) Now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

// customer is an installation whose work is done, and its account at a provider.
type customer struct {
	*testing.T
	provider, token string
	bearer          string
	fake            *cloudtest.Cloud
	clock           *forward
	credential      int64
	config          app.Config
	front           *httptest.Server
	silent          atomic.Bool // servers don't call when they boot
	accident        func()      // is prepared once the account is connected

	handler atomic.Pointer[http.Handler]
	end     context.CancelFunc
	ended   chan error
	store   *app.Store
}

// installed is a data directory with an owner, an organization and a token of all rights.
var installed = sync.OnceValues(func() ([2]string, error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "order")
	if err != nil {
		return [2]string{}, err
	}
	s, err := app.OpenStore(ctx, app.Config{DataDir: dir})
	if err != nil {
		return [2]string{}, err
	}
	var bearer string
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		owner, err := account.CreateUser(ctx, tx, "Owner", "owner@example.com", "correct horse battery staple")
		if err != nil {
			return err
		}
		if _, err := organization.Create(ctx, tx, "acme", "acme", owner.ID); err != nil {
			return err
		}
		made, _, err := account.CreateToken(ctx, tx, owner.ID, "test", access.SetOf(access.All()...), nil)
		bearer = made.Reveal()
		return err
	})
	if err != nil {
		return [2]string{}, err
	}
	return [2]string{dir, bearer}, s.Close()
})

func newCustomer(t *testing.T, fake *cloudtest.Cloud, provider string, change ...func(*app.Config)) *customer {
	t.Helper()
	from, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	c := &customer{T: t, provider: provider, token: strings.ReplaceAll(t.Name(), "/", "-"), bearer: from[1], fake: fake, clock: &forward{}}
	c.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if h := c.handler.Load(); h != nil {
			(*h).ServeHTTP(w, req)
			return
		}
		http.Error(w, "down", http.StatusServiceUnavailable)
	}))
	c.config = app.Config{
		DataDir: t.TempDir(), BaseURL: c.front.URL, Listen: "127.0.0.1:0", RateLimit: 1_000_000, AllowPrivateEndpoints: true,
		AllowLocalServers: true,
		Clouds:            map[string]string{provider: fake.URL}, CloudEvery: 10 * time.Millisecond, Agents: host.Binaries{"amd64": {}},
	}
	for _, name := range []string{"hostler.db", "master.key"} {
		raw, err := os.ReadFile(filepath.Join(from[0], name))
		if err == nil {
			err = os.WriteFile(filepath.Join(c.config.DataDir, name), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range change {
		f(&c.config)
	}
	c.start()
	t.Cleanup(func() {
		c.stop()
		c.front.Close()
	})
	return c
}

func (c *customer) start() {
	store, err := app.OpenStore(context.Background(), c.config)
	if err != nil {
		c.Error(err)
		return
	}
	store.DB.Clock = c.clock
	a, err := app.New(c.config, store, slog.New(slog.DiscardHandler))
	if err != nil {
		c.Error(err)
		return
	}
	ctx, end := context.WithCancel(context.Background())
	l, err := a.Listen(ctx)
	if err != nil {
		c.Error(err)
	}
	c.store, c.end, c.ended = store, end, make(chan error, 1)
	h := a.Handler()
	go func() {
		c.ended <- a.Serve(ctx, l, func() error {
			c.handler.Store(&h)
			return nil
		})
	}()
}

func (c *customer) stop() {
	c.handler.Store(nil)
	c.end()
	<-c.ended
	_ = c.store.Close()
}

// orderAnswer is a document of the API.
type orderAnswer struct {
	status int
	body   string
	Data   struct {
		ID         string
		Attributes map[string]any
		Meta       struct {
			Provisioning string
			Bootstrap    map[string]any
			Operation    struct {
				State, Step, Reason, Action string
				EventID                     string `json:"event_id"`
			}
		}
	}
}

func (c *customer) call(method, path string, body any) (out orderAnswer) {
	raw, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	for range 600 {
		req, err := http.NewRequestWithContext(context.Background(), method, c.front.URL+"/api/orgs/acme"+path, bytes.NewReader(raw))
		if err != nil {
			c.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.bearer)
		if body != nil {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			c.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusInternalServerError && method == http.MethodGet { // the program is down
			time.Sleep(50 * time.Millisecond) // it is started again by the test; nothing tells when it listens
			continue
		}
		out.status, out.body = resp.StatusCode, string(text)
		_ = json.Unmarshal(text, &out) // an empty answer has no document
		return out
	}
	c.Fatalf("%s %s: the program stays down", method, path)
	return out
}

// until reads a server until it is as it should be. Where the work waits for two minutes, they pass.
func (c *customer) until(id, what string, ok func(orderAnswer) bool) orderAnswer {
	c.Helper()
	var now orderAnswer
	// The API is polled, as a customer does: the test stands outside of the program.
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now = c.call(http.MethodGet, "/servers/"+id, nil); ok(now) {
			return now
		}
		if op := now.Data.Meta.Operation; strings.Contains(op.Reason, "It is unknown") || strings.Contains(op.Reason, "does not list") {
			c.clock.by.Add(int64(3 * time.Minute))
			time.Sleep(time.Second) // the program has to look at its clock before it moves again
		}
	}
	c.Fatalf("the server is not %s: %s", what, now.body)
	return now
}

// create connects the account, and asks for a server.
func (c *customer) create() (id string) {
	c.Helper()
	made := c.call(http.MethodPost, "/server-credentials", c.fake.Credential(c.token))
	if made.status != http.StatusCreated {
		c.Fatalf("the credential: %d %s", made.status, made.body)
	}
	c.fake.Calls(c.token)
	if c.accident != nil {
		c.accident()
	}
	_, _ = fmt.Sscan(made.Data.ID, &c.credential)
	return c.again("web-1")
}

// again asks for a server with the account that is connected.
func (c *customer) again(name string) (id string) {
	c.Helper()
	a := c.call(http.MethodPost, "/servers", map[string]any{
		"name": name, "provider": c.provider, "credential_id": c.credential, "type": "web",
		c.provider: c.fake.Place(),
	})
	if a.status != http.StatusAccepted || a.Data.Meta.Provisioning != "creating" || a.Data.Meta.Bootstrap != nil {
		c.Fatalf("create: %d %s", a.status, a.body)
	}
	return a.Data.ID
}

// known waits until the server has called. There is then one at the provider, the one that is known.
func (c *customer) known(id string) orderAnswer {
	c.Helper()
	a := c.until(id, "known", func(a orderAnswer) bool {
		return a.Data.Meta.Provisioning == "provisioning" && a.Data.Attributes["ip_address"] != nil && a.Data.Meta.Operation.Step == "look at the server"
	})
	has := c.fake.Machines(c.token)
	if len(has) != 1 || has[0].ID != a.Data.Attributes["identifier"] || has[0].Address != a.Data.Attributes["ip_address"] {
		c.Errorf("at the provider is %+v, known is %s", has, a.body)
	}
	if c.provider == cloud.Hetzner && len(has) == 1 && !has[0].BackedUp {
		c.Error("there are no backups of it")
	}
	return a
}

func (c *customer) destroy(id string) {
	c.Helper()
	if a := c.call(http.MethodDelete, "/servers/"+id, nil); a.status != http.StatusAccepted && a.status != http.StatusNotFound {
		c.Fatalf("delete: %d %s", a.status, a.body)
	}
	c.until(id, "gone", func(a orderAnswer) bool { return a.status == http.StatusNotFound })
	if has := c.fake.Machines(c.token); len(has) != 0 {
		c.Errorf("the provider still has %+v", has)
	}
}

// boot does what the first boot of a server does, until Hostler answers or the test ends.
func (c *customer) boot(m cloudtest.Machine) (status int) {
	ctx, end := context.WithTimeout(c.Context(), time.Minute)
	defer end()
	status, err := cloudtest.FirstBoot(ctx, m)
	if err != nil && ctx.Err() == nil {
		c.Error(err)
	}
	return status
}

// providers runs a test with each provider's stand-in, whose servers call the installations that they were ordered by.
func providers(t *testing.T, test func(t *testing.T, provider string, fake *cloudtest.Cloud, start func(t *testing.T) *customer)) {
	t.Helper()
	for _, provider := range []string{cloud.DigitalOcean, cloud.Hetzner, cloud.Vultr, cloud.Akamai, cloud.AWS} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			fake := cloudtest.New(provider)
			fake.RetryAfter = "1"
			var customers sync.Map
			var calls sync.WaitGroup
			fake.Boot = func(m cloudtest.Machine) string {
				customers.Range(func(url, c any) bool {
					if c := c.(*customer); strings.Contains(m.UserData, url.(string)+"/") && !c.silent.Load() {
						calls.Go(func() { c.boot(m) })
					}
					return true
				})
				return ""
			}
			t.Cleanup(func() {
				fake.Close()
				calls.Wait()
			})
			test(t, provider, fake, func(t *testing.T) *customer {
				t.Helper()
				c := newCustomer(t, fake, provider)
				customers.Store(c.front.URL, c)
				return c
			})
		})
	}
}

// casesOfEach returns how many lives a server has at each provider, each with another accident: all of them with HOSTLER_CHAOS=full, else a few that
// are spread over its calls.
func casesOfEach() int {
	if os.Getenv("HOSTLER_CHAOS") == "full" {
		return 20
	}
	return len(accidents)
}

var accidents = []struct {
	name  string
	fault cloudtest.Fault
}{{"lost", cloudtest.Lost}, {"partial", cloudtest.Partial}, {"broken", cloudtest.Broken}, {"limited", cloudtest.Limited}}

// Whatever is wrong with the answer to whatever call, each server is ordered once, and destroyed: no order is lost or repeated. TestOrdersSurviveKills in
// test/chaos kills the program at the same calls.
func TestOrdersSurvive(t *testing.T) {
	t.Parallel()
	providers(t, func(t *testing.T, provider string, fake *cloudtest.Cloud, start func(t *testing.T) *customer) {
		plain := start(t)
		plain.destroyed(plain.create())
		calls := len(fake.Calls(plain.token))
		if n := fake.Ordered(plain.token); n != 1 {
			t.Fatalf("%d servers were ordered without an accident", n)
		}
		cases := casesOfEach()
		for i := range cases {
			seed := rand.New(rand.NewPCG(uint64(i), uint64(len(provider))))
			at, accident, slow := 1+i*calls/cases, accidents[i%len(accidents)], seed.IntN(3)
			t.Run(fmt.Sprintf("%d of %d, %s, slow %d", at, calls, accident.name, slow), func(t *testing.T) {
				t.Parallel()
				c := start(t)
				fake.Slow(c.token, slow)
				c.accident = func() { fake.Fail(c.token, append(make([]cloudtest.Fault, at-1), accident.fault)...) }
				c.destroyed(c.create())
				if n := fake.Ordered(c.token); n != 1 {
					t.Errorf("%d servers were ordered", n)
				}
			})
		}
	})
}

// destroyed waits until a server is known, and destroys it.
func (c *customer) destroyed(id string) {
	c.Helper()
	c.known(id)
	c.destroy(id)
}

// What can't be created is not left at the provider, and the reason is what the provider says. Another attempt orders again.
func TestFailedOrders(t *testing.T) {
	t.Parallel()
	providers(t, func(t *testing.T, _ string, fake *cloudtest.Cloud, start func(t *testing.T) *customer) {
		failed := func(c *customer, id, reason string) {
			c.Helper()
			a := c.until(id, "failed", func(a orderAnswer) bool { return a.Data.Meta.Operation.State == "failed" })
			if op := a.Data.Meta.Operation; !strings.Contains(op.Reason, reason) || a.Data.Meta.Provisioning != "failed" {
				c.Errorf("the reason is not %q: %s", reason, a.body)
			}
			c.until(id, "released", func(a orderAnswer) bool {
				return a.Data.Attributes["identifier"] == nil && len(fake.Machines(c.token)) == 0
			})
		}
		again := func(c *customer, id string) {
			c.Helper()
			op := c.call(http.MethodGet, "/servers/"+id, nil).Data.Meta.Operation
			if a := c.call(http.MethodPost, "/servers/"+id+"/events/"+op.EventID+"/retry", nil); a.status != http.StatusAccepted {
				c.Fatalf("retry: %d %s", a.status, a.body)
			}
		}
		t.Run("sold out", func(t *testing.T) {
			t.Parallel()
			c := start(t)
			fake.SellOut(c.token, true)
			id := c.create()
			failed(c, id, "There is nothing left of this size here.")
			if n := fake.Ordered(c.token); n != 0 {
				t.Errorf("%d servers were ordered", n)
			}
			fake.SellOut(c.token, false)
			again(c, id)
			c.destroyed(id)
		})
		t.Run("silent", func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.silent.Store(true)
			id := c.create()
			c.until(id, "booting", func(a orderAnswer) bool { return a.Data.Meta.Operation.Reason == "The server boots." })
			first := fake.Machines(c.token)[0]
			c.clock.by.Add(int64(31 * time.Minute))
			failed(c, id, "The deadline passed. Last: The server boots.")
			if status := c.boot(first); status != http.StatusForbidden {
				t.Errorf("the call of a server that was given up is answered with %d", status)
			}
			c.silent.Store(false)
			again(c, id)
			c.known(id)
			if now := fake.Machines(c.token)[0]; now.Name == first.Name || fake.Ordered(c.token) != 2 {
				t.Errorf("%d servers were ordered, the second is %q", fake.Ordered(c.token), now.Name)
			}
			c.destroy(id)
		})
		t.Run("deleted at once", func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.silent.Store(true)
			fake.Slow(c.token, 3)
			c.destroy(c.create())
		})
		t.Run("preserved", func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.silent.Store(true)
			id := c.create()
			c.until(id, "ordered", func(a orderAnswer) bool { return a.Data.Meta.Operation.Step == "wait for its first call" })
			if a := c.call(http.MethodDelete, "/servers/"+id+"?preserve_at_provider=yes", nil); a.status != http.StatusUnprocessableEntity {
				t.Errorf("a wish that can't be read is answered with %d", a.status)
			}
			c.call(http.MethodDelete, "/servers/"+id+"?preserve_at_provider=true", nil)
			c.until(id, "gone", func(a orderAnswer) bool { return a.status == http.StatusNotFound })
			if has := fake.Machines(c.token); len(has) != 1 {
				t.Errorf("at the provider are %+v", has)
			}
		})
		t.Run("not allowed to destroy", func(t *testing.T) {
			t.Parallel()
			c := start(t)
			id := c.create()
			c.known(id)
			fake.Fail(c.token, cloudtest.Forbidden)
			c.call(http.MethodDelete, "/servers/"+id, nil)
			c.until(id, "kept", func(a orderAnswer) bool {
				return a.Data.Meta.Operation.State == "failed" && strings.Contains(a.Data.Meta.Operation.Reason, "You are not authorized to perform this operation.")
			})
			if has := fake.Machines(c.token); len(has) != 1 {
				t.Errorf("at the provider are %+v", has)
			}
			c.destroy(id)
		})
	})
}

// A server is known by the first call alone: what can read its user data later has nothing.
func TestTheSecretDiesWithTheFirstCall(t *testing.T) {
	t.Parallel()
	providers(t, func(t *testing.T, _ string, fake *cloudtest.Cloud, start func(t *testing.T) *customer) {
		c := start(t)
		id := c.create()
		c.known(id)
		one := fake.Machines(c.token)[0]
		if status := c.boot(one); status != http.StatusForbidden {
			t.Errorf("a second call is answered with %d", status)
		}
		for _, text := range []string{"PRIVATE KEY", c.bearer, c.token} {
			if strings.Contains(one.UserData, text) {
				t.Errorf("the user data has %q", text)
			}
		}
		c.destroy(id)
	})
}

// A provider's answer can't have Hostler log in to itself, to its link, to the metadata service of its cloud, or to a server that there is already: the order
// ends with the reason, no address is kept, and the machine is given back.
func TestProviderGivesAddressesOfOthers(t *testing.T) {
	t.Parallel()
	const mine = "203.0.113.7"
	for i, c := range []struct{ address, reason string }{
		{"127.0.0.1", ""},
		{"127.8.8.8", ""},
		{"169.254.169.254", ""},
		{"169.254.0.1", ""},
		{"224.0.0.1", ""},
		{"255.255.255.255", ""},
		{"::1", ""},
		{"::", ""},
		{"::ffff:127.0.0.1", ""},
		{"::ffff:a9fe:a9fe", ""},
		{"fe80::1", ""},
		{"fd00:ec2::254", ""},
		{
			"64:ff9b::7f00:1",
			"",
		},
		{"2002:7f00:1::", ""},
		{"ff02::1", ""},
		{mine, "Another server of your organization has the address " + mine},
		{"::ffff:" + mine, "Another server of your organization has the address"},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			fake := cloudtest.New(cloud.Vultr)
			fake.RetryAfter = "1"
			fake.Boot = func(cloudtest.Machine) string { return c.address }
			t.Cleanup(fake.Close)
			cust := newCustomer(t, fake, cloud.Vultr, func(c *app.Config) { c.AllowLocalServers = false })
			id := cust.create()
			if strings.Contains(c.address, mine) { // the first server that has it is not known to be another's
				cust.until(id, "waited for", func(a orderAnswer) bool { return a.Data.Attributes["ip_address"] == mine })
				id = cust.again("web-2")
			}
			a := cust.until(id, "failed", func(a orderAnswer) bool { return a.Data.Meta.Operation.State == "failed" })
			reason := c.reason
			if reason == "" {
				reason = "which is none of another machine"
			}
			if op := a.Data.Meta.Operation; !strings.Contains(op.Reason, reason) || a.Data.Attributes["ip_address"] != nil {
				t.Errorf("for the address %s: %s", c.address, a.body)
			}
			cust.until(id, "released", func(a orderAnswer) bool {
				left := 0
				if c.reason != "" {
					left = 1 // the first one
				}
				return a.Data.Attributes["identifier"] == nil && len(fake.Machines(cust.token)) == left
			})
		})
	}
}
