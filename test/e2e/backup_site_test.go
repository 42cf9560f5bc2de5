package e2e_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/s3"
)

// siteImage has what a server for sites with a database needs.
const siteImage = "e2e-app"

// blog is a typical page: settings in a file, texts in a database, pictures beside the code.
const blog = `<?php
$env = parse_ini_file(__DIR__ . '/../.env');
$db = new PDO($env['DB'], $env['DB_USER'], $env['DB_PASSWORD'], [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
foreach ($db->query('SELECT title FROM posts ORDER BY id') as $row) echo $row['title'], "; ";
echo trim(file_get_contents(__DIR__ . '/uploads/picture.txt')), "; ", $env['NAME'];
`

// "My site from nothing": a site with files, settings and a database is backed up on one server, lost, and made again on another one that is
// empty, where it is served as before.
func TestSiteFromABackup(t *testing.T) {
	panel.BuildImage(t)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, siteImage, panel.Image, "mariadb-server", "postgresql-15"); err != nil {
		t.Fatal(err)
	}
	kinds := engines
	if !full() {
		t.Log("postgres15 only with HOSTLER_E2E=full")
		kinds = engines[:1]
	}
	for _, engine := range kinds {
		t.Run(engine, func(t *testing.T) {
			image, system := siteImage, "true"
			if engine == "mysql9" {
				if err := panel.BuildMySQLImage(t); err != nil {
					t.Skipf("MySQL is not run here: %v", err)
				}
				image, system = panel.MySQLImage, hosts.AsDebian13
			}
			bed := hosts.Shared(t, 2, hosts.Image(image), hosts.Fresh())
			p := panel.Start(t, bed)
			var servers []*engineRoom
			for i := range 2 {
				bed.Host(i+1).Exec(t, "sh", "-c", system)
				servers = append(servers, addApp(t, p, bed.Host(i+1), engine))
			}
			p.ReadyWithin(t, 10*time.Minute, servers[0].Server, servers[1].Server)
			old, fresh := servers[0], servers[1]

			const name, home = "blog.example.com", "/home/forge/blog.example.com"
			first := addSite(t, p, old, name)
			database := addDatabase(t, p, old, map[string]any{"name": "blog", "user": "blog", "password": "of the blog"})
			driver := map[bool]string{true: "pgsql", false: "mysql"}[old.postgres()]
			files := map[string]string{
				"public/index.php":           blog,
				"public/uploads/picture.txt": "a picture\n",
				".env":                       fmt.Sprintf("NAME=\"the blog\"\nDB=\"%s:host=127.0.0.1;dbname=blog\"\nDB_USER=blog\nDB_PASSWORD=\"of the blog\"\n", driver),
			}
			for path, content := range files {
				full := home + "/" + path
				old.Host.Exec(t, "runuser", "-u", "forge", "--", "mkdir", "-p", full[:strings.LastIndex(full, "/")])
				mode := map[bool]fs.FileMode{true: 0o640, false: 0o644}[path == ".env"]
				old.Host.WriteFile(t, full, []byte(content), mode)
				old.Host.Exec(t, "chown", "forge:forge", full)
			}
			old.can(t, "blog", "of the blog", "blog", "CREATE TABLE posts (id INTEGER PRIMARY KEY, title VARCHAR(100))")
			old.can(t, "blog", "of the blog", "blog", "INSERT INTO posts VALUES (1, 'Hello'), (2, 'It''s me')")
			const page = "200 Hello; It's me; a picture; the blog"
			becomes(t, old.Host, name, page)

			a := &archive{Server: s3.Start(t, bucket), p: p, s: old, database: database}
			a.provider = p.Want(t, http.StatusCreated, http.MethodPost, "/storage-providers", a.Provider(bed.Gateway, bucket, "servers")).Data
			conf := p.Want(t, http.StatusAccepted, http.MethodPost, old.Path("/database/backups"), map[string]any{
				"storage_provider_id": number(a.provider.ID), "frequency": "daily", "database_ids": []int{number(database.ID)}, "retention": 2,
				"site_id": number(first.ID), "paths": []string{"public", ".env"},
			})
			a.at = old.Path("/database/backups/" + conf.Data.ID)
			o := a.run(t)
			if o.Data.Attributes.Status != "finished" || len(o.Data.Meta.Backup.Objects) != 2 || o.Data.Attributes.IsPartial != "false" {
				t.Fatalf("the backup is %+v %+v", o.Data.Attributes, o.Data.Meta.Backup)
			}

			// The first server is gone for good; the second has a site of the same name with nothing in it.
			old.Host.Kill(t)
			second := addSite(t, p, fresh, name)
			if got := pageOf(t, fresh.Host, name); got == page {
				t.Fatal("the empty site serves the page already")
			}
			answer := p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/restores", map[string]any{
				"database_id": number(database.ID), "name": "blog", "server_id": number(fresh.ID), "site_id": number(second.ID),
			})
			if state, said := a.event(t, answer); state != "succeeded" {
				t.Fatalf("restore: %s %s", state, said)
			}
			list := p.Want(t, http.StatusOK, http.MethodGet, fresh.Path("/database/schemas?filter[name]=blog"), nil).List
			if len(list) != 1 {
				t.Fatalf("the server has %d databases of the name", len(list))
			}
			addUser(t, p, fresh, map[string]any{"name": "blog", "password": "of the blog", "database_ids": ids(list[0])})
			becomes(t, fresh.Host, name, page)
			if got := strings.TrimSpace(fresh.Host.Exec(t, "stat", "-c", "%U %a", home+"/.env")); got != "forge 640" {
				t.Errorf(".env is %s", got)
			}
			// What the application writes from now on works as before.
			fresh.can(t, "blog", "of the blog", "blog", "INSERT INTO posts VALUES (3, 'Back again')")
			fresh.can(t, "blog", "of the blog", "blog", "ALTER TABLE posts ADD COLUMN later INTEGER")
		})
	}
}

func addApp(t testing.TB, p *panel.Panel, h *hosts.Host, engine string) *engineRoom {
	t.Helper()
	a := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": h.Name, "provider": "custom", "type": "app", "database_type": engine, "custom": map[string]any{"ip_address": h.IP, "ssh_port": h.Port},
	})
	if out, err := h.TryExec("sh", "-c", a.Data.Meta.Bootstrap.Command); err != nil {
		t.Fatalf("bootstrap %s: %v\n%s", h.Name, err, out)
	}
	return &engineRoom{Server: panel.Server{ID: a.Data.ID, Type: "app", Host: h}, engine: engine, password: a.Data.Meta.ShownOnce.Password}
}

func addSite(t testing.TB, p *panel.Panel, s *engineRoom, name string) panel.Resource {
	t.Helper()
	r := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{"name": name, "type": "php", "zero_downtime_deployments": false}).Data
	got := p.Settled(t, 2*time.Minute, "/sites/"+r.ID)
	if got.Text("status") != "installed" {
		t.Fatalf("the site is %s: %+v\n%s", got.Text("status"), got.Operation(), p.Output(t, s.Server, got.Operation().EventID))
	}
	return got
}

// visit is the status and the text of a site's first page, as a visitor gets them.
// becomes waits for what a site serves: what PHP compiled of a path less than two seconds ago it does not look at again.
func becomes(t testing.TB, h *hosts.Host, name, page string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if got = pageOf(t, h, name); got == page {
			return
		}
	}
	t.Fatalf("%s of %s serves %q", name, h.Name, got)
}

func pageOf(t testing.TB, h *hosts.Host, name string) string {
	t.Helper()
	code, text, err := newVisitor(h.Addr(80), name, false).get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, text))
}
