package edge

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// rows is how many there are in the lists of these tests; no multiple of a page.
const rows = 95

// names that sort differently by bytes, by letters and by language.
var names = []string{"a", "A", "b", "B", "Z", "z", "a-b", "a b", "aB", "a_b", "10", "9", "same", "same", "same"}

// manyServers returns in an organization of their own: names repeat, PHP is null for some, times repeat.
func manyServers(w *world) (*Client, string) {
	w.T.Helper()
	user := w.User("lister")
	org := w.Organization("lists", user)
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		for i := range rows {
			if err := insertServer(ctx, tx, org.ID, i); err != nil {
				return err
			}
		}
		return nil
	})
	return w.Of(user), "/orgs/lists/servers"
}

func insertServer(ctx context.Context, tx *db.Tx, org int64, i int) error {
	name := names[i%len(names)]
	var php *string
	if i%3 > 0 {
		v := "php8" + strconv.Itoa(i%4)
		php = &v
	}
	at := tx.Now.Add(time.Duration(i%20) * time.Microsecond).UnixMicro()
	status := "connecting"
	_, err := tx.InsertServer(ctx, query.InsertServerParams{
		OrganizationID: org, Name: name, Slug: "x", Type: "app", Provider: "custom", Status: "ready", SSHPort: 22,
		SSHUser: "root", Timezone: "UTC", PHPVersion: php, ConnectionStatus: &status, CreatedAt: at, UpdatedAt: at,
	})
	return err
}

// walk reads a list page by page from a cursor, and returns its rows.
func walk(t *testing.T, c *Client, path string, values url.Values, direction string, between func()) (ids []string, pages int, last Answer) {
	t.Helper()
	for {
		a := c.Get(path+"?"+values.Encode()).Want(t, 200)
		page := a.IDs()
		if direction == "prev" {
			ids = append(slices.Clone(page), ids...)
		} else {
			ids = append(ids, page...)
		}
		pages, last = pages+1, a
		link, cursor := a.At("links", direction), a.At("meta", direction+"_cursor")
		if (link == nil) != (cursor == nil) {
			t.Fatalf("links.%s is %v, meta.%s_cursor %v", direction, link, direction, cursor)
		}
		if cursor == nil {
			return ids, pages, last
		}
		if u, err := url.Parse(link.(string)); err != nil || u.Query().Get("page[cursor]") != cursor ||
			u.Query().Get("sort") != values.Get("sort") || u.Query().Get("page[size]") != values.Get("page[size]") {
			t.Fatalf("links.%s is %v for the cursor %v", direction, link, cursor)
		}
		if pages > 2*rows {
			t.Fatal("the pages have no end")
		}
		values.Set("page[cursor]", cursor.(string))
		if between != nil {
			between()
		}
	}
}

var sorts = []string{"", "name", "-name", "php_version", "-php_version", "created_at", "-created_at", "php_version,-name", "-created_at,name", "name,name"}

func TestPages(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		c, path := manyServers(w)
		for _, sort := range sorts {
			sizes := []int{7, 30, 95}
			if sort == "" || sort == "php_version,-name" {
				sizes = []int{1, 7, 94, 95, 200}
			}
			for _, size := range sizes {
				values := url.Values{"page[size]": {strconv.Itoa(size)}}
				if sort != "" {
					values.Set("sort", sort)
				}
				t.Run(values.Encode(), func(t *testing.T) {
					whole := c.Get(path+"?"+url.Values{"page[size]": {"200"}, "sort": values["sort"]}.Encode()).Want(t, 200)
					want := whole.IDs()
					if len(want) != rows || whole.At("links", "next") != nil || whole.At("links", "prev") != nil {
						t.Fatalf("the whole list has %d rows, next %v", len(want), whole.At("links", "next"))
					}
					forward, pages, last := walk(t, c, path, values, "next", nil)
					if diff := cmp.Diff(want, forward); diff != "" {
						t.Errorf("forward (-want +got):\n%s", diff)
					}
					if n := (rows + size - 1) / size; pages != n {
						t.Errorf("%d pages, want %d", pages, n)
					}
					cursor, ok := last.At("meta", "prev_cursor").(string)
					if !ok {
						if pages > 1 {
							t.Error("the last page has no cursor back")
						}
						return
					}
					values.Set("page[cursor]", cursor)
					back, _, first := walk(t, c, path, values, "prev", nil)
					if diff := cmp.Diff(want, append(back, last.IDs()...)); diff != "" {
						t.Errorf("back (-want +got):\n%s", diff)
					}
					if first.At("meta", "next_cursor") == nil && pages > 1 {
						t.Error("the first page, reached backward, has no cursor forward")
					}
				})
			}
		}
	})
}

