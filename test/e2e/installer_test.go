package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// installerImage is a web server with MariaDB, so that setting up takes seconds. WordPress and phpMyAdmin are installed by the test.
const installerImage = "nod-mariadb"

// newDatabaseRoom returns newRoom with a server that has MariaDB and a database shop.
func newDatabaseRoom(t *testing.T) *room {
	t.Helper()
	panel.BuildImage(t)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	image, engine, system := installerImage, "mariadb1011", "true"
	err := practice.BuildImage(ctx, logTo{t}, installerImage, panel.Image, "mariadb-server")
	if os.Getenv("HOSTLER_TEST_MYSQL") != "" {
		image, engine, system = panel.MySQLImage, "mysql9", hosts.AsDebian13
		err = panel.BuildMySQLImage(t)
	}
	if err != nil {
		t.Fatal(err)
	}
	bed := hosts.Shared(t, 2, hosts.Image(image), hosts.Fresh())
	p := panel.Start(t, bed)
	r := &room{Panel: p, git: bed.Host(2)}
	h := bed.Host(1)
	h.Exec(t, "sh", "-c", system)
	a := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": h.Name, "provider": "custom", "type": "app", "database_type": engine, "database": "shop",
		"custom": map[string]any{"ip_address": h.IP, "ssh_port": h.Port},
	})
	if out, err := h.TryExec("sh", "-c", a.Data.Meta.Bootstrap.Command); err != nil {
		t.Fatalf("bootstrap: %v\n%s", err, out)
	}
	r.server = panel.Server{ID: a.Data.ID, Type: "app", Host: h}
	p.ReadyWithin(t, 10*time.Minute, r.server)
	r.prepareGit(t)
	return r
}

// browser is a visitor of a site on a host, with cookies.
type browser struct {
	*http.Client
	base string
}

func newBrowser(t *testing.T, address, host string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{base: "http://" + host, Client: &http.Client{
		Timeout: 5 * time.Minute, Jar: jar,
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(address, "80"))
		}},
	}}
}

