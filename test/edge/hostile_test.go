package edge

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// What a database can't keep, or can't search for, is no reason for "Server error.".
func TestTextsThatDatabasesRefuse(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		server := "/orgs/acme/servers/" + w.mine.server
		for _, bad := range []string{"%00", "a%00b", "%ff", "%ed%a0%80", "%c0%80"} {
			w.owner.Get("/orgs/"+bad).Want(t, 404)
			w.owner.Get("/orgs/"+bad+"/servers/"+w.mine.server).Want(t, 404)
			for _, list := range []string{
				"/orgs/acme/servers?filter[name]=", "/orgs/acme/servers?filter[region]=",
				server + "/firewall-rules?filter[port]=", server + "/events?filter[ran_as]=", server + "/events?filter[initiated_by]=",
			} {
				if got := w.owner.Get(list+bad).Want(t, 200).IDs(); len(got) > 0 {
					t.Errorf("%s%s finds %v", list, bad, got)
				}
			}
		}
		// In bodies NUL comes as an escape; invalid UTF-8 is refused earlier.
		for _, tt := range []struct {
			path string
			body map[string]any
			want string
		}{
			{server + "/firewall-rules", map[string]any{"name": "a\x00b", "type": "allow"}, "name"},
			{server + "/firewall-rules", map[string]any{"name": "a", "type": "allow", "ip_address": "10.0.0.1\x00"}, "ip_address"},
			{server + "/firewall-rules", map[string]any{"name": "a", "type": "allow", "port": "80\x00"}, "port"},
			{server + "/sites", map[string]any{"name": "a\x00b.example.com", "type": "static-html"}, "name"},
			{server + "/sites", map[string]any{"name": "nul.example.com", "type": "static-html", "web_directory": "/a\x00b"}, "web_directory"},
			{server + "/sites", map[string]any{"name": "nul.example.com", "type": "static-html", "tags": []string{"\x00"}}, "tags.0"},
			{"/orgs/acme/servers", with(serverBody("nul", "app"), "tags", []string{"a\x00"}), "tags.0"},
			{"/orgs/acme/servers", serverBody("nul\x00", "app"), "name"},
		} {
			if a := w.owner.Post(tt.path, tt.body).Want(t, 422); !slices.Equal(a.Fields(), []string{tt.want}) {
				t.Errorf("%s %v: fields are %v, want %s", tt.path, tt.body, a.Fields(), tt.want)
			}
		}
		for _, body := range []map[string]any{{"name": "a\x00"}, {"timezone": "UTC\x00"}, {"ip_address": "192.0.2.1\x00"}, {"tags": []string{"\x00"}}} {
			w.owner.Put(server, body).Want(t, 422)
		}
	})
}

// Both databases bound how many values one statement takes, and how deep and how long its parts are.
func TestHugeRequests(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		server := "/orgs/acme/servers/" + w.mine.server
		for name, value := range map[string]string{"50": strings.Repeat("a,", 49) + "a", "a long one": strings.Repeat("a", 1000)} {
			w.owner.Get(server+"/firewall-rules?filter[name]="+value).Want(t, 200)
			w.owner.Get(server+"/firewall-rules?filter[port]="+value).Want(t, 200)
			_ = name
		}
		for _, value := range []string{
			strings.Repeat("a,", 50) + "a", strings.Repeat("a,", 2000) + "a",
			strings.Repeat(",", 40_000), strings.Repeat("a", 60_000), strings.Repeat("%25", 20_000),
		} {
			w.owner.Get(server+"/firewall-rules?filter[name]="+value).Want(t, 400)
			w.owner.Get(server+"/firewall-rules?filter[port]="+value).Want(t, 400)
			w.owner.Get(server+"/events?filter[initiated_by]="+value).Want(t, 400)
		}
		nodes := strings.TrimSuffix(strings.Repeat(`{"server_id":1},`, 40_000), ",")
		a := w.owner.Post("/orgs/acme/servers/"+w.mine.balancer+"/sites/balancer", `{"domain":"many.example.com","balancing":[`+nodes+`]}`).Want(t, 422)
		if !slices.Equal(a.Fields(), []string{"balancing"}) {
			t.Errorf("40 000 nodes: fields are %v", a.Fields())
		}
		distinct := make([]map[string]any, 40_000)
		for i := range distinct {
			distinct[i] = map[string]any{"server_id": i + 1, "weight": 1}
		}
		path := fmt.Sprintf("/orgs/acme/servers/%s/sites/%s/load-balancing-nodes", w.mine.balancer, w.mine.balancerSite)
		a = w.owner.Put(path, map[string]any{"balancer_method": "least_conn", "balancing": distinct[:25_000]}).Want(t, 422)
		if !slices.Equal(a.Fields(), []string{"balancing"}) {
			t.Errorf("25 000 nodes: fields are %v", a.Fields())
		}
		tags := make([]string, 60_000)
		for i := range tags {
			tags[i] = fmt.Sprintf("t%d", i)
		}
		before := w.counts()
		for path, body := range map[string]map[string]any{
			"/orgs/acme/servers": with(serverBody("tagged", "app"), "tags", tags[:51]),
			server + "/sites":    {"name": "tagged.example.com", "type": "static-html", "tags": tags},
		} {
			if a := w.owner.Post(path, body).Want(t, 422); !slices.Equal(a.Fields(), []string{"tags"}) {
				t.Errorf("%s with many tags: fields are %v", path, a.Fields())
			}
		}
		w.unchangedSince(before)
		w.owner.Get(server+"/firewall-rules?"+url.Values{"filter[ip_address]": {`%_\`}}.Encode()).Want(t, 200)
	})
}

// with returns m and one more.
func with(m map[string]any, name string, value any) map[string]any {
	m[name] = value
	return m
}
