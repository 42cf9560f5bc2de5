package chaos_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// crowd is forty clients of one server that get in each other's way.
type crowd struct {
	*hostWalker
	until   time.Time
	member  string       // another person's token, whose role changes
	user    string       // the other person
	browser *http.Client // the owner's

	mu      sync.Mutex
	took    []time.Duration
	answers map[string]int // by "POST 202"
	wrong   []string
}

// Forty clients change one server for three minutes (HOSTLER_CROWD_FOR), on two replicas and PostgreSQL with the settings of an installation: conflicting
// creations, updates and deletions, cancels, retries, dry runs, a server that is handed to another organization and back, roles and tokens that are taken
// away. Each is answered, and in time; at the end all work has ended, and the host is what the rows say.
func TestFortyClientsOfOneServer(t *testing.T) {
	lasts := 3 * time.Minute
	if text := os.Getenv("HOSTLER_CROWD_FOR"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatalf("HOSTLER_CROWD_FOR: %v", err)
		}
	} else if !full() {
		t.Skip("skipped TestFortyClientsOfOneServer: it takes a quarter of an hour; HOSTLER_CHAOS=full or HOSTLER_CROWD_FOR runs it")
	}
	panel.BuildTenantImage(t)
	random := seeded(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.TenantImage), hosts.Fresh())
	c := &crowd{hostWalker: newHostWalker(t, bed.Host(1), hostNouns, 2), answers: map[string]int{}}
	c.people()
	c.until = time.Now().Add(lasts)
	var clients sync.WaitGroup
	for n := range 40 {
		random := rand.New(rand.NewPCG(random.Uint64(), 0))
		clients.Go(func() {
			for time.Now().Before(c.until) {
				c.move(n, random)
			}
		})
	}
	clients.Wait()
	c.ended()
}

