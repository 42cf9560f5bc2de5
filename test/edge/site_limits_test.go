package edge

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// What can be asked of a site's limits. The inputs of other panels' reports are numbers without a unit (Dokploy 903: "invalid memory value 4096: Must be at
// least 4MiB"), too little to start (Coolify 2900) and text with a unit (Coolify 2900, Kontena 682).
func TestLimitsOfSite(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		servers := "/orgs/acme/servers/" + w.mine.server
		update, show := servers+"/sites/"+w.mine.site, "/orgs/acme/sites/"+w.mine.site
		before := w.counts()
		for name, tt := range map[string]struct {
			limits any
			field  string
		}{
			"text alone":                     {"512M", "limits"},
			"a number alone":                 {512, "limits"},
			"a list":                         {[]any{512}, "limits"},
			"text with a unit":               {map[string]any{"memory_max": "512M"}, "limits.memory_max"},
			"half a megabyte":                {map[string]any{"memory_max": 512.5}, "limits.memory_max"},
			"too little to start":            {map[string]any{"memory_max": 4}, "limits.memory_max"},
			"nothing":                        {map[string]any{"memory_max": 0}, "limits.memory_max"},
			"less than nothing":              {map[string]any{"memory_max": -1}, "limits.memory_max"},
			"bytes":                          {map[string]any{"memory_max": 536870912}, "limits.memory_max"},
			"slowed down after it is ended":  {map[string]any{"memory_high": 513, "memory_max": 512}, "limits.memory_high"},
			"a share in two ways":            {map[string]any{"memory_max": 512, "memory_max_percent": 50}, "limits.memory_max_percent"},
			"more than all":                  {map[string]any{"memory_max_percent": 101}, "limits.memory_max_percent"},
			"a share as a text":              {map[string]any{"memory_max_percent": "50%"}, "limits.memory_max_percent"},
			"a share above the other":        {map[string]any{"memory_high_percent": 60, "memory_max_percent": 50}, "limits.memory_high_percent"},
			"slowed down at too little":      {map[string]any{"memory_high": 63}, "limits.memory_high"},
			"no share of the processors":     {map[string]any{"cpu_weight": 0}, "limits.cpu_weight"},
			"too much of a share":            {map[string]any{"cpu_weight": 10001}, "limits.cpu_weight"},
			"half a processor as a fraction": {map[string]any{"cpu_quota": 0.5}, "limits.cpu_quota"},
			"percent":                        {map[string]any{"cpu_quota": "50%"}, "limits.cpu_quota"},
			"hardly any processor":           {map[string]any{"cpu_quota": 4}, "limits.cpu_quota"},
			"no tasks for a pool":            {map[string]any{"tasks_max": 31}, "limits.tasks_max"},
			"infinity":                       {map[string]any{"tasks_max": "infinity"}, "limits.tasks_max"},
			"lines for a unit":               {map[string]any{"io_weight": "100\nExecStart=/bin/sh"}, "limits.io_weight"},
			"too few requests at once":       {map[string]any{"connections": 4}, "limits.connections"},
			"too little of the disk":         {map[string]any{"disk_max": 9}, "limits.disk_max"},
			"too few files":                  {map[string]any{"open_files": 255}, "limits.open_files"},
			"more files than a kernel has":   {map[string]any{"open_files": 1 << 21}, "limits.open_files"},
		} {
			body := map[string]any{"limits": tt.limits}
			wantFields(t, w.owner.Put(update, body), tt.field)
			wantFields(t, w.owner.Post(servers+"/sites", w.siteBody(body)), tt.field)
			if t.Failed() {
				t.Fatal(name)
			}
		}
		w.unchangedSince(before)

		is := func(a Answer, want map[string]any) {
			t.Helper()
			got, _ := a.At("data", "meta", "limits").(map[string]any)
			maps.DeleteFunc(got, func(_ string, v any) bool { return v == nil })
			if !maps.Equal(got, want) {
				t.Errorf("the limits are %v, not %v: %s", got, want, a.Body)
			}
		}
		put := func(limits any) Answer {
			t.Helper()
			return w.owner.Put(update, map[string]any{"limits": limits}).Want(t, http.StatusAccepted)
		}
		is(w.owner.Get(show), nil)
		is(put(map[string]any{"memory_high": 384, "memory_max": 512}), map[string]any{"memory_high": 384.0, "memory_max": 512.0})
		is(w.owner.Put(update, map[string]any{"directory": "/web"}).Want(t, http.StatusAccepted), map[string]any{"memory_high": 384.0, "memory_max": 512.0})
		is(put(map[string]any{"tasks_max": 100, "memory_max": nil, "connections": 50}), map[string]any{"tasks_max": 100.0, "connections": 50.0})
		is(put(map[string]any{}), nil)
		is(w.owner.Get(show), nil)
		is(w.owner.Post(servers+"/sites", w.siteBody(map[string]any{"limits": map[string]any{"cpu_quota": 150}})).Want(t, http.StatusAccepted),
			map[string]any{"cpu_quota": 150.0})

		// A percentage is judged where the memory of the server is known.
		w.memory(1 << 30)
		for _, bad := range []map[string]any{{"memory_max_percent": 6}, {"memory_high": 512, "memory_max_percent": 40}} {
			field := "limits.memory_max_percent"
			if bad["memory_high"] != nil {
				field = "limits.memory_high"
			}
			wantFields(t, w.owner.Put(update, map[string]any{"limits": bad}), field)
		}
		is(put(map[string]any{"memory_high": 400, "memory_max_percent": 40}), map[string]any{"memory_high": 400.0, "memory_max_percent": 40.0})
	})
}

