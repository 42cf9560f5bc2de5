package found_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/noun/deployment/found"
)

func filesOf(m map[string]string) (out []release.File) {
	for path, content := range m {
		out = append(out, release.File{Path: path, Content: content})
	}
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// said returns an application as one line: name, type, runtime with version and what asks for it, and how it is started.
func said(a *found.Application) string {
	if a == nil {
		return "nothing"
	}
	out := a.Name + ", " + a.Type
	if r := a.Runtime; r != nil {
		out += ", " + strings.TrimSpace(r.Name+" "+text(r.Version))
		if r.Asks != nil {
			out += " (" + *r.File + ": " + *r.Asks + ")"
		}
	}
	if a.PackageManager != nil {
		out += ", " + *a.PackageManager
	}
	if a.StartCommand != nil {
		out += ": " + *a.StartCommand
	}
	return out
}

// Each of these is a repository as its framework's own tool makes it, or as people have it.
func TestApplications(t *testing.T) {
	t.Parallel()
	const next = `{"dependencies": {"next": "16.1.0", "react": "19"}, "engines": {"node": ">=20.9.0"}, "scripts": {"start": "next start"}}`
	for name, c := range map[string]struct {
		files map[string]string
		in    string
		want  string
	}{
		"Next.js": {map[string]string{"package.json": next, "package-lock.json": ""}, "", "Next.js, nextjs, node 24 (package.json: >=20.9.0), npm"},
		"Next.js in a directory, with a version above it": {
			map[string]string{"apps/web/package.json": `{"dependencies": {"next": "15"}}`, ".nvmrc": "22\n", "package.json": "{}", "pnpm-lock.yaml": ""}, "/apps/web",
			"Next.js, nextjs, node 22 (.nvmrc: 22), pnpm",
		},
		"Laravel with a front end": {
			map[string]string{"composer.json": `{"require": {"php": "^8.3", "laravel/framework": "^12.0"}}`, "artisan": "", "package.json": `{"devDependencies": {"vite": "7"}}`},
			"", "Laravel, laravel, npm",
		},
		"Statamic":                 {map[string]string{"composer.json": `{"require": {"laravel/framework": "^12", "statamic/cms": "^5"}}`}, "", "Statamic, statamic"},
		"WordPress":                {map[string]string{"index.php": "", "wp-config-sample.php": ""}, "", "WordPress, wordpress"},
		"PHP":                      {map[string]string{"index.php": ""}, "", "PHP, php"},
		"NestJS":                   {map[string]string{"package.json": `{"dependencies": {"@nestjs/core": "11"}}`, "yarn.lock": ""}, "", "NestJS, custom, node, yarn: node dist/main"},
		"SvelteKit as a program":   {map[string]string{"package.json": `{"devDependencies": {"@sveltejs/kit": "2", "@sveltejs/adapter-node": "5"}}`}, "", "SvelteKit, custom, node, npm: node build"},
		"SvelteKit as files":       {map[string]string{"package.json": `{"devDependencies": {"@sveltejs/kit": "2", "@sveltejs/adapter-static": "3"}}`}, "", "SvelteKit, static-html, node, npm"},
		"Astro as files":           {map[string]string{"package.json": `{"dependencies": {"astro": "5"}}`}, "", "Astro, static-html, node, npm"},
		"Astro as a program":       {map[string]string{"package.json": `{"dependencies": {"astro": "5", "@astrojs/node": "9"}}`}, "", "Astro, custom, node, npm: node dist/server/entry.mjs"},
		"an own program of Node":   {map[string]string{"package.json": `{"scripts": {"start": "node server.js"}}`, ".node-version": "v22.11.0\n"}, "", "Node.js, custom, node 22.11.0 (.node-version: v22.11.0), npm: npm start"},
		"a program without script": {map[string]string{"package.json": `{"main": "server.js"}`}, "", "Node.js, custom, node, npm: node server.js"},
		"a name that is a command": {map[string]string{"package.json": `{"main": "$(id).js"}`}, "", "nothing"},
		"Bun, with its version":    {map[string]string{"package.json": `{"packageManager": "bun@1.3.2", "scripts": {"start": "bun index.ts"}}`, "bun.lock": ""}, "", "Bun, custom, bun 1.3.2 (package.json: 1.3.2), bun: bun run start"},
		"pnpm with a checksum":     {map[string]string{"package.json": `{"packageManager": "pnpm@10.1.0+sha512.aa", "scripts": {"start": "x"}}`}, "", "Node.js, custom, node, pnpm: npm start"},
		"Django": {
			map[string]string{"manage.py": "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')\n", "requirements.txt": "Django==5.2\n", ".python-version": "3.12\n"}, "",
			"Django, custom, python (.python-version: 3.12): .venv/bin/gunicorn --bind 127.0.0.1:$PORT shop.wsgi",
		},
		"FastAPI by pyproject": {
			map[string]string{"pyproject.toml": "[project]\nrequires-python = \">=3.11\"\ndependencies = [\"FastAPI[standard]>=0.115\"]\n", "main.py": ""}, "",
			"FastAPI, custom, python (pyproject.toml: >=3.11): .venv/bin/uvicorn --host 127.0.0.1 --port $PORT main:app",
		},
		"Flask":                 {map[string]string{"requirements.txt": "# web\nflask>=3\n", "app.py": ""}, "", "Flask, custom, python: .venv/bin/gunicorn --bind 127.0.0.1:$PORT app:app"},
		"Flask by Procfile":     {map[string]string{"requirements.txt": "flask\n", "Procfile": "release: x\nweb: gunicorn -b 127.0.0.1:$PORT wsgi:app\r\n"}, "", "Flask, custom, python: gunicorn -b 127.0.0.1:$PORT wsgi:app"},
		"Rails":                 {map[string]string{"Gemfile": "source 'https://rubygems.org'\nruby \"3.3.0\"\ngem \"rails\", \"~> 8.0\"\n", "config.ru": ""}, "", "Rails, custom, ruby (Gemfile: 3.3.0): bundle exec puma -e production -b tcp://127.0.0.1:$PORT"},
		"Go":                    {map[string]string{"go.mod": "module example.com/app\n\ngo 1.25.0\n\ntoolchain go1.25.3\n"}, "", "Go, custom, go (go.mod: 1.25.3): ./server"},
		"files":                 {map[string]string{"index.html": ""}, "", "Static files, static-html"},
		"a tool of asdf":        {map[string]string{"package.json": next, ".tool-versions": "ruby 3.2.2\nnodejs 22.1.0 20.0.0 # for the build\n"}, "", "Next.js, nextjs, node 22.1.0 (.tool-versions: 22.1.0), npm"},
		"mise":                  {map[string]string{"package.json": next, "mise.toml": "[tools]\nnode = [\"22\", \"20\"]\n"}, "", "Next.js, nextjs, node 22 (mise.toml: 22), npm"},
		"a name of a line":      {map[string]string{"package.json": next, ".nvmrc": "lts/jod"}, "", "Next.js, nextjs, node 22 (.nvmrc: lts/jod), npm"},
		"a line that is gone":   {map[string]string{"package.json": `{"dependencies": {"next": "12"}}`, ".nvmrc": "14\n"}, "", "Next.js, nextjs, node (.nvmrc: 14), npm"},
		"nothing that is known": {map[string]string{"README.md": "hello"}, "", "nothing"},
		"what npm would refuse": {map[string]string{"package.json": `{"dependencies": ["next"], "engines": "22", "scripts": {"start": "node ."}}`}, "", "Node.js, custom, node, npm: npm start"},
		"no JSON at all":        {map[string]string{"package.json": `<html>`}, "", "nothing"},
	} {
		if got := said(found.Of(filesOf(c.files), c.in)); got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// A proposal changes only what does not fit.
func TestProposals(t *testing.T) {
	t.Parallel()
	at := func(asks string) map[string]string {
		return map[string]string{"package.json": `{"dependencies": {"next": "16"}, "engines": {"node": "` + asks + `"}}`}
	}
	django := map[string]string{"manage.py": `("DJANGO_SETTINGS_MODULE", "shop.settings")`}
	next := found.Has{Type: "nextjs", Program: true}
	with := func(h found.Has, change func(*found.Has)) found.Has { change(&h); return h }
	for name, c := range map[string]struct {
		files map[string]string
		has   found.Has
		want  string
	}{
		"the distribution's is too old":     {at(">=20.9"), with(next, func(h *found.Has) { h.System = "18" }), `{"runtime":"node","runtime_version":"24"}`},
		"the distribution's is good enough": {at(">=20.9"), with(next, func(h *found.Has) { h.System = "20" }), `null`},
		"a version that is good enough":     {at("^22.4"), with(next, func(h *found.Has) { h.Runtime, h.Version = "node", "22.11.0" }), `null`},
		"a version that is too old":         {at("^22.4"), with(next, func(h *found.Has) { h.Runtime, h.Version = "node", "22.1.0" }), `{"runtime":"node","runtime_version":"22"}`},
		"another system":                    {at("22"), next, `{"runtime":"node","runtime_version":"22"}`},
		"no version":                        {map[string]string{"package.json": `{"dependencies": {"next": "16"}}`}, next, `null`},
		"a program in another language":     {django, found.Has{Type: "custom", Program: true}, `{"runtime":"python","start_command":".venv/bin/gunicorn --bind 127.0.0.1:$PORT shop.wsgi"}`},
		"a program that has its command":    {django, found.Has{Type: "custom", Program: true, Runtime: "python", StartCommand: "./run"}, `null`},
		"a site of PHP":                     {django, found.Has{Type: "php"}, `null`},
	} {
		got, err := json.Marshal(found.Of(filesOf(c.files), "").Propose(c.has))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s (%v); want %s", name, got, err, c.want)
		}
	}
}

// Ranges are read as npm reads them: where its own library allows a version, so does this, and where it does not, neither.
func TestRangesAsNpmReadsThem(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("npm", "root", "-g").Output()
	if err != nil {
		t.Skip("npm is not installed here")
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "npm/node_modules/semver")
	if _, err := os.Stat(library); err != nil {
		t.Skip("this npm has no semver of its own")
	}
	ranges := []string{
		"22", "22.x", "22.*", "v22.1.0", "=22.1.0", ">=20", ">=20.9.0", ">= 20", "^22", "^22.4.0", "^20.9 || ^22", "20 || 22", "20||22", ">=18 <23", ">=18.0.0 <23.0.0", "~22.1",
		"~22.1.3", "18 - 22", "18.0.0 - 22.4", ">20", ">20.0", "<24", "<=22", "<=22.4", "*", "", "x", "^18.12.0 || ^20.0.0 || >=22.0.0", ">=20.19.0 <21 || >=22.12",
		">=14.0.0 <15 || >16", "!=20", "22.1", "22.1.x", "^22.x", "~22", ">=22.x", " 22 ", "20 22", ">=20,<23", "1e3", ">=20.9.0 || >=21.1", "=20", "^0.12", ">=20 || 18",
		"20.x.x", "~>22.1", ">=  20.9  <  23",
	}
	versions := []string{"18.0.0", "20.0.0", "20.8.999", "20.9.0", "20.999.999", "22.0.0", "22.1.0", "22.1.3", "22.4.0", "22.999.999", "24.0.0", "24.999.999", "26.0.0"}
	ask, err := json.Marshal([]any{ranges, versions})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", `const s = require(process.argv[1]), [ranges, versions] = JSON.parse(process.argv[2]);
		console.log(JSON.stringify(ranges.map(r => versions.map(v => s.validRange(r) !== null && s.satisfies(v, r)))))`, library, string(ask))
	out, err := cmd.Output()
	var want, got [][]bool
	if err != nil || json.Unmarshal(out, &want) != nil {
		t.Fatalf("ask npm's semver: %v\n%s", err, out)
	}
	for _, r := range ranges {
		var row []bool
		for _, v := range versions {
			row = append(row, found.Allows(r, v))
		}
		got = append(got, row)
	}
	for i, r := range ranges {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("%q (-npm +here):\n%s", r, diff)
		}
	}
}