// people adds a second organization of the owner, and a second person.
func (c *crowd) people() {
	c.t.Helper()
	run := func(args ...string) string {
		cmd := exec.Command(panel.Program(c.t, "hostler"), append(args, c.p.Where()...)...)
		cmd.Stdin = strings.NewReader("correct horse battery staple\n")
		out, err := cmd.CombinedOutput()
		if err != nil {
			c.t.Fatalf("hostler %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("org", "create", "second", "--owner", "owner@example.com")
	run("user", "create", "--email", "other@example.com", "--password-stdin")
	c.member = run("token", "create", "--user", "other@example.com", "--scope", "*")
	c.p.SQL(c.t, `INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at)
		SELECT o.id, u.id, 2, 1, 1 FROM organizations o, users u WHERE o.slug = ? AND u.email = ?`, panel.Org, "other@example.com")
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.browser = &http.Client{Jar: jar, Timeout: 20 * time.Second}
	c.signedIn(http.MethodPost, "/auth/login", `{"email":"owner@example.com","password":"correct horse battery staple"}`)
	c.user = c.p.Rows(c.t, "SELECT id FROM users WHERE email = ?", "other@example.com")[0][0]
}

// ask makes a request and keeps what came of it: it has to be answered in time, and not by a failure of the panel.
func (c *crowd) ask(p *panel.Panel, method, path string, body any) panel.Answer {
	began := time.Now()
	a, err := p.Do(method, path, body)
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, took)
	c.answers[fmt.Sprintf("%s %d", method, a.Code)]++
	if err != nil || a.Code >= 500 {
		c.wrong = append(c.wrong, fmt.Sprintf("%s %s after %v: %d %v %s", method, path, took, a.Code, err, a.Body))
	}
	return a
}

// move is one of the things that a client does.
func (c *crowd) move(client int, random *rand.Rand) {
	p := c.p
	if client%4 == 3 {
		p = c.p.With(c.member)
	}
	d := c.nouns[random.IntN(len(c.nouns))]
	mark := d.mark(fmt.Sprint(32000 + random.IntN(6)))
	path, body := d.create(c.hostWalker, mark)
	one := func() string {
		list := c.ask(p, http.MethodGet, path+"?page[size]=50", nil).List
		if len(list) == 0 {
			return ""
		}
		return list[random.IntN(len(list))].ID
	}
	switch n := random.IntN(100); {
	case n < 40:
		c.ask(p, http.MethodPost, path, body)
	case n < 50:
		c.ask(p, http.MethodPost, path+"?dry_run=true", body)
	case n < 65 && d.update != nil:
		if id := one(); id != "" && id != c.site {
			c.ask(p, http.MethodPut, d.path(c.hostWalker)+"/"+id, d.update(mark))
		}
	case n < 85:
		if id := one(); id != "" && id != c.site {
			c.ask(p, http.MethodDelete, d.path(c.hostWalker)+"/"+id, nil)
		}
	case n < 95:
		events := c.ask(p, http.MethodGet, c.server.Path("/events?sort=-created_at&page[size]=20"), nil).List
		if len(events) > 0 {
			event := c.server.Path("/events/" + events[random.IntN(len(events))].ID)
			c.ask(p, http.MethodPost, event+[]string{"/cancel", "/retry"}[random.IntN(2)], nil)
		}
	case n < 97:
		c.ask(c.p, http.MethodPut, "/members/"+c.user, map[string]any{"role_id": []int{2, 4, 5}[random.IntN(3)]})
	case n < 99:
		c.token()
	default:
		c.handOver(random)
	}
}

// token makes a token, uses it and takes it away: then it does nothing.
func (c *crowd) token() {
	made := c.signedIn(http.MethodPost, "/user/tokens", `{"name":"crowd","scopes":["server:view"],"password":"correct horse battery staple"}`)
	if made.Data.ID == "" {
		return
	}
	p := c.p.With(made.Data.Meta.ShownOnce.Token)
	if a := c.ask(p, http.MethodGet, c.server.Path(""), nil); a.Code == http.StatusUnauthorized {
		c.fault("a new token is answered %d", a.Code)
	}
	c.signedIn(http.MethodDelete, "/user/tokens/"+made.Data.ID, "")
	if a := c.ask(p, http.MethodGet, c.server.Path(""), nil); a.Code != http.StatusUnauthorized {
		c.fault("a token that was taken away is answered %d", a.Code)
	}
}

// shownToken is what an answer to a new token tells.
type shownToken struct {
	Data struct {
		ID   string
		Meta struct {
			ShownOnce struct{ Token string } `json:"shown_once"`
		}
	}
}

// signedIn makes a request as the owner's browser does.
func (c *crowd) signedIn(method, path, body string) (out shownToken) {
	req, err := http.NewRequest(method, c.p.URL+"/api"+path, strings.NewReader(body))
	if err != nil {
		c.fault("%v", err)
		return out
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hostler-Csrf", "1")
	res, err := c.browser.Do(req)
	if err != nil {
		c.fault("%s %s: %v", method, path, err)
		return out
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 || len(raw) > 0 && json.Unmarshal(raw, &out) != nil {
		c.fault("%s %s: %d %v %s", method, path, res.StatusCode, err, raw)
	}
	return out
}

// fault keeps what must not happen.
func (c *crowd) fault(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// handOver gives the server to another organization and takes it back, where nothing is open.
func (c *crowd) handOver(random *rand.Rand) {
	c.ask(c.p, http.MethodGet, c.server.Path("/transfer?to=second"), nil)
	if random.IntN(4) > 0 {
		return
	}
	if a := c.ask(c.p, http.MethodPost, c.server.Path("/transfer"), map[string]any{"to": "second"}); a.Code != http.StatusOK {
		return
	}
	for range 100 {
		if a := c.ask(c.p, http.MethodPost, "/api/orgs/second"+c.server.Path("/transfer"), map[string]any{"to": panel.Org, "force": true}); a.Code == http.StatusOK {
			return
		}
	}
}

// ended waits until all work has ended, and compares the host with the rows.
func (c *crowd) ended() {
	c.t.Helper()
	slices.Sort(c.took)
	at := func(share float64) time.Duration {
		return c.took[int(share*float64(len(c.took)-1))].Round(time.Millisecond)
	}
	for _, what := range slices.Sorted(maps.Keys(c.answers)) {
		c.t.Logf("%s: %d", what, c.answers[what])
	}
	c.t.Logf("%d requests; half took up to %v, 99 %% up to %v, the slowest %v", len(c.took), at(0.5), at(0.99), at(1))
	for _, wrong := range c.wrong {
		c.t.Error(wrong)
	}
	hosts.Eventually(c.t, 40*time.Minute, "all work has ended", func() error {
		if n := c.p.Count(c.t, `SELECT count(*) FROM operations WHERE state IN ('pending', 'running')`); n > 0 {
			return fmt.Errorf("%d operations are open", n)
		}
		return nil
	})
	for _, o := range c.p.Rows(c.t, `SELECT action, reason, count(*) FROM operations WHERE state = 'failed' GROUP BY action, reason ORDER BY action`) {
		c.t.Logf("failed: %s: %s (%s)", o[0], o[1], o[2])
	}
	hosts.Eventually(c.t, time.Minute, "the host is what the rows say", func() error {
		if found, _ := c.p.Get(c.t, c.server.Path("/drift")).Attributes["differences"].([]any); len(found) > 0 {
			return errors.New(fmt.Sprint(found))
		}
		return nil
	})
}
