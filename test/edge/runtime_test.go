package edge

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func (w *world) siteBody(more map[string]any) map[string]any {
	body := map[string]any{"type": "laravel", "name": "runtime.example.com"}
	for k, v := range more {
		body[k] = v
	}
	return body
}

// What can be asked of a site's runtime, and what its page says of it.
func TestRuntimeOfSite(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		servers := "/orgs/acme/servers/" + w.mine.server
		update, show := servers+"/sites/"+w.mine.site, "/orgs/acme/sites/"+w.mine.site
		before := w.counts()
		for name, tt := range map[string]struct {
			body  map[string]any
			field string
		}{
			"a line that there is not":     {map[string]any{"runtime": "node", "runtime_version": "21"}, "runtime_version"},
			"a line that the mirror lacks": {map[string]any{"runtime": "node", "runtime_version": "26"}, "runtime_version"},
			"a release that there is not":  {map[string]any{"runtime": "node", "runtime_version": "22.99.0"}, "runtime_version"},
			"half a version":               {map[string]any{"runtime": "node", "runtime_version": "22.11"}, "runtime_version"},
			"with a letter, as nvm has it": {map[string]any{"runtime": "node", "runtime_version": "v22.11.0"}, "runtime_version"},
			"a name of a line":             {map[string]any{"runtime": "node", "runtime_version": "lts/*"}, "runtime_version"},
			"a range":                      {map[string]any{"runtime": "node", "runtime_version": ">=22"}, "runtime_version"},
			"a path":                       {map[string]any{"runtime": "node", "runtime_version": "../../tmp"}, "runtime_version"},
			"a line and a path":            {map[string]any{"runtime": "node", "runtime_version": "22/../x"}, "runtime_version"},
			"a command":                    {map[string]any{"runtime": "node", "runtime_version": "$(id)"}, "runtime_version"},
			"nothing":                      {map[string]any{"runtime": "node", "runtime_version": ""}, "runtime_version"},
			"a runtime without a version":  {map[string]any{"runtime": "node"}, "runtime_version"},
			"a version without a runtime":  {map[string]any{"runtime_version": "22"}, "runtime_version"},
			"a version of the system's":    {map[string]any{"runtime": "system", "runtime_version": "22"}, "runtime_version"},
			"a version of a language":      {map[string]any{"runtime": "python", "runtime_version": "3.12"}, "runtime_version"},
			"a program of a PHP site":      {map[string]any{"start_command": "./serve"}, "start_command"},
			"a command of two lines":       {map[string]any{"start_command": "./serve\n./more"}, "start_command"},
			"a command that is too long":   {map[string]any{"start_command": strings.Repeat("x", 2001)}, "start_command"},
			"a runtime that there is not":  {map[string]any{"runtime": "perl", "runtime_version": "5"}, "runtime"},
			"a version of another runtime": {map[string]any{"runtime": "bun", "runtime_version": "22"}, "runtime_version"},
			"a line of Bun":                {map[string]any{"runtime": "bun", "runtime_version": "1"}, "runtime_version"},
			"a Bun that there is not":      {map[string]any{"runtime": "bun", "runtime_version": "1.9.9"}, "runtime_version"},
			"Bun without a version":        {map[string]any{"runtime": "bun"}, "runtime_version"},
			"a Deno of before":             {map[string]any{"runtime": "deno", "runtime_version": "1"}, "runtime_version"},
			"a Deno to come":               {map[string]any{"runtime": "deno", "runtime_version": "3"}, "runtime_version"},
			"half a Deno":                  {map[string]any{"runtime": "deno", "runtime_version": "2.9"}, "runtime_version"},
			"a Deno that there is not":     {map[string]any{"runtime": "deno", "runtime_version": "2.9.99"}, "runtime_version"},
			"Deno's name of a version":     {map[string]any{"runtime": "deno", "runtime_version": "v2.9.6"}, "runtime_version"},
			"a candidate of Deno":          {map[string]any{"runtime": "deno", "runtime_version": "2.11.0-rc.1"}, "runtime_version"},
			"Deno without a version":       {map[string]any{"runtime": "deno"}, "runtime_version"},
			"a Go of before":               {map[string]any{"runtime": "go", "runtime_version": "1.20"}, "runtime_version"},
			"a Go as its commands say":     {map[string]any{"runtime": "go", "runtime_version": "go1.25.3"}, "runtime_version"},
			"half a Go":                    {map[string]any{"runtime": "go", "runtime_version": "1"}, "runtime_version"},
			"a line of which are none":     {map[string]any{"runtime": "go", "runtime_version": "1.26"}, "runtime_version"},
			"a candidate of Go":            {map[string]any{"runtime": "go", "runtime_version": "1.26rc1"}, "runtime_version"},
			// As elsewhere: actions/setup-go issue 452, and 361 for the number, which is 1.2 there.
			"another candidate of Go": {map[string]any{"runtime": "go", "runtime_version": "1.26.0-rc.1"}, "runtime_version"},
			"a number":                {map[string]any{"runtime": "go", "runtime_version": json.Number("1.20")}, "runtime_version"},
			"a Go that there is not":  {map[string]any{"runtime": "go", "runtime_version": "1.25.99"}, "runtime_version"},
			"a Go without a version":  {map[string]any{"runtime": "go", "runtime_version": ""}, "runtime_version"},
		} {
			wantFields(t, w.owner.Put(update, tt.body), tt.field)
			wantFields(t, w.owner.Post(servers+"/sites", w.siteBody(tt.body)), tt.field)
			if t.Failed() {
				t.Fatal(name)
			}
		}
		w.owner.Put(update, map[string]any{"runtime": "node", "runtime_version": "20"}).Want(t, http.StatusConflict) // the mirror can't be asked
		w.unchangedSince(before)

		is := func(a Answer, name, wanted, version string) {
			t.Helper()
			got := [3]string{a.Text("data", "meta", "runtime", "name"), a.Text("data", "meta", "runtime", "wanted"), a.Text("data", "meta", "runtime", "version")}
			if got != [3]string{name, wanted, version} || a.Text("data", "meta", "runtime", "why") == "" {
				t.Errorf("the runtime is %v: %s", got, a.Body)
			}
		}
		is(w.owner.Get(show), "system", "<nil>", "<nil>")
		is(w.owner.Put(update, map[string]any{"runtime": "node", "runtime_version": "22 "}).Want(t, http.StatusAccepted), "node", "22", "22.21.1")
		is(w.owner.Put(update, map[string]any{"runtime_version": "22.11.0"}).Want(t, http.StatusAccepted), "node", "22.11.0", "22.11.0")
		is(w.owner.Put(update, map[string]any{"directory": "/web"}).Want(t, http.StatusAccepted), "node", "22.11.0", "22.11.0")
		bun := map[string]any{"runtime": "bun", "runtime_version": "1.3.2"}
		is(w.owner.Put(update, bun).Want(t, http.StatusAccepted), "bun", "1.3.2", "1.3.2")
		wantFields(t, w.owner.Put(update, map[string]any{"runtime_version": "22"}), "runtime_version") // it is Bun that has no 22
		put := func(body map[string]any) Answer {
			t.Helper()
			return w.owner.Put(update, body).Want(t, http.StatusAccepted)
		}
		is(put(map[string]any{"runtime": "deno", "runtime_version": "2"}), "deno", "2", "2.10.0")
		is(put(map[string]any{"runtime_version": "2.1.6"}), "deno", "2.1.6", "2.1.6") // one that is not the newest: denoland/deno issue 30356
		// A line stands for its newest release, not for one of its name, of which there is none (dependabot-core issue 7895, kubectx issue 426).
		is(put(map[string]any{"runtime": "go", "runtime_version": "1.25"}), "go", "1.25", "1.25.10")
		is(put(map[string]any{"directory": "/web"}), "go", "1.25", "1.25.10")
		is(put(map[string]any{"runtime_version": "1.25.2"}), "go", "1.25.2", "1.25.2") // proxies do not list all that they have
		is(put(map[string]any{"runtime": "go"}), "go", "<nil>", "<nil>")               // the distribution's
		is(put(map[string]any{"runtime_version": "1.25.12"}), "go", "1.25.12", "1.25.12")
		w.owner.Put(update, map[string]any{"runtime_version": "1.25"}).Want(t, http.StatusConflict) // it is offered an older one
		w.owner.Put(update, map[string]any{"runtime": "node", "runtime_version": "22"}).Want(t, http.StatusAccepted)
		w.owner.Put(update, map[string]any{"runtime_version": "24.9.0"}).Want(t, http.StatusAccepted)
		w.owner.Put(update, map[string]any{"runtime_version": "24"}).Want(t, http.StatusConflict) // it is offered an older one
		is(w.owner.Get(show), "node", "24.9.0", "24.9.0")
		is(w.owner.Put(update, map[string]any{"runtime": "system"}).Want(t, http.StatusAccepted), "system", "<nil>", "<nil>")
		is(w.owner.Post(servers+"/sites", w.siteBody(map[string]any{"runtime": "node", "runtime_version": "22"})).Want(t, http.StatusAccepted), "node",
			"22", "22.21.1")
	})
}

