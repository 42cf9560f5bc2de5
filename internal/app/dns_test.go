package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/dns/dnstest"
)

// Records are created by the running program, although the server is not set up and can't be reached: the work is at the provider alone.
func TestRecordsNeedNoServer(t *testing.T) {
	t.Parallel()
	account := dnstest.New([]string{"example.com"})
	api := httptest.NewServer(http.HandlerFunc(account.Cloudflare))
	defer api.Close()
	c := newCustomer(t, cloudtest.New(cloud.Hetzner), cloud.Hetzner, func(conf *app.Config) {
		conf.DNSProviders, conf.Nameservers = map[string]string{dns.Cloudflare: api.URL}, []string{dnstest.Nameserver(t, account)}
	})
	must := func(method, path string, body any, status int) orderAnswer {
		t.Helper()
		a := c.call(method, path, body)
		if a.status != status {
			t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
		}
		return a
	}
	server := must(http.MethodPost, "/servers", map[string]any{
		"name": "web-1", "provider": "custom", "type": "web", "custom": map[string]any{"ip_address": "198.51.100.9", "private_ip_address": nil},
	}, 202).Data.ID
	site := must(http.MethodPost, "/servers/"+server+"/sites", map[string]any{"type": "static-html", "name": "shop.example.com"}, 202).Data.ID
	var list struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(c.call(http.MethodGet, "/servers/"+server+"/sites/"+site+"/domains", nil).body), &list); err != nil || len(list.Data) != 1 {
		t.Fatalf("domains: %v, %v", list, err)
	}
	at := "/servers/" + server + "/sites/" + site + "/domains/" + list.Data[0].ID + "/dns"
	provider := must(http.MethodPost, "/dns-providers", map[string]any{"name": "DNS", "provider": dns.Cloudflare, "secret": dnstest.Token}, 201).Data.ID
	hash := must(http.MethodGet, at+"/plan?dns_provider_id="+provider, nil, 200).Data.Attributes["hash"]
	var id int64
	_ = json.Unmarshal([]byte(provider), &id)
	must(http.MethodPost, at, map[string]any{"dns_provider_id": id, "plan": hash}, 202)
	var now orderAnswer
	// The API is polled, as a customer does: the test stands outside of the program.
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now = c.call(http.MethodGet, at, nil); now.Data.Meta.Operation.State != "pending" && now.Data.Meta.Operation.State != "running" {
			break
		}
	}
	if got := now.Data.Attributes["status"]; got != "made" {
		t.Errorf("the records are %v: %s", got, now.body)
	}
	if got := account.Lines(); !slices.Contains(got, "shop.example.com A 198.51.100.9") {
		t.Errorf("the provider has %v", got)
	}
}