// The limits of new sites are an organization's: what they are, who changes them, and which sites have them.
func TestLimitsOfNewSites(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		servers := "/orgs/acme/servers/" + w.mine.server
		of := func(a Answer, name string) map[string]any {
			got, _ := a.At("data", "meta", name).(map[string]any)
			maps.DeleteFunc(got, func(_ string, v any) bool { return v == nil })
			return got
		}
		make := func(c *Client, name string, more map[string]any) Answer {
			body := w.siteBody(more)
			body["name"] = name
			return c.Post(servers+"/sites", body)
		}
		is := func(a Answer, name string, want map[string]any) {
			t.Helper()
			if got := of(a, name); !maps.Equal(got, want) {
				t.Errorf("%s are %v, not %v: %s", name, got, want, a.Body)
			}
		}
		for field, bad := range map[string]any{
			"site_limits": "512M", "site_limits.memory_max_percent": map[string]any{"memory_max_percent": 0}, "site_limits.tasks_max": map[string]any{"tasks_max": 1},
		} {
			wantFields(t, w.owner.Put("/orgs/acme", map[string]any{"site_limits": bad}), field)
		}
		is(make(w.owner, "before.example.com", nil).Want(t, http.StatusAccepted), "limits", nil)
		usual := map[string]any{"memory_max_percent": 40.0, "tasks_max": 512.0}
		is(w.owner.Put("/orgs/acme", map[string]any{"site_limits": usual}).Want(t, http.StatusOK), "site_limits", usual)
		is(w.owner.Put("/orgs/acme", map[string]any{"name": "Another name"}).Want(t, http.StatusOK), "site_limits", usual)
		is(w.owner.Put("/orgs/acme", map[string]any{"site_limits": usual}).Want(t, http.StatusOK), "site_limits", usual)
		a := w.owner.Get("/orgs/acme").Want(t, http.StatusOK)
		if is(a, "site_limits", usual); a.Text("data", "attributes", "name") != "Another name" {
			t.Errorf("an update without the name changed it: %s", a.Body)
		}

		is(make(w.owner, "usual.example.com", nil).Want(t, http.StatusAccepted), "limits", usual)
		is(make(w.owner, "own.example.com", map[string]any{"limits": map[string]any{"memory_max": 256}}).Want(t, http.StatusAccepted), "limits",
			map[string]any{"memory_max": 256.0})
		// Usual limits are not mixed with a site's own, nor do they bound them (Kubernetes 51430, 79988).
		w.owner.Put("/orgs/acme", map[string]any{"site_limits": map[string]any{"memory_max": 512}}).Want(t, http.StatusOK)
		is(make(w.owner, "more.example.com", map[string]any{"limits": map[string]any{"memory_high": 1024}}).Want(t, http.StatusAccepted), "limits",
			map[string]any{"memory_high": 1024.0})
		is(w.owner.Put("/orgs/acme", map[string]any{"site_limits": usual}).Want(t, http.StatusOK), "site_limits", usual)
		is(make(w.owner, "none.example.com", map[string]any{"limits": map[string]any{}}).Want(t, http.StatusAccepted), "limits", nil)

		// Who may not change what other sites rely on gets the usual limits, and no others.
		creator := w.as("site:create", "server:view", "organization:view")
		is(make(creator, "theirs.example.com", nil).Want(t, http.StatusAccepted), "limits", usual)
		for _, other := range []map[string]any{{}, {"memory_max": 1024}} {
			make(creator, "others.example.com", map[string]any{"limits": other}).Want(t, http.StatusForbidden)
		}
		creator.Put("/orgs/acme", map[string]any{"site_limits": map[string]any{}}).Want(t, http.StatusForbidden)

		// A server that is too small for them refuses the site, and says of which limit.
		w.memory(128 << 20)
		wantFields(t, make(w.owner, "small.example.com", nil), "limits.memory_max_percent")
		is(make(w.owner, "chosen.example.com", map[string]any{"limits": map[string]any{"memory_max": 64}}).Want(t, http.StatusAccepted), "limits",
			map[string]any{"memory_max": 64.0})
		is(w.owner.Put("/orgs/acme", map[string]any{"site_limits": map[string]any{}}).Want(t, http.StatusOK), "site_limits", nil)
	})
}

// memory makes known how much memory the server has, in bytes.
func (w *world) memory(bytes int64) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET facts = $2 WHERE id = $1", number(w.mine.server), fmt.Sprintf(`{"memory_bytes": %d}`, bytes))
		return err
	})
}
