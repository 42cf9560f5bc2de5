package edge

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func (w *world) rules(server string) string {
	return "/orgs/acme/servers/" + server + "/firewall-rules"
}

// A new server has visible rules for SSH, HTTP and HTTPS.
func TestDefaultRules(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	body := serverBody("ssh", "worker")
	body["custom"] = map[string]any{"ip_address": "192.0.2.10", "ssh_port": 2222}
	id := w.owner.Post("/orgs/acme/servers", body).Want(t, 202).ID()
	a := w.owner.Get(w.rules(id)).Want(t, 200)
	var got []string
	for i := range a.IDs() {
		got = append(got, fmt.Sprintf("%v %v %v %v %v", a.At("data", i, "attributes", "name"),
			a.At("data", i, "attributes", "port"), a.At("data", i, "attributes", "type"), a.At("data", i, "attributes", "ip_address"),
			a.At("data", i, "attributes", "status")))
	}
	want := []string{"SSH 2222 allow <nil> installing", "HTTP 80 allow <nil> installing", "HTTPS 443 allow <nil> installing"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestRuleIsCreated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		for _, tt := range []struct {
			name string
			body string
			want map[string]any
		}{
			{"all of it", `{"name":" Office ","port":"5432","type":"allow","ip_address":"203.0.113.7"}`, map[string]any{
				"name":       "Office",
				"port":       "5432",
				"type":       "allow",
				"ip_address": "203.0.113.7",
			}},
			{
				"a range, a subnet and an IPv6 address in any order",
				`{"name":"r","port":"8000:8010","type":"deny","ip_address":"2001:db8::1, 198.51.100.0/24"}`,
				map[string]any{
					"name":       "r",
					"port":       "8000:8010",
					"type":       "deny",
					"ip_address": "198.51.100.0/24,2001:db8::1",
				},
			},
			{"a list of addresses", `{"name":"r","port":"1","type":"deny","ip_address":["10.0.0.2","10.0.0.1"]}`, map[string]any{
				"name":       "r",
				"port":       "1",
				"type":       "deny",
				"ip_address": "10.0.0.1,10.0.0.2",
			}},
			{"every port", `{"name":"r","port":null,"type":"allow","ip_address":null}`, map[string]any{"name": "r", "port": nil, "type": "allow", "ip_address": nil}},
			{"empty texts", `{"name":"r","port":"","type":"allow","ip_address":""}`, map[string]any{"name": "r", "port": nil, "type": "allow", "ip_address": nil}},
			{"deny of the SSH port to some", `{"name":"r","port":"22","type":"deny","ip_address":"203.0.113.0/24"}`, map[string]any{
				"name":       "r",
				"port":       "22",
				"type":       "deny",
				"ip_address": "203.0.113.0/24",
			}},
			{
				"deny of another port to all", `{"name":"r","port":"23:79","type":"deny"}`,
				map[string]any{"name": "r", "port": "23:79", "type": "deny", "ip_address": nil},
			},
			{"fifty letters", `{"name":"` + strings.Repeat("ü", 50) + `","type":"allow","port":"1"}`, map[string]any{
				"name":       strings.Repeat("ü", 50),
				"port":       "1",
				"type":       "allow",
				"ip_address": nil,
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				a := w.owner.Post(w.rules(w.mine.server), tt.body).Want(t, 202)
				tt.want["status"], tt.want["created_at"], tt.want["updated_at"] = "installing", "2026-03-01T12:00:00.123456Z", "2026-03-01T12:00:00.123456Z"
				if diff := cmp.Diff(tt.want, a.At("data", "attributes")); diff != "" {
					t.Errorf("attributes (-want +got):\n%s", diff)
				}
				self := e.URL + "/api" + w.rules(w.mine.server) + "/" + a.ID()
				if got := a.Header.Get("Location"); got != self {
					t.Errorf("Location is %q, want %q", got, self)
				}
				read := w.owner.Get(w.rules(w.mine.server)+"/"+a.ID()).Want(t, 200)
				if diff := cmp.Diff(a.At("data"), read.At("data")); diff != "" {
					t.Errorf("read later (-accepted +read):\n%s", diff)
				}
				event := w.owner.Get("/orgs/acme/servers/"+w.mine.server+"/events/"+a.Header.Get("X-Hostler-Event")+"?").Want(t, 200)
				if got, want := event.Text("data", "attributes", "description"), "Installing firewall rule "+tt.want["name"].(string); got != want {
					t.Errorf("the event says %q, want %q", got, want)
				}
			})
		}
	})
}