func (b *browser) page(t *testing.T, path string, form url.Values) (int, string) {
	t.Helper()
	var resp *http.Response
	var err error
	if form == nil {
		resp, err = b.Get(b.base + path)
	} else {
		resp, err = b.PostForm(b.base+path, form)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// strangers ask for the pages that install WordPress, without a pause, and so before its owner does.
type strangers struct {
	ended   chan struct{}
	rounds  chan struct{}
	wg      sync.WaitGroup
	answers map[string]int // what answered, by kind
	made    []string
}

func comeFirst(t *testing.T, address, host string) *strangers {
	t.Helper()
	s := &strangers{ended: make(chan struct{}), rounds: make(chan struct{}), answers: map[string]int{}}
	b := newBrowser(t, address, host)
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	form := url.Values{
		"weblog_title": {"Mine"}, "user_name": {"eve"}, "admin_password": {"correct horse battery"},
		"admin_password2": {"correct horse battery"}, "pw_weak": {"1"}, "admin_email": {"eve@example.com"}, "language": {""},
	}
	remote := url.Values{"dbname": {"shop"}, "uname": {"eve"}, "pwd": {"eve"}, "dbhost": {"192.0.2.1"}, "prefix": {"wp_"}, "language": {""}}
	attempts := []struct {
		path string
		form url.Values
	}{
		{"/wp-admin/install.php?step=2", form},
		{"/wp-admin/install.php/x?step=2", form},
		{"//wp-admin/./install.php?step=2", form},
		{"/wp-admin/install.php?step=1", nil},
		{"/current/wp-admin/install.php?step=2", form},
		{"/wp-admin/setup-config.php?step=2&noconfirm=1", remote},
	}
	round := func() {
		for _, a := range attempts {
			resp, err := b.Get(b.base + a.path)
			if a.form != nil && err == nil {
				resp.Body.Close()
				resp, err = b.PostForm(b.base+a.path, a.form)
			}
			if err != nil {
				s.answers["nothing"]++
				continue
			}
			raw, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			text := string(raw)
			switch {
			case strings.Contains(text, "Success!") || strings.Contains(text, "admin_password"),
				strings.Contains(a.path, "setup-config") && strings.Contains(text, "WordPress") && !strings.Contains(text, "already exists"):
				s.made = append(s.made, fmt.Sprintf("%s: %d %.300s", a.path, resp.StatusCode, text))
			case strings.Contains(text, "WordPress"):
				s.answers["WordPress"]++
			default:
				s.answers["another page"]++
			}
		}
	}
	s.wg.Go(func() {
		for {
			round()
			select {
			case <-s.ended:
				return
			case s.rounds <- struct{}{}:
			default:
			}
		}
	})
	t.Cleanup(func() { s.stop() })
	return s
}

// another returns when all attempts were made once more.
func (s *strangers) another(*testing.T) {
	<-s.rounds // may have begun before
	<-s.rounds
}

func (s *strangers) stop() {
	select {
	case <-s.ended:
	default:
		close(s.ended)
	}
	s.wg.Wait()
}

// leave ends the attempts, and returns how many were answered by what. None had an effect, or offered one.
func (s *strangers) leave(t *testing.T) map[string]int {
	t.Helper()
	s.stop()
	for _, made := range s.made {
		t.Errorf("a stranger sets it up: %s", made)
	}
	return s.answers
}

// WordPress is installed with a database of its server, with its administrator before a visitor could be, and keeps its content across deployments; phpMyAdmin
// signs in to the same database.
func TestInstallers(t *testing.T) {
	r := newDatabaseRoom(t)
	id := r.Want(t, http.StatusOK, http.MethodGet, r.server.Path("/database/schemas"), nil).List[0].ID
	user := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/database/users"), map[string]any{
		"name": "blog", "password": "it's \"$ecret\" `x`", "database_ids": []any{number(id)},
	})

	passwords := func() (out []string) { // that were changed by hand
		list, _ := r.Get(t, r.server.Path("/drift")).Attributes["differences"].([]any)
		for _, d := range list {
			if m, _ := d.(map[string]any); m["what"] == "password" {
				path, _ := m["path"].(string)
				out = append(out, path)
			}
		}
		return out
	}
	r.Status(t, time.Minute, r.server.Path("/database/users/"+user.Data.ID), "installed")
	if got := passwords(); len(got) > 0 {
		t.Errorf("passwords that were not changed are drift: %q", got)
	}
	r.server.Host.Exec(t, "mysql", "-e", "ALTER USER blog@'%' IDENTIFIED BY 'by hand'")
	if got := passwords(); !slices.Equal(got, []string{"blog"}) {
		t.Errorf("passwords that were changed by hand: %q", got)
	}
	if os.Getenv("HOSTLER_TEST_MYSQL") == "" {
		r.server.Host.Exec(t, "mysql", "-e", "ALTER USER blog@'%' IDENTIFIED BY 'it\\'s \"$ecret\" `x`'")
	} else { // there each has a salt of its own
		again := r.Want(t, http.StatusAccepted, http.MethodPut, r.server.Path("/database/users/"+user.Data.ID), map[string]any{"password": "it's \"$ecret\" `x`"})
		r.Settled(t, time.Minute, r.server.Path("/database/users/"+again.Data.ID))
	}
	if got := passwords(); len(got) > 0 {
		t.Errorf("the passwords of %q are as they were", got)
	}

	strangers := comeFirst(t, r.server.Host.IP, "blog.example.com")
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":             "wordpress",
		"name":             "blog.example.com",
		"database_id":      number(id),
		"database_user_id": number(user.Data.ID),

		"wordpress_title": "Our $blog's", "wordpress_user": "ada", "wordpress_email": "ada@example.com", "wordpress_password": `correct "horse's" battery`,
	})
	blog := r.server.Path("/sites/" + a.Data.ID)
	r.installed(t, a.Data.ID)
	r.Until(t, 3*time.Minute, blog+"/deployments/status", "deployed", func(a panel.Answer) bool {
		s := a.Data.Text("status")
		return s == "finished" || s == "failed"
	})
	first := r.Want(t, http.StatusOK, http.MethodGet, blog+"/deployments", nil).List[0]
	if first.Text("status") != "finished" {
		t.Fatalf("%+v\n%s", first.Operation(), r.deployLog(t, blog, first.ID))
	}
	b := newBrowser(t, r.server.Host.IP, "blog.example.com")
	if code, text := b.page(t, "/", nil); code != 200 || !strings.Contains(text, "Our $blog") || !strings.Contains(text, "Hello world!") {
		t.Errorf("the blog: %d %.2000s", code, text)
	}
	b.page(t, "/wp-login.php", nil)
	if code, text := b.page(t, "/wp-login.php", url.Values{
		"log": {"ada"}, "pwd": {`correct "horse's" battery`}, "testcookie": {"1"},
		"redirect_to": {"http://blog.example.com/wp-admin/"},
	}); code != 200 || !strings.Contains(text, "Dashboard") {
		t.Errorf("signing in: %d %.2000s", code, text)
	}
	r.server.Host.Exec(t, "sh", "-c", "echo mine > /home/blog-example-com/blog.example.com/wp-content/uploads-mine.txt")
	r.deployed(t, blog)
	for path, want := range map[string]string{"/": "Our $blog", "/wp-content/uploads-mine.txt": "mine"} {
		if code, text := b.page(t, path, nil); code != 200 || !strings.Contains(text, want) {
			t.Errorf("%s after another deployment: %d %.500s", path, code, text)
		}
	}
	// An empty database does not open it again, and a deployment installs it once more.
	r.server.Host.Exec(t, "sh", "-c", `mysql -N -e 'SHOW TABLES' shop | while read t; do mysql -e "DROP TABLE $t" shop; done`)
	if code, text := b.page(t, "/", nil); code != http.StatusForbidden || strings.Contains(text, "admin_password") {
		t.Errorf("with an empty database: %d %.500s", code, text)
	}
	strangers.another(t)
	r.deployed(t, blog)
	strangers.another(t)
	answers := strangers.leave(t)
	t.Logf("strangers tried to install it: %v", answers)
	if answers["WordPress"] == 0 || answers["another page"] == 0 {
		t.Errorf("no attempt was answered before the installation, or after it: %v", answers)
	}
	if got := strings.TrimSpace(r.server.Host.Exec(t, "mysql", "-N", "-e", "SELECT user_login FROM wp_users", "shop")); got != "ada" {
		t.Errorf("who can sign in: %q", got)
	}
	if mode := strings.TrimSpace(r.server.Host.Exec(t, "sh", "-c",
		"stat -Lc '%a %U' /home/blog-example-com/blog.example.com/current/wp-config.php; systemctl is-enabled apache2 2>&1 || true")); !strings.HasPrefix(mode,
		"600 blog-example-com") || strings.Contains(mode, "enabled") {
		t.Errorf("wp-config.php and Apache: %s", mode)
	}

	a = r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":          "phpmyadmin",
		"name":          "db.example.com",
		"is_isolated":   true,
		"isolated_user": "dba",
	})
	admin := r.server.Path("/sites/" + a.Data.ID)
	r.installed(t, a.Data.ID)
	r.Until(t, 3*time.Minute, admin+"/deployments/status", "deployed", func(a panel.Answer) bool { return a.Data.Text("status") == "finished" })
	m := newBrowser(t, r.server.Host.IP, "db.example.com")
	_, login := m.page(t, "/", nil)
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(login)
	session := regexp.MustCompile(`name="set_session" value="([^"]+)"`).FindStringSubmatch(login)
	if token == nil || session == nil {
		t.Fatalf("phpMyAdmin's first page: %.3000s", login)
	}
	if code, text := m.page(t, "/index.php?route=/", url.Values{
		"set_session": {session[1]}, "pma_username": {"blog"}, "pma_password": {"it's \"$ecret\" `x`"}, "server": {"1"},
		"token": {token[1]},
	}); code != 200 || !strings.Contains(text, "shop") {
		t.Errorf("signing in to phpMyAdmin: %d %.3000s", code, text)
	}
	for _, path := range []string{"/config.inc.php", "/tmp/", "/.env", "/setup/", "/setup/index.php?page=servers&mode=add", "/setup/index.php/x"} {
		if code, text := m.page(t, path, nil); code == 200 && (strings.Contains(text, "blowfish") || strings.Contains(text, "phpMyAdmin setup")) {
			t.Errorf("%s is served: %d %.200s", path, code, text)
		}
	}
	if got, _ := r.server.Host.TryExec("sh", "-c", "runuser -u forge -- cat /home/dba/db.example.com/config.inc.php"); strings.Contains(got, "blowfish") {
		t.Error("another account reads the secret of phpMyAdmin")
	}
}

