package cloud_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/bounded/boundedtest"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

const hostileToken = "t0ken-that-is-quite-long-0123456789"

// hostile opens an account at a provider that answers like this. A call may take as long as in the panel, or within.
func hostile(t *testing.T, provider string, answer http.HandlerFunc, within ...time.Duration) (*cloud.Cloud, *atomic.Int64) {
	t.Helper()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		calls.Add(1)
		_, _ = io.Copy(io.Discard, req.Body) // a client that goes away is seen only after that
		answer(w, req)
	}))
	t.Cleanup(server.Close)
	catalog, err := cloud.NewCatalog()
	if err != nil {
		t.Fatal(err)
	}
	caller := outbound.Guard{AllowPrivate: true}.Client()
	if len(within) > 0 {
		caller.Timeout = within[0]
	}
	clouds := &cloud.Clouds{HTTP: caller, Catalog: catalog, Bases: map[string]string{provider: server.URL}}
	c, err := clouds.Open(cloud.Account{Provider: provider, Key: secret.String(hostileToken), Secret: secret.String(hostileToken)})
	if err != nil {
		t.Fatal(err)
	}
	return c, &calls
}

var everyProvider = []string{cloud.DigitalOcean, cloud.Hetzner, cloud.Vultr, cloud.Akamai, cloud.AWS}

// asked are the questions to a provider.
func asked(t *testing.T, c *cloud.Cloud, region string) map[string]func() error {
	t.Helper()
	ctx := t.Context()
	only := func(_ any, err error) error { return err }
	return map[string]func() error{
		"check":    func() error { return c.Check(ctx) },
		"networks": func() error { return only(c.Networks(ctx, region)) },
		"offers":   func() error { return only(c.Offers(ctx, region)) },
		"find":     func() error { return only(c.Find(ctx, region, "shop-1")) },
		"machine":  func() error { _, _, err := c.Machine(ctx, region, "7"); return err },
		"create": func() error {
			return only(c.Create(ctx, cloud.Order{Name: "shop-1", Region: region, Size: "x", System: "24.04"}))
		},
		"network": func() error { return only(c.CreateNetwork(ctx, region, "n")) },
		"destroy": func() error { return c.Destroy(ctx, region, "7") },
		"cycle":   func() error { return c.Cycle(ctx, region, "7") },
	}
}

// Whatever a provider answers, a question ends as a result or as a problem in our words: without the token, without its markup, soon.
func TestProviderAnswersNonsense(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	write := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	redirect := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, other.URL+req.URL.Path, status) }
	}
	long := strings.Repeat("x", 170) + " " + hostileToken
	for name, answer := range map[string]http.HandlerFunc{
		"301":           redirect(301),
		"307":           redirect(307),
		"308":           redirect(308),
		"nothing":       write(200, ""),
		"null":          write(200, "null"),
		"an object":     write(200, "{}"),
		"a list":        write(200, "[]"),
		"a page":        write(200, "<html><body>It works!</body></html>"),
		"deep":          write(200, strings.Repeat(`{"a":[`, 100_000)),
		"deep elements": write(200, strings.Repeat("<a>", 100_000)),
		"entities":      write(200, `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><x>&a;</x>`),
		"nulls in lists": write(200, `{"droplets":[null],"servers":[null],"instances":[null],"data":[null],"vpcs":[null],"networks":[null],`+
			`"pricing":null,"droplet":null,"server":null,"instance":null,"vpc":null}`),
		"numbers":        write(200, `{"droplet":{"id":1e400},"server":{"id":99999999999999999999},"id":-1,"data":[{"id":1e400}]}`),
		"no such status": write(299, `{}`),
		"an error, 200":  write(200, `{"error":{"code":"unauthorized","message":"CANARY"}}`),
		"the token":      write(401, `{"message":"`+hostileToken+` is not known","error":"`+hostileToken+`"}`),
		"a part of it":   write(422, `{"message":"`+long+`"}`),
		"markup":         write(422, `{"message":"<script>alert(1)</script>\u001b[2J\u202e\u0000\u009b31m\r\nSet-Cookie: x"}`),
		"a long error":   write(422, `{"message":"`+strings.Repeat("CANARY ", 5000)+`"}`),
		"limited for ever": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999999999999")
			w.WriteHeader(429)
		},
		"unavailable": write(503, "{}"),
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		},
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, provider := range everyProvider {
				c, calls := hostile(t, provider, answer)
				for question, ask := range asked(t, c, "us-east-1") {
					calls.Store(0)
					err := ask()
					p := (*cloud.Problem)(nil)
					if err != nil && !errors.As(err, &p) {
						t.Errorf("%s, %s: %v is no problem", provider, question, err)
					}
					if p != nil && (len(p.Reason) > 400 || strings.Contains(p.Reason, "t0ken") ||
						strings.ContainsFunc(p.Reason, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' })) {
						t.Errorf("%s, %s: the reason is %q", provider, question, p.Reason)
					}
					if p != nil && p.After > time.Hour {
						t.Errorf("%s, %s: it is waited for %v", provider, question, p.After)
					}
					if n := calls.Load(); n > 8 {
						t.Errorf("%s, %s: %d calls", provider, question, n)
					}
				}
			}
		})
	}
	t.Cleanup(func() {
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("another host got %d requests", n)
		}
	})
}

