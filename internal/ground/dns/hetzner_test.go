package dns

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cloud is as much of Hetzner's Cloud API as a zone's records need: sets of a name and a type, whose TTL can't be changed by adding to them.
type cloud struct {
	t     *testing.T
	mu    sync.Mutex
	zones []string
	ttl   map[string]int
	sets  map[string][]string
	calls int
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	answer := func(code int, body string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
	if req.Header.Get("Authorization") != "Bearer t0ken" {
		answer(http.StatusUnauthorized,
			`{"error":{"code":"unauthorized","message":"unable to authenticate with `+strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")+`"}}`)
		return
	}
	parts := strings.Split(strings.TrimPrefix(req.URL.Path, "/v1/zones/"), "/")
	zone, known := parts[0], false
	for _, z := range c.zones {
		known = known || z == zone
	}
	if !known || len(parts) > 1 && (len(parts) < 4 || parts[1] != "rrsets" || parts[3] != "TXT") {
		answer(http.StatusNotFound, `{"error":{"code":"not_found","message":"zone not found"}}`)
		return
	}
	if len(parts) == 1 {
		answer(http.StatusOK, `{"zone":{"id":42,"name":"`+zone+`"}}`)
		return
	}
	name := parts[2] + "." + zone
	if req.Method == http.MethodGet {
		if len(c.sets[name]) == 0 {
			answer(http.StatusNotFound, `{"error":{"code":"not_found","message":"rrset not found"}}`)
			return
		}
		var records []map[string]string
		for _, v := range c.sets[name] {
			records = append(records, map[string]string{"value": v})
		}
		raw, _ := json.Marshal(map[string]any{"rrset": map[string]any{"ttl": c.ttl[name], "records": records}})
		answer(http.StatusOK, string(raw))
		return
	}
	var body struct {
		TTL     *int
		Records []struct{ Value string }
	}
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil || len(body.Records) != 1 {
		c.t.Errorf("the body has %d records: %v", len(body.Records), err)
	}
	text, err := strconv.Unquote(body.Records[0].Value)
	if err != nil || text == "" {
		answer(http.StatusUnprocessableEntity, `{"error":{"code":"invalid_input","message":"TXT records must be quoted"}}`)
		return
	}
	switch value := body.Records[0].Value; strings.Join(parts[4:], "/") {
	case "actions/add_records":
		if len(c.sets[name]) > 0 && body.TTL != nil && *body.TTL != c.ttl[name] {
			answer(http.StatusUnprocessableEntity, `{"error":{"code":"invalid_input","message":"the TTL differs"}}`)
			return
		}
		if len(c.sets[name]) == 0 {
			c.ttl[name] = 3600
			if body.TTL != nil {
				c.ttl[name] = *body.TTL
			}
		}
		for _, has := range c.sets[name] {
			if has == value {
				answer(http.StatusUnprocessableEntity, `{"error":{"code":"invalid_input","message":"duplicate record"}}`)
				return
			}
		}
		c.sets[name] = append(c.sets[name], value)
	case "actions/remove_records":
		var left []string
		for _, has := range c.sets[name] {
			if has != value {
				left = append(left, has)
			}
		}
		if len(left) == len(c.sets[name]) {
			answer(http.StatusNotFound, `{"error":{"code":"not_found","message":"rrset not found"}}`)
			return
		}
		c.sets[name] = left
	default:
		c.t.Errorf("called was %s %s", req.Method, req.URL.Path)
	}
	answer(http.StatusCreated, `{"action":{"id":1,"status":"running"}}`)
}

// Texts are added beside others, in the closest zone, idempotently, and removed again.
func TestHetzner(t *testing.T) {
	t.Parallel()
	c := &cloud{
		t: t, zones: []string{"example.com", "deep.example.com"}, ttl: map[string]int{"_acme-challenge.example.com": 300},
		sets: map[string][]string{"_acme-challenge.example.com": {`"other"`}},
	}
	api := httptest.NewServer(c)
	defer api.Close()
	p := &hetzner{base: api.URL + "/v1", token: "t0ken", client: api.Client()}
	texts := func(authorizations ...string) []string {
		var out []string
		for _, a := range authorizations {
			out = append(out, fmt.Sprintf("%q", Text(a)))
		}
		return out
	}
	want := func(name string, records []string) {
		t.Helper()
		c.mu.Lock()
		defer c.mu.Unlock()
		if diff := cmp.Diff(records, c.sets[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, a := range []string{"a", "b", "a"} {
		for _, name := range []string{"_acme-challenge.example.com", "_acme-challenge.www.deep.example.com"} {
			if err := p.Present(t.Context(), name, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	want("_acme-challenge.example.com", append([]string{`"other"`}, texts("a", "b")...))
	want("_acme-challenge.www.deep.example.com", texts("a", "b"))
	if got := c.ttl["_acme-challenge.www.deep.example.com"]; got != hetznerTTL {
		t.Errorf("a new set has a TTL of %d", got)
	}
	for _, a := range []string{"a", "b", "b"} {
		for _, name := range []string{"_acme-challenge.example.com", "_acme-challenge.www.deep.example.com"} {
			if err := p.Remove(t.Context(), name, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	want("_acme-challenge.example.com", []string{`"other"`})
	want("_acme-challenge.www.deep.example.com", nil)
	if err := p.Present(t.Context(), "_acme-challenge.example.org", "a"); err == nil ||
		!strings.Contains(err.Error(), "no zone with _acme-challenge.example.org") {
		t.Errorf("a name of no zone: %v", err)
	}
	p.token = "wr0ng"
	if err := p.Present(t.Context(), "_acme-challenge.example.com", "c"); err == nil || !strings.Contains(err.Error(), "401") ||
		strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("with a wrong token: %v", err)
	}
}