// A repository with the shape of Laravel's, since no registry of packages can be reached: the site's database is in its environment, it migrates
// and writes what releases share, as its own account.
func TestDeployWithDatabase(t *testing.T) {
	r := newDatabaseRoom(t)
	id := r.Want(t, http.StatusOK, http.MethodGet, r.server.Path("/database/schemas"), nil).List[0].ID
	const artisan = `<?php
foreach (parse_ini_file(__DIR__.'/.env') as $k => $v) { putenv("$k=$v"); }
$db = new PDO('mysql:host='.getenv('DB_HOST').';dbname='.getenv('DB_DATABASE'), getenv('DB_USERNAME'), getenv('DB_PASSWORD'));
$db->exec('CREATE TABLE IF NOT EXISTS visits (at TIMESTAMP)');
file_put_contents(__DIR__.'/storage/log', implode(' ', array_slice($argv, 1))."\n", FILE_APPEND);
`
	repo := r.repository(t, "app", map[string]string{"artisan": artisan, "storage/.gitignore": "", "public/index.php": `<?php
foreach (parse_ini_file(__DIR__.'/../.env') as $k => $v) { putenv("$k=$v"); }
$db = new PDO('mysql:host='.getenv('DB_HOST').';dbname='.getenv('DB_DATABASE'), getenv('DB_USERNAME'), getenv('DB_PASSWORD'));
$db->exec('INSERT INTO visits VALUES (NOW())');
echo 'visit ', $db->query('SELECT COUNT(*) FROM visits')->fetchColumn(), ' ', trim(file(__DIR__.'/../storage/log')[2]), ' ', getenv('APP_ENV');`})
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":        "laravel",
		"name":        "app.example.com",
		"repository":  repo,
		"branch":      "main",
		"database_id": number(id),
	})
	site := r.server.Path("/sites/" + a.Data.ID)
	r.installed(t, a.Data.ID)
	r.letIn(t, site)
	if got := r.Get(t, "/sites/"+a.Data.ID).Text("database"); got != "shop" {
		t.Errorf("the site's database is %q", got)
	}
	r.deployed(t, site)
	for i := 1; i <= 2; i++ {
		if got := r.serves(t, "app.example.com", "/"); got != fmt.Sprintf("200 visit %d migrate --force production", i) {
			t.Errorf("it serves %q", got)
		}
	}
}