// The order is by bytes, nothing before something, and the same on both databases.
func TestOrder(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		c, path := manyServers(w)
		column := func(sort, name string) []string {
			a := c.Get(path+"?page[size]=200&sort="+sort).Want(t, 200)
			out := make([]string, rows)
			for i := range out {
				out[i], _ = a.At("data", i, "attributes", name).(string)
			}
			return out
		}
		for _, name := range []string{"name", "php_version", "created_at"} {
			up, down := column(name, name), column("-"+name, name)
			if !slices.IsSorted(up) {
				t.Errorf("sort=%s gives %v", name, up)
			}
			slices.Reverse(down)
			if diff := cmp.Diff(up, down); diff != "" {
				t.Errorf("sort=-%s is not sort=%s backward:\n%s", name, name, diff)
			}
		}
		newest := c.Get(path+"?sort=-created_at&page[size]=2").Want(t, 200).IDs()
		if number(newest[0]) < number(newest[1]) {
			t.Errorf("of rows of one time the newest is not the first: %v", newest)
		}
	})
}

// Rows that are inserted during paging move no existing one.
func TestPagesWhileRowsCome(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		c, path := manyServers(w)
		var org int64
		e.Tx(func(ctx context.Context, tx *db.Tx) error {
			return tx.SQL.QueryRowContext(ctx, "SELECT id FROM organizations WHERE slug = 'lists'").Scan(&org)
		})
		n := rows
		for _, sort := range sorts {
			values := url.Values{"page[size]": {"10"}}
			if sort != "" {
				values.Set("sort", sort)
			}
			before, _, _ := walk(t, c, path, url.Values{"page[size]": {"200"}, "sort": values["sort"]}, "next", nil)
			got, _, _ := walk(t, c, path, values, "next", func() {
				e.Tx(func(ctx context.Context, tx *db.Tx) error {
					n++
					return insertServer(ctx, tx, org, n)
				})
			})
			seen := map[string]bool{}
			for _, id := range got {
				if seen[id] {
					t.Errorf("sort=%s: %s comes twice", sort, id)
				}
				seen[id] = true
			}
			known := slices.DeleteFunc(got, func(id string) bool { return !slices.Contains(before, id) })
			if diff := cmp.Diff(before, known); diff != "" {
				t.Errorf("sort=%s: what was there (-want +got):\n%s", sort, diff)
			}
		}
	})
}

func TestCursors(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		c, path := manyServers(w)
		cursor := func(query string) string {
			s, _ := c.Get(path+"?page[size]=5"+query).Want(t, 200).At("meta", "next_cursor").(string)
			return url.QueryEscape(s)
		}
		plain, byName := cursor(""), cursor("&sort=name")
		c.Get(path+"?page[cursor]="+plain).Want(t, 200)
		c.Get(path+"?sort=name&page[cursor]="+byName+"&filter[name]=a").Want(t, 200)
		for name, query := range map[string]string{
			"of another order":      "?sort=name&page[cursor]=" + plain,
			"of no order":           "?page[cursor]=" + byName,
			"of the order backward": "?sort=-name&page[cursor]=" + byName,
			"of more":               "?sort=name,created_at&page[cursor]=" + byName,
			"cut":                   "?page[cursor]=" + plain[:len(plain)-3],
			"not base64":            "?page[cursor]=!!",
			"JSON of something":     "?page[cursor]=e30",
		} {
			if a := c.Get(path+query).Want(t, 400); !strings.Contains(a.Text("message"), "page[cursor]") {
				t.Errorf("%s: %s", name, a.Body)
			}
		}
		// A cursor of one list means nothing in another, though both have no order.
		w.owner.Get(w.rules(w.mine.server)+"?page[cursor]="+plain).Want(t, 400)
		w.owner.Get("/orgs/acme/events?page[cursor]="+plain).Want(t, 400)
		w.owner.Get("/orgs?page[cursor]="+plain).Want(t, 400)
		if got := w.owner.Get("/orgs/acme/servers?page[size]=200&page[cursor]="+plain).Want(t, 200).IDs(); len(got) > 6 {
			t.Errorf("a cursor leads to servers of others: %v", got)
		}
	})
}