func TestRuleIsRefused(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		for _, tt := range []struct {
			name, body string
			fields     []string
		}{
			{"nothing", `{}`, []string{"name", "type"}},
			{"all wrong", `{"name":{},"port":true,"type":"maybe","ip_address":5}`, []string{"name", "port", "type", "ip_address"}},
			{"an empty name", `{"name":"","type":"allow"}`, []string{"name"}},
			{"a blank name", `{"name":" \t ","type":"allow"}`, []string{"name"}},
			{"a name of two lines", `{"name":"a\nb","type":"allow"}`, []string{"name"}},
			{"a name too long", `{"name":"` + strings.Repeat("ü", 51) + `","type":"allow"}`, []string{"name"}},
			{"port zero", `{"name":"r","type":"allow","port":"0"}`, []string{"port"}},
			{"port above", `{"name":"r","type":"allow","port":"65536"}`, []string{"port"}},
			{"ports the wrong way round", `{"name":"r","type":"allow","port":"90:80"}`, []string{"port"}},
			{"ports with a comma", `{"name":"r","type":"allow","port":"80,81"}`, []string{"port"}},
			{"a port for nft", `{"name":"r","type":"allow","port":"80 accept; drop"}`, []string{"port"}},
			{"an address that is none", `{"name":"r","type":"allow","ip_address":"300.1.1.1"}`, []string{"ip_address"}},
			{"a subnet with host bits", `{"name":"r","type":"allow","ip_address":"10.0.0.5/8"}`, []string{"ip_address"}},
			{"one address wrong in a list", `{"name":"r","type":"allow","ip_address":["10.0.0.1","x"]}`, []string{"ip_address"}},
			{"a list of numbers", `{"name":"r","type":"allow","ip_address":[1]}`, []string{"ip_address"}},
			{"an object of addresses", `{"name":"r","type":"allow","ip_address":{"a":"10.0.0.1"}}`, []string{"ip_address"}},
			{"deny of SSH to all", `{"name":"r","type":"deny","port":"22"}`, []string{"port"}},
			{"deny of a range with SSH", `{"name":"r","type":"deny","port":"20:30"}`, []string{"port"}},
			{"deny of everything", `{"name":"r","type":"deny"}`, []string{"port"}},
			{"deny of SSH to all in other words", `{"name":"r","type":"deny","port":"22","ip_address":"0.0.0.0/0,::/0"}`, []string{"port"}},
			{"deny of SSH to all in halves", `{"name":"r","type":"deny","port":"22","ip_address":"0.0.0.0/1,128.0.0.0/1"}`, []string{"port"}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				wantFields(t, w.owner.Post(w.rules(w.mine.server), tt.body), tt.fields...)
			})
		}
		w.unchangedSince(before)
		// Once Hostler's own path is known, the SSH port can be closed to all others (decision 10).
		w.control(w.mine.server, "198.51.100.7")
		w.owner.Post(w.rules(w.mine.server), `{"name":"r","type":"deny","port":"22"}`).Want(t, 202)
	})
}

// control sets the addresses that a server sees Hostler come from.
func (w *world) control(server, addresses string) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET control_addresses = $1 WHERE id = $2", addresses, number(server))
		return err
	})
}

func (w *world) ruleNamed(server, name string) string {
	w.T.Helper()
	a := w.owner.Get(w.rules(server)+"?page[size]=200").Want(w.T, 200)
	for i, id := range a.IDs() {
		if a.Text("data", i, "attributes", "name") == name {
			return id
		}
	}
	w.T.Fatalf("server %s has no rule %s", server, name)
	return ""
}

// The last rule that opens the SSH port stays while Hostler would be cut off without it.
func TestLastSSHRule(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.rules(w.mine.server)
		ssh := w.ruleNamed(w.mine.server, "SSH")
		before := w.counts()
		w.owner.Delete(path+"/"+ssh).Want(t, 409)
		w.unchangedSince(before)
		if got := w.owner.Get(path+"/"+ssh).Want(t, 200).Text("data", "attributes", "status"); got != "installing" {
			t.Errorf("the status is %s", got)
		}
		second := w.owner.Post(path, `{"name":"second","type":"allow","port":"20:30"}`).Want(t, 202).ID()
		w.owner.Delete(path+"/"+ssh).Want(t, 202)
		w.owner.Delete(path+"/"+second).Want(t, 409)
		w.control(w.mine.server, "198.51.100.7")
		w.owner.Delete(path+"/"+second).Want(t, 202)
		w.owner.Delete(w.rules(w.other.server)+"/"+w.ruleNamed(w.other.server, "HTTP")).Want(t, 202)
	})
}

