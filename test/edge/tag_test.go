package edge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Servers and sites are found by tag; a change of tags alone starts no work on the server.
func TestTags(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		tagged := w.owner.Post("/orgs/acme/servers", with(serverBody("tagged", "web"), "tags", []string{"Blue", "a,b"})).Want(t, 202).ID()
		first := w.owner.Post(w.sites(w.mine.server), static("first.example.org", "tags", []string{"Blue", "green"})).Want(t, 202).ID()
		second := w.owner.Post(w.sites(w.mine.server), static("second.example.org", "tags", []string{"a,b"})).Want(t, 202).ID()
		for query, want := range map[string][]string{
			"servers?filter[tag]=Blue":                              {tagged},
			"servers?filter[tag]=blue":                              {},
			"servers?filter[tag]=a":                                 {},
			"servers?filter[tag]=a,b":                               {tagged},
			"servers?filter[tag]=green":                             {},
			"servers?filter[tag]=":                                  {},
			"servers?filter[tag]=Blue&filter[name]=x":               {},
			"servers?filter[tag]=%27) OR 1=1 --":                    {},
			"sites?filter[tag]=Blue":                                {first},
			"sites?filter[tag]=Blue,green":                          {first},
			"sites?filter[tag]=a,b":                                 {second},
			"sites?filter[tag]=green&filter[name]=firs":             {first},
			"servers/" + w.mine.server + "/sites?filter[tag]=green": {first},
			"servers/" + tagged + "/sites?filter[tag]=green":        {},
		} {
			got := w.owner.Get("/orgs/acme/"+strings.ReplaceAll(query, " ", "%20")).Want(t, 200).IDs()
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s finds %v, want %v", query, got, want)
			}
		}
		if got := w.owner.Get("/sites?filter[tag]=green").Want(t, 200).IDs(); !slices.Equal(got, []string{first}) {
			t.Errorf("of all organizations: %v, want %s", got, first)
		}
		path := w.sites(w.mine.server) + "/" + w.mine.site
		events := func() int { return len(w.owner.Get("/orgs/acme/events?page[size]=200").Want(t, 200).IDs()) }
		before := events()
		a := w.owner.Put(path, map[string]any{"tags": []string{"new", "Blue", "new"}}).Want(t, 202)
		if got := fmt.Sprint(a.At("data", "meta", "tags")); got != "[Blue new]" || events() != before {
			t.Errorf("tags are %s with %d events, want [Blue new] with %d", got, events(), before)
		}
		if a := w.owner.Put(path, map[string]any{"tags": []string{"ok", ""}}).Want(t, 422); !slices.Equal(a.Fields(), []string{"tags.1"}) {
			t.Errorf("a blank tag: fields are %v", a.Fields())
		}
		if got := fmt.Sprint(w.owner.Put(path+"?dry_run=true", map[string]any{"tags": []string{"dry"}}).Want(t, 200).At("meta", "plan", "servers")); got != "[]" {
			t.Errorf("the plan of a change of tags is %s, want []", got)
		}
		w.owner.Put(path, map[string]any{"directory": "/other"}).Want(t, 202)
		if got := fmt.Sprint(w.owner.Get("/orgs/acme/sites/"+w.mine.site).Want(t, 200).At("data", "meta", "tags")); got != "[Blue new]" {
			t.Errorf("tags are %s after another change, want [Blue new]", got)
		}
		w.owner.Put(path, map[string]any{"tags": []string{}}).Want(t, 202)
		if got := w.owner.Get("/orgs/acme/sites?filter[tag]=new").Want(t, 200).IDs(); len(got) != 0 {
			t.Errorf("tags were emptied, and sites found by them: %v", got)
		}
		balanced := w.sites(w.mine.balancer) + "/" + w.mine.balancerSite
		if got := fmt.Sprint(w.owner.Put(balanced, map[string]any{"tags": []string{"front"}}).Want(t, 202).At("data", "meta", "tags")); got != "[front]" {
			t.Errorf("tags of a site on a load balancer are %s, want [front]", got)
		}
		w.owner.Put(balanced, map[string]any{}).Want(t, 202)
		w.owner.Put(balanced, map[string]any{"tags": []string{"no"}, "directory": "/public"}).Want(t, 409)
	})
}