// An answer that comes a byte at a time without end is given up on, and asked for only a few times.
func TestProviderTakesForever(t *testing.T) {
	t.Parallel()
	for _, provider := range everyProvider {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			c, calls := hostile(t, provider, boundedtest.Drip, 100*time.Millisecond)
			for question, ask := range asked(t, c, "us-east-1") {
				calls.Store(0)
				var p *cloud.Problem
				if err := ask(); question != "destroy" && !errors.As(err, &p) { // of that only the status counts
					t.Errorf("%s: %v", question, err)
				}
				if n := calls.Load(); n > 8 {
					t.Errorf("%s: %d calls", question, n)
				}
			}
		})
	}
}

// Lists whose last page never comes, and answers that are long together, are given up on.
func TestProviderListsWithoutEnd(t *testing.T) {
	t.Parallel()
	page := func(filling string) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) {
			base := "http://" + req.Host + req.URL.Path
			if req.Method == http.MethodPost { // EC2
				_, _ = fmt.Fprintf(w, "<x><nextToken>again</nextToken><filling>%s</filling></x>", filling)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"droplets":[],"servers":[],"instances":[],"vpcs":[],"networks":[],"data":[],"page":1,"pages":1000000,"results":100000000,
"links":{"pages":{"next":"%s?page=2","last":"%s?page=9"}},"filling":"%s",
"meta":{"total":100000,"links":{"next":"again","prev":""},"pagination":{"page":1,"next_page":2,"last_page":99999,"per_page":50,"total_entries":100000}},
"locations":[{"id":1,"name":"fsn1","network_zone":"eu-central"}]}`, base, base, filling)
		}
	}
	for name, c := range map[string]struct {
		filling string
		most    int64
	}{"small pages": {"", 250}, "large pages": {strings.Repeat("x", 4<<20), 10}} {
		for _, provider := range everyProvider {
			t.Run(provider+", "+name, func(t *testing.T) {
				t.Parallel()
				account, calls := hostile(t, provider, page(c.filling))
				all := asked(t, account, "fsn1")
				for _, question := range []string{"find", "networks"} {
					calls.Store(0)
					if err := all[question](); err == nil {
						t.Errorf("%s ends well", question)
					}
					if n := calls.Load(); n > c.most {
						t.Errorf("%s: %d calls, at most %d are expected", question, n, c.most)
					}
				}
			})
		}
	}
}

// What a provider says of servers is about those that were asked for: others are not destroyed in their place, and what can't be true is not kept.
func TestProviderAnswersWithOthersServers(t *testing.T) {
	t.Parallel()
	droplet := func(id any, name, address string) string {
		return fmt.Sprintf(`{"id":%v,"name":"%s","networks":{"v4":[{"ip_address":"%s","type":"public"}]}}`, id, name, address)
	}
	instance := func(id, label, address string) string {
		return fmt.Sprintf(`{"id":"%s","label":"%s","main_ip":"%s","internal_ip":""}`, id, label, address)
	}
	amazon := func(id, token, address string) string {
		return "<item><instanceId>" + id + "</instanceId><clientToken>" + token +
			"</clientToken><instanceState><name>running</name></instanceState><ipAddress>" + address + "</ipAddress></item>"
	}
	for name, c := range map[string]struct {
		provider, answer string
		find             []string // the ids that are found under the name shop-1; nil is a problem
	}{
		"others' names, DigitalOcean": {
			cloud.DigitalOcean,
			`{"droplets":[` + droplet(7, "shop-1", "93.184.216.34") + `,` + droplet(8, "shop-2", "93.184.216.35") + `]}`,
			[]string{"7"},
		},
		"others' names, Vultr": {cloud.Vultr, `{"instances":[` + instance("a-1", "shop-1", "93.184.216.34") + `,` +
			instance("a-2", "SHOP-1", "93.184.216.35") + `]}`, []string{"a-1"}},
		"others' names, Hetzner": {
			cloud.Hetzner,
			`{"servers":[{"id":7,"name":"shop-1","public_net":{}},{"id":8,"name":"shop-2","public_net":{}}]}`,
			[]string{"7"},
		},
		"others' names, Akamai": {cloud.Akamai, `{"data":[{"id":7,"label":"shop-1"},{"id":8,"label":"shop-2"}],"page":1,"pages":1,"results":2}`, []string{"7"}},
		"others' tokens, AWS": {cloud.AWS, "<x><reservationSet><item><instancesSet>" + amazon("i-1", "shop-1", "93.184.216.34") +
			amazon("i-2", "shop-2", "93.184.216.35") + amazon("i-3", "", "") + "</instancesSet></item></reservationSet></x>", []string{"i-1"}},
		"a path for an id": {cloud.Vultr, `{"instances":[` + instance("../../vpcs/1", "shop-1", "") + `]}`, nil},
		"dots for an id":   {cloud.Vultr, `{"instances":[` + instance("..", "shop-1", "") + `]}`, nil},
		"lines in an id":   {cloud.Vultr, `{"instances":[` + instance(`a\r\nb\u0000`, "shop-1", "") + `]}`, nil},
		"no id":            {cloud.Vultr, `{"instances":[` + instance("", "shop-1", "") + `]}`, nil},
		"a long id":        {cloud.Vultr, `{"instances":[` + instance(strings.Repeat("a", 5000), "shop-1", "") + `]}`, nil},
		"markup for an id": {cloud.AWS, "<x><reservationSet><item><instancesSet>" + amazon("&lt;script&gt;", "shop-1", "") +
			"</instancesSet></item></reservationSet></x>", nil},
		"a name for an address": {cloud.Vultr, `{"instances":[` + instance("a-1", "shop-1", "panel.example.com") + `]}`, nil},
		"lines in an address":   {cloud.Vultr, `{"instances":[` + instance("a-1", "shop-1", `1.2.3.4\nProxyCommand x`) + `]}`, nil},
		"a zone in an address":  {cloud.Vultr, `{"instances":[` + instance("a-1", "shop-1", "fe80::1%eth0") + `]}`, nil},
		"a port in an address": {cloud.AWS, "<x><reservationSet><item><instancesSet>" + amazon("i-1", "shop-1", "1.2.3.4:22") +
			"</instancesSet></item></reservationSet></x>", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			account, _ := hostile(t, c.provider, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, c.answer)
			})
			found, err := account.Find(t.Context(), "us-east-1", "shop-1")
			var ids []string
			for _, m := range found {
				ids = append(ids, m.ID)
			}
			if (err == nil) != (c.find != nil) || !slices.Equal(ids, c.find) {
				t.Errorf("found are %v, %v, want %v", ids, err, c.find)
			}
		})
	}
	for provider, answer := range map[string]string{
		cloud.DigitalOcean: `{"droplet":` + droplet(8, "shop-2", "93.184.216.34") + `}`,
		cloud.Vultr:        `{"instance":` + instance("8", "shop-2", "93.184.216.34") + `}`,
		cloud.Hetzner:      `{"server":{"id":8,"name":"shop-2","public_net":{}}}`,
		cloud.Akamai:       `{"id":8,"label":"shop-2"}`,
		cloud.AWS:          "<x><reservationSet><item><instancesSet>" + amazon("8", "shop-2", "") + "</instancesSet></item></reservationSet></x>",
	} {
		account, _ := hostile(t, provider, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		})
		if m, ok, err := account.Machine(t.Context(), "us-east-1", "7"); ok {
			t.Errorf("%s: asked for the server 7, it is %+v, %v", provider, m, err)
		}
	}
}

// Networks and sizes that make no sense are not offered, and their texts are lines.
func TestProviderOffersNonsense(t *testing.T) {
	t.Parallel()
	account, _ := hostile(t, cloud.DigitalOcean, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(req.URL.Path, "/sizes") {
			_, _ = io.WriteString(w, `{"sizes":[{"slug":"s-1","available":true,"regions":["r"],"price_monthly":5,"vcpus":1,"memory":1024,"disk":10},
{"slug":"../x","available":true,"regions":["r"]},{"slug":"S <b>","available":true,"regions":["r"]},{"slug":"s-2","available":true,"regions":["r"],"vcpus":-1},
{"slug":"`+strings.Repeat("s", 500)+`","available":true,"regions":["r"]}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"vpcs":[{"id":"a-1","name":"good","ip_range":"10.0.0.0/16","region":"r"},
{"id":"../droplets","name":"path","ip_range":"10.0.0.0/16","region":"r"},{"id":"","name":"none","region":"r"},
{"id":"a-2","name":"a\r\n\u001b[2J\u0000\u202eb`+strings.Repeat("x", 5000)+`","ip_range":"0.0.0.0/0; reboot","region":"r"}]}`)
	})
	list, err := account.Networks(t.Context(), "r")
	if err != nil || len(list) != 2 || list[0].CIDR != "10.0.0.0/16" || list[1].CIDR != "" || len(list[1].Name) > 250 ||
		strings.ContainsAny(list[1].Name, "\r\n\x1b\x00\u202e") {
		t.Errorf("the networks are %+v, %v", list, err)
	}
	offers, err := account.Offers(t.Context(), "r")
	if err != nil || len(offers) != 1 || offers[0].Code != "s-1" {
		t.Errorf("the sizes are %+v, %v", offers, err)
	}
}
