package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// nodeApp returns a Node program without dependencies: it returns its version, its account and a variable of its environment.
func nodeApp(version, server string) map[string]string {
	return map[string]string{
		"package.json":      `{"name":"app","version":"1.0.0","private":true,"scripts":{"build":"node build.js","start":"node server.js"}}`,
		"package-lock.json": `{"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"app","version":"1.0.0"}}}`,
		"build.js":          `require('fs').writeFileSync('built.txt', 'app ` + version + `')`,
		"server.js":         server,
	}
}

const nodeServer = `const http = require('http'), fs = require('fs'), os = require('os')
const text = fs.readFileSync('built.txt', 'utf8') + ' as ' + os.userInfo().username + ' ' + process.env.SHADE
http.createServer((q, r) => {
	if (q.url === '/slow') { setTimeout(() => r.end('slow ' + text), 3000); return }
	r.end(text)
}).listen(process.env.PORT)
`

// nodeImage is a web server that has npm already: the five hundred packages that it is made of take minutes. HOSTLER_E2E=full installs it on demand.
const nodeImage = "nod-node"

func newNodeRoom(t *testing.T) *room {
	t.Helper()
	if os.Getenv("HOSTLER_E2E") == "full" {
		return newRoom(t)
	}
	panel.BuildImage(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, nodeImage, panel.Image, "npm"); err != nil {
		t.Fatal(err)
	}
	return newRoomOf(t, nodeImage)
}

// A program of Node's is deployed from a Git server, takes the place of the one from before while visitors ask on, and gives way again
// when it is broken.
func TestDeployNode(t *testing.T) {
	r := newNodeRoom(t)
	repo := r.repository(t, "app", nodeApp("1", nodeServer))
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":           "other",
		"name":           "app.example.com",
		"repository":     repo,
		"branch":         "main",
		"nuxt_next_mode": "server",
		"is_isolated":    true,
		"isolated_user":  "app",
	})
	r.installed(t, a.Data.ID) // npm first
	site := r.server.Path("/sites/" + a.Data.ID)
	r.letIn(t, site)
	if got := r.serves(t, "app.example.com", "/"); got != "503 The program of this site does not answer." {
		t.Errorf("before the first deployment: %q", got)
	}
	r.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "SHADE=\"dark blue\"\nPORT=1\n"})
	r.deployed(t, site) // waits for the variables
	if got := r.serves(t, "app.example.com", "/"); got != "200 app 1 as app dark blue" {
		t.Fatalf("the first deployment serves %q", got)
	}

	// Visitors keep requesting pages while releases change.
	stop := pressureOf(t, r.server.Host.IP, "app.example.com", false, 1)
	slow := make(chan string, 1)
	for i := 2; i <= 3; i++ {
		r.commit(t, "app", fmt.Sprintf("Version %d", i), nodeApp(fmt.Sprint(i), nodeServer))
		if i == 3 { // a request that takes longer than the deployment's switch
			go func() { slow <- r.slowly("app.example.com", "/slow") }()
		}
		r.deployed(t, site)
	}
	if got := <-slow; got != "200 slow app 2 as app dark blue" && got != "200 slow app 3 as app dark blue" {
		t.Errorf("a request during a deployment got %q", got)
	}
	// What it says before it ends is shown, however much it says before that.
	r.commit(t, "app", "Ends at once", nodeApp("4", "for (let i = 0; i < 50; i++) console.log('still here'); console.log('out of cheese'); process.exit(1)\n"))
	broken := r.deploy(t, site)
	if log := r.deployLog(t, site, broken.ID); broken.Text("status") != "failed" ||
		!strings.Contains(broken.Operation().Reason, "ended each time") || !strings.Contains(log, "out of cheese") {
		t.Errorf("a program that ends: %s %+v\n%s", broken.Text("status"), broken.Operation(), log)
	}
	r.Want(t, http.StatusNoContent, http.MethodPut, site+"/healthcheck", map[string]any{"healthcheck_endpoint": "http://app.example.com/"})
	r.commit(t, "app", "Unwell", nodeApp("5", strings.Replace(nodeServer, "r.end(text)", "r.statusCode = 500; r.end(text)", 1)))
	if d := r.deployWithin(t, site, 3*time.Minute); d.Text("status") != "failed" || !strings.Contains(d.Operation().Reason, "500") {
		t.Errorf("an unwell program: %s %+v", d.Text("status"), d.Operation())
	}
	y := stop()
	if len(y.failed) > 0 {
		t.Errorf("%d of %d requests failed, the first: %s", len(y.failed), y.total, y.failed[0])
	}
	t.Logf("%d requests during 4 deployments, 2 of them broken", y.total)
	if got := r.serves(t, "app.example.com", "/"); got != "200 app 3 as app dark blue" {
		t.Errorf("after broken deployments: %q", got)
	}
	if units := r.units(t); len(units) != 1 {
		t.Errorf("units that run: %v", units)
	}

	// It comes back with its server.
	r.server.Host.Reboot(t)
	r.eventually(t, "app.example.com", "200 app 3 as app dark blue")

	r.Want(t, http.StatusAccepted, http.MethodDelete, site, nil)
	r.Gone(t, 2*time.Minute, "/sites/"+a.Data.ID)
	if left := r.server.Host.Exec(t,
		"sh", "-c", "ls /etc/systemd/system /etc/nginx/conf.d /var/lib/hostler/services | grep -e hostler-site -e '-nodes' -e '[.]env$' || true; ps -u app "+
			"-o args= || true"); strings.TrimSpace(left) != "" {
		t.Errorf("left of a deleted site:\n%s", left)
	}
}