// Of two that delete the last two SSH rules at once, one is refused.
func TestLastSSHRuleAtOnce(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for round := range 10 {
			server := w.server(w.owner, "acme", fmt.Sprintf("round-%d", round), "worker")
			path := w.rules(server)
			ids := []string{w.ruleNamed(server, "SSH"), w.owner.Post(path, `{"name":"second","type":"allow","port":"22"}`).Want(t, 202).ID()}
			got := atOnce(t, len(ids), func(i int) (Answer, error) { return w.owner.Try("DELETE", path+"/"+ids[i], nil) })
			if diff := cmp.Diff(map[int]int{202: 1, 409: 1}, statuses(got)); diff != "" {
				t.Fatalf("round %d: answers (-want +got):\n%s", round, diff)
			}
		}
	})
}

// atOnce makes n calls that begin together.
func atOnce(t *testing.T, n int, call func(i int) (Answer, error)) []Answer {
	t.Helper()
	answers, errs := make([]Answer, n), make([]error, n)
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			answers[i], errs[i] = call(i)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

func statuses(answers []Answer) map[int]int {
	out := map[int]int{}
	for _, a := range answers {
		out[a.Status]++
	}
	return out
}

// A second delete while the first runs answers 202 again; once the rule is gone, 404 (decision 12).
func TestRuleIsDeleted(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.rules(w.mine.server) + "/" + w.mine.rule
		first := w.owner.Delete(path).Want(t, 202)
		if len(first.Body) > 0 || first.Header.Get("X-Hostler-Event") == "" {
			t.Errorf("the answer has a body of %d bytes and the event %q", len(first.Body), first.Header.Get("X-Hostler-Event"))
		}
		read := w.owner.Get(path).Want(t, 200)
		if got := read.Text("data", "attributes", "status"); got != "removing" {
			t.Errorf("the status is %s, want removing", got)
		}
		if got := read.Text("data", "meta", "operation", "action"); got != "delete" {
			t.Errorf("meta.operation is of %s, want delete", got)
		}
		before := w.counts()
		w.owner.Delete(path).Want(t, 202)
		w.unchangedSince(before)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.DeleteFirewallRule(ctx, number(w.mine.rule))
			return err
		})
		w.owner.Delete(path).Want(t, 404)
		w.owner.Get(path).Want(t, 404)
	})
}

// Many deletes of one rule at once are one piece of work.
func TestRuleIsDeletedOnce(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		got := atOnce(t, 10, func(int) (Answer, error) { return w.owner.Try("DELETE", w.rules(w.mine.server)+"/"+w.mine.rule, nil) })
		if diff := cmp.Diff(map[int]int{202: 10}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		after := w.counts()
		for _, table := range []string{"operations", "events", "river_job"} {
			if n := after[table] - before[table]; n != 1 {
				t.Errorf("%d new rows in %s, want 1", n, table)
			}
		}
	})
}

// A rule that an older release accepted is listed as it is, beside the others.
func TestOddRuleIsListed(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		rules := w.rules(w.mine.server)
		id := w.owner.Post(rules, `{"name":"odd","type":"allow","port":"81","ip_address":"10.0.0.0/8, 192.0.2.1"}`).Want(t, 202).ID()
		if a := w.owner.Get(rules+"/"+id).Want(t, 200); a.Text("data", "attributes", "port") != "81" ||
			a.Text("data", "attributes", "ip_address") != "10.0.0.0/8,192.0.2.1" {
			t.Errorf("it reads %s", a.Body)
		}
		if _, err := w.App.DB.SQLDB().ExecContext(context.Background(),
			`UPDATE firewall_rules SET port = '8 to 9', ip_address = '10.0.0.5/8' WHERE id = $1`, number(id)); err != nil {
			t.Fatal(err)
		}
		if a := w.owner.Get(rules+"?filter[port]=8+to+9").Want(t, 200); a.Text("data", 0, "attributes", "port") != "8 to 9" ||
			a.Text("data", 0, "attributes", "ip_address") != "10.0.0.5/8" {
			t.Errorf("it lists %s", a.Body)
		}
		open := w.owner.Post(rules, `{"name":"open","type":"allow"}`).Want(t, 202)
		if open.At("data", "attributes", "port") != nil || open.At("data", "attributes", "ip_address") != nil {
			t.Errorf("a rule without port and addresses reads %s", open.Body)
		}
	})
}

func TestRulesAreBounded(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		for i := range 496 { // beside the three defaults and one of the world
			_, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{
				ServerID: number(w.mine.server), Name: fmt.Sprint(i), Type: "allow", Status: "installed",
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	wantFields(t, w.owner.Post(w.rules(w.mine.server), `{"name":"one more","type":"allow","port":"81"}`), "name")
	w.owner.Delete(w.rules(w.mine.server)+"/"+w.mine.rule).Want(t, 202)
}