func TestFilters(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		user := w.User("filters")
		w.Organization("filters", user)
		c := w.Of(user)
		id := c.Post("/orgs/filters/servers", with(with(serverBody("Web 1", "app"), "php_version", "php84"), "custom",
			map[string]any{"ip_address": "192.0.2.10"})).Want(t, 202).ID()
		c.Post("/orgs/filters/servers", with(serverBody("web-2", "app"), "php_version", "php83")).Want(t, 202)
		c.Post("/orgs/filters/servers", serverBody("DB_100", "database")).Want(t, 202)
		for query, want := range map[string]string{
			"filter[name]=web":                                    "Web 1,web-2",
			"filter[name]=WEB":                                    "Web 1,web-2",
			"filter[name]=eb 1":                                   "Web 1",
			"filter[name]=b_1":                                    "DB_100",
			"filter[name]=b%251":                                  "",
			"filter[name]=%25":                                    "",
			"filter[name]=_":                                      "DB_100",
			`filter[name]=\`:                                      "",
			"filter[name]=1,2":                                    "Web 1,web-2,DB_100",
			"filter[name]=db,2":                                   "web-2,DB_100",
			"filter[name]=":                                       "Web 1,web-2,DB_100",
			"filter[name]=nothing":                                "",
			"filter[name]=x&filter[name]=db":                      "DB_100",
			"filter[php_version]=php84":                           "Web 1",
			"filter[php_version]=php8":                            "",
			"filter[php_version]=PHP84":                           "",
			"filter[php_version]=php84,php83":                     "Web 1,web-2",
			"filter[php_version]=":                                "",
			"filter[php_version]=php84,php83&filter[name]=2":      "web-2",
			"filter[ip_address]=192.0.2.10":                       "Web 1",
			"filter[region]=custom&filter[size]=custom":           "Web 1,web-2,DB_100",
			"filter[provider]=hetzner":                            "",
			"filter[name]=web&sort=-name":                         "web-2,Web 1",
			"filter[name]=' OR 1=1 --":                            "",
			"filter[database_type]=') OR 1=1 --":                  "",
			"filter[name]=web&page[size]=1&filter[unknown]=":      "400",
			"filter[name]=web&filter[php_version]=php84,php84,x,": "Web 1",
		} {
			a := c.Get("/orgs/filters/servers?" + strings.NewReplacer(" ", "%20", "'", "%27", `\`, "%5c").Replace(query))
			if want == "400" {
				a.Want(t, 400)
				continue
			}
			a.Want(t, 200)
			var got []string
			for i := range a.IDs() {
				got = append(got, a.Text("data", i, "attributes", "name"))
			}
			if strings.Join(got, ",") != want {
				t.Errorf("?%s finds %v, want %s", query, got, want)
			}
		}
		// Letters beyond ASCII are found as they are written, on both databases.
		rules := "/orgs/filters/servers/" + id + "/firewall-rules"
		c.Post(rules, map[string]any{"name": "Über Straße", "type": "allow", "port": "81", "ip_address": "10.0.0.1,10.0.0.2"}).Want(t, 202)
		for query, want := range map[string]int{
			"filter[name]=Über":         1,
			"filter[name]=STRA":         1,
			"filter[name]=über":         0,
			"filter[name]=Straße":       1,
			"filter[name]=ü":            0,
			"filter[ip_address]=0.0.2":  1,
			"filter[port]=81":           1,
			"filter[status]=installing": 4,
			"filter[type]=deny":         0,
		} {
			if got := c.Get(rules+"?"+url.PathEscape(query)).Want(t, 200).IDs(); len(got) != want {
				t.Errorf("?%s finds %d rules, want %d", query, len(got), want)
			}
		}
	})
}

func TestIncludes(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		tagged := w.owner.Post(w.sites(w.mine.server), static("tagged.example.org", "tags", []string{"a", "b"})).Want(t, 202).ID()
		w.owner.Post(w.sites(w.other.server), static("other.example.org", "tags", []string{"b"})).Want(t, 202)
		types := func(a Answer) map[string]int {
			out := map[string]int{}
			list, _ := a.At("included").([]any)
			for i := range list {
				out[a.Text("included", i, "type")]++
			}
			return out
		}
		for include, want := range map[string]map[string]int{
			"": {}, "server": {"servers": 4}, "tags": {"tags": 2}, "server,tags": {"servers": 4, "tags": 2},
			"latestDeployment,securityRules,redirectRules": {"deployments": 2, "securityRules": 2, "redirect-rules": 2}, "tagsCount,serverExists": {},
		} {
			a := w.owner.Get("/orgs/acme/sites?include="+include).Want(t, 200)
			if diff := cmp.Diff(want, types(a)); diff != "" {
				t.Errorf("include=%s (-want +got):\n%s", include, diff)
			}
		}
		a := w.owner.Get("/orgs/acme/sites?filter[name]=tagged&include=tagsCount,tagsExists,serverCount,latestDeploymentExists,securityRulesCount").Want(t, 200)
		want := map[string]any{"tagsCount": 2.0, "tagsExists": true, "serverCount": 1.0, "latestDeploymentExists": false, "securityRulesCount": 0.0}
		if diff := cmp.Diff(want, a.At("data", 0, "meta", "included")); diff != "" || a.IDs()[0] != tagged {
			t.Errorf("meta.included of %v (-want +got):\n%s", a.IDs(), diff)
		}
		if a := w.owner.Get("/orgs/acme/sites?filter[name]=tagged").Want(t, 200); a.At("data", 0, "meta", "included") != nil {
			t.Errorf("meta.included is %v though nobody asked", a.At("data", 0, "meta", "included"))
		}
		a = w.owner.Get("/orgs/acme/events?include=initiator,site&page[size]=200").Want(t, 200)
		if diff := cmp.Diff(map[string]int{"users": 1, "sites": 6}, types(a)); diff != "" {
			t.Errorf("events with include (-want +got):\n%s", diff)
		}
		if a := w.owner.Get("/sites?include=server").Want(t, 200); types(a)["servers"] != 4 {
			t.Errorf("sites everywhere include %v", types(a))
		}
		w.owner.Get("/orgs/acme/sites?include=server,").Want(t, 400)
		// What a list includes, its single resources do.
		one := w.owner.Get("/orgs/acme/sites/"+tagged+"?include=tags,server,securityRulesCount").Want(t, 200)
		if diff := cmp.Diff(map[string]int{"tags": 2, "servers": 1}, types(one)); diff != "" || one.At("data", "meta", "included", "securityRulesCount") != 0.0 {
			t.Errorf("a site with include (-want +got):\n%s, counts %v", diff, one.At("data", "meta", "included"))
		}
		w.owner.Get("/orgs/acme/sites/"+tagged+"?include=nothing").Want(t, 400)
		event := w.owner.Get("/orgs/acme/servers/"+w.mine.server+"/events?page[size]=200&sort=-created_at").Want(t, 200).IDs()[0]
		one = w.owner.Get("/orgs/acme/servers/"+w.mine.server+"/events/"+event+"?include=initiator").Want(t, 200)
		if diff := cmp.Diff(map[string]int{"users": 1}, types(one)); diff != "" {
			t.Errorf("an event with include (-want +got):\n%s", diff)
		}
		one = w.owner.Get("/predefined-roles/1?include=permissions,permissionsCount").Want(t, 200)
		if n := types(one)["permissions"]; n == 0 || one.At("data", "meta", "included", "permissionsCount") != float64(n) {
			t.Errorf("a role includes %v, counts %v", types(one), one.At("data", "meta", "included"))
		}
		// Every list with include has it on the operation that shows one of its resources.
		ops := map[string]api.Operation{}
		for _, op := range w.App.Router.Operations() {
			ops[op.ID] = op
		}
		for id, op := range ops {
			show, ok := ops[strings.TrimSuffix(id, ".index")+".show"]
			if ok && len(op.Includes) > len(show.Includes) {
				t.Errorf("%s includes %d relationships, %s %d", id, len(op.Includes), show.ID, len(show.Includes))
			}
		}
	})
}