// What a build of Next.js and of Nuxt leaves is started as each of them is. The frameworks are stand-ins with their shape: a practice host reaches
// no registry of packages.
func TestDeployFrameworks(t *testing.T) {
	r := newNodeRoom(t)
	next := map[string]string{
		"package.json": `{"name":"app","version":"1.0.0","private":true,"scripts":{"build":"next build"},"dependencies":{"next":"file:./vendor/next"}}`,
		"package-lock.json": `{"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"app",` +
			`"version":"1.0.0","dependencies":{"next":"file:./vendor/next"}},"node_modules/next":{"resolved":"vendor/next","link":true},` +
			`"vendor/next":{"version":"15.0.0","bin":{"next":"dist/bin/next"}}}}`,
		"vendor/next/package.json": `{"name":"next","version":"15.0.0","bin":{"next":"dist/bin/next"}}`,
		"vendor/next/dist/bin/next": `#!/usr/bin/env node
const [verb, ...args] = process.argv.slice(2), at = k => args[args.indexOf(k) + 1]
if (verb === 'build') { require('fs').mkdirSync('.next', {recursive: true}); require('fs').writeFileSync('.next/BUILD_ID', 'built'); process.exit(0) }
require('http').createServer((q, r) => r.end('next ' +
	require('fs').readFileSync('.next/BUILD_ID') + ' ' + process.env.NODE_ENV)).listen(+at('--port'), at('--hostname'))
`,
	}
	nuxt := map[string]string{
		"package.json":      `{"name":"app","version":"1.0.0","private":true,"scripts":{"build":"node build.js"}}`,
		"package-lock.json": `{"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"app","version":"1.0.0"}}}`,
		"build.js": "const fs = require('fs'); fs.mkdirSync('.output/server', {recursive: true}); fs.mkdirSync('.output/public', {recursive: true}); " +
			"fs.writeFileSync('.output/public/index.html', 'nuxt files')\n" +
			"fs.writeFileSync('.output/server/index.mjs', \"import http from 'node:http'\\nhttp.createServer((q, r) => r.end('nuxt " +
			"server')).listen(+process.env.NITRO_PORT, process.env.NITRO_HOST)\\n\")\n",
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		more  map[string]any
		want  string
	}{
		{"next", next, map[string]any{"type": "nextjs", "nuxt_next_port": 3000}, "200 next built production"},
		{"nuxt", nuxt, map[string]any{"type": "nuxtjs"}, "200 nuxt server"},
		{"generated", nuxt, map[string]any{"type": "nuxtjs", "nuxt_next_mode": "static"}, "200 nuxt files"},
		{"monorepo", below("apps/web", nuxt), map[string]any{"type": "nuxtjs", "root_directory": "/apps/web"}, "200 nuxt server"},
	} {
		host := tt.name + ".example.com"
		body := map[string]any{"name": host, "repository": r.repository(t, tt.name, tt.files), "branch": "main"}
		for k, v := range tt.more {
			body[k] = v
		}
		a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), body)
		r.installed(t, a.Data.ID)
		site := r.server.Path("/sites/" + a.Data.ID)
		r.letIn(t, site)
		r.deployed(t, site)
		if got := r.serves(t, host, "/"); got != tt.want {
			t.Errorf("%s serves %q", tt.name, got)
		}
	}
}

// below returns files in a directory.
func below(dir string, files map[string]string) map[string]string {
	out := map[string]string{}
	for path, content := range files {
		out[dir+"/"+path] = content
	}
	return out
}

// slowly asks once, with a longer timeout than serves, and reports failures.
func (r *room) slowly(name, path string) string {
	v := newVisitor(r.server.Host.IP, name, false)
	v.base = strings.TrimSuffix(v.base, "/") + path
	code, text, err := v.get(context.Background())
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(code, " ", text)
}

// eventually waits until a site serves this.
func (r *room) eventually(t testing.TB, name, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if got = r.slowly(name, "/"); got == want {
			return
		}
	}
	t.Errorf("%s serves %q", name, got)
}

// units returns the programs of sites that run.
func (r *room) units(t testing.TB) []string {
	t.Helper()
	return strings.Fields(r.server.Host.Exec(t, "sh", "-c", "systemctl list-units --plain --no-legend --state=active,activating 'hostler-site-*' | cut -d' ' -f1"))
}