// A program of any language is started with a line of the site's own; another line is another start, and null is what the type says.
func TestStartCommandOfSite(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		sites := "/orgs/acme/servers/" + w.mine.server + "/sites"
		body := map[string]any{
			"type": "custom", "name": "program.example.com", "runtime": "python", "start_command": "  .venv/bin/gunicorn app  ",
			"repository": "https://git.example.com/app.git", "branch": "main", "source_control_provider": "custom",
		}
		a := w.owner.Post(sites, body).Want(t, http.StatusAccepted)
		is := func(a Answer, runtime string, start any) {
			t.Helper()
			meta := a.At("data", "meta", "runtime").(map[string]any)
			if meta["name"] != runtime || meta["start_command"] != start || meta["version"] != nil {
				t.Errorf("the runtime is %v, not %s started with %v", meta, runtime, start)
			}
		}
		is(a, "python", ".venv/bin/gunicorn app")
		one := sites + "/" + a.Text("data", "id")
		is(w.owner.Put(one, map[string]any{"start_command": "./serve"}).Want(t, http.StatusAccepted), "python", "./serve")
		is(w.owner.Put(one, map[string]any{"runtime": "go"}).Want(t, http.StatusAccepted), "go", "./serve")
		is(w.owner.Put(one, map[string]any{"runtime": "system", "start_command": nil}).Want(t, http.StatusAccepted), "system", nil)
		wantFields(t, w.owner.Post(sites, map[string]any{"type": "nextjs", "name": "static.example.com", "nuxt_next_mode": "static", "start_command": "x"}),
			"start_command")
	})
}
