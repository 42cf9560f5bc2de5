package edge

import (
	"maps"
	"net/http"
	"testing"
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
			"slowed down at too little":      {map[string]any{"memory_high": 63}, "limits.memory_high"},
			"no share of the processors":     {map[string]any{"cpu_weight": 0}, "limits.cpu_weight"},
			"too much of a share":            {map[string]any{"cpu_weight": 10001}, "limits.cpu_weight"},
			"half a processor as a fraction": {map[string]any{"cpu_quota": 0.5}, "limits.cpu_quota"},
			"percent":                        {map[string]any{"cpu_quota": "50%"}, "limits.cpu_quota"},
			"hardly any processor":           {map[string]any{"cpu_quota": 4}, "limits.cpu_quota"},
			"no tasks for a pool":            {map[string]any{"tasks_max": 31}, "limits.tasks_max"},
			"infinity":                       {map[string]any{"tasks_max": "infinity"}, "limits.tasks_max"},
			"lines for a unit":               {map[string]any{"io_weight": "100\nExecStart=/bin/sh"}, "limits.io_weight"},
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
		is(put(map[string]any{"tasks_max": 100, "memory_max": nil}), map[string]any{"tasks_max": 100.0})
		is(put(map[string]any{}), nil)
		is(w.owner.Get(show), nil)
		is(w.owner.Post(servers+"/sites", w.siteBody(map[string]any{"limits": map[string]any{"cpu_quota": 150}})).Want(t, http.StatusAccepted),
			map[string]any{"cpu_quota": 150.0})
	})
}
