// Package found tells what the application in a repository is by its files: which framework, which version of a language it asks for, and
// how it is built and started.
package found

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Application is what a repository has, as far as its files say.
type Application struct {
	Name           string   `json:"name" doc:"What it is, for people, such as Next.js."`
	Type           string   `json:"type" doc:"The type of site for it."`
	File           string   `json:"file" doc:"The file that says so."`
	PackageManager *string  `json:"package_manager" enum:"npm,pnpm,yarn,bun" nullable:"true" doc:"What installs its packages of Node; null without any."`
	Composer       bool     `json:"composer" doc:"Whether it has packages of Composer."`
	BuildCommand   *string  `json:"build_command" doc:"The line that usually builds it; null for what the package manager does."`
	StartCommand   *string  `json:"start_command" doc:"The line that usually starts it; null without one, or if the type of the site has its own."`
	Output         *string  `json:"output" doc:"The directory with the built files that are served; null for none."`
	Runtime        *Runtime `json:"runtime" doc:"What runs it, or builds its front end; null for nothing but PHP or files."`
}

// Runtime is what an application says of what runs it.
type Runtime struct {
	Name string `json:"name" enum:"node,bun,deno,python,ruby,go" doc:"The runtime of the site for it."`
	// Version is what a site can ask for.
	Version *string `json:"version" doc:"The runtime_version that fits; null if it names none that a site can choose."`
	Asks    *string `json:"asks" doc:"What the file asks for, such as >=20.9; null if no file does."`
	File    *string `json:"file" doc:"The file that asks for it."`
}

// files are those of a repository, the application's own directory first.
type files struct {
	byPath map[string]string
	// dirs are the application's directory and those above it; "" is the top.
	dirs []string
}

func filesOf(all []release.File, application string) files {
	f := files{byPath: map[string]string{}}
	for _, one := range all {
		f.byPath[one.Path] = one.Content
	}
	for dir := strings.Trim(application, "/"); ; dir = path.Dir(dir) {
		if dir == "" || dir == "." {
			f.dirs = append(f.dirs, "")
			return f
		}
		f.dirs = append(f.dirs, dir)
	}
}

// has reports whether the application's own directory has a file.
func (f files) has(name string) bool {
	_, ok := f.byPath[path.Join(f.dirs[0], name)]
	return ok
}

func (f files) read(name string) string { return f.byPath[path.Join(f.dirs[0], name)] }

// nearest returns where the first of some files is: in the application's directory, or in the next one above it.
func (f files) nearest(names ...string) (file string) {
	for _, dir := range f.dirs {
		for _, name := range names {
			if _, ok := f.byPath[path.Join(dir, name)]; ok {
				return path.Join(dir, name)
			}
		}
	}
	return ""
}

// manifest is what a package.json says that matters here.
type manifest struct {
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]any    `json:"dependencies"`
	DevDependencies map[string]any    `json:"devDependencies"`
	Engines         map[string]any    `json:"engines"`
	Volta           map[string]any    `json:"volta"`
	DevEngines      devEngines        `json:"devEngines"`
	PackageManager  string            `json:"packageManager"`
	Main            string            `json:"main"`
}

// devEngines are what developers of a package use (the field's proposal is of the OpenJS Foundation).
type devEngines struct {
	Runtime json.RawMessage `json:"runtime"`
}

// version returns what is said of a runtime, which may be one of several.
func (d devEngines) version(name string) string {
	type engine struct{ Name, Version string }
	var all []engine
	if json.Unmarshal(d.Runtime, &all) != nil {
		all = make([]engine, 1)
		_ = json.Unmarshal(d.Runtime, &all[0])
	}
	for _, e := range all {
		if e.Name == name {
			return e.Version
		}
	}
	return ""
}

func manifestOf(text string) (m manifest) {
	// What is not as npm has it says nothing: the rest is read.
	var raw map[string]json.RawMessage
	if json.Unmarshal([]byte(strings.TrimPrefix(text, "\uFEFF")), &raw) != nil {
		return m
	}
	for key, into := range map[string]any{
		"scripts": &m.Scripts, "dependencies": &m.Dependencies, "devDependencies": &m.DevDependencies, "engines": &m.Engines, "volta": &m.Volta,
		"devEngines": &m.DevEngines, "packageManager": &m.PackageManager, "main": &m.Main,
	} {
		_ = json.Unmarshal(raw[key], into)
	}
	return m
}

// uses reports whether a package is among those that the application needs.
func (m manifest) uses(name string) bool {
	_, runs := m.Dependencies[name]
	_, builds := m.DevDependencies[name]
	return runs || builds
}

// Of returns what the application in a directory of a repository is; nil if its files don't say. Applications in other languages have a
// package.json for their front end, so those of Node come after them.
func Of(all []release.File, application string) *Application {
	f := filesOf(all, application)
	for _, kind := range []func(files) *Application{ofPHP, ofGo, ofRuby, ofDjango, ofNode, ofDeno, ofPython, ofStatic} {
		if a := kind(f); a != nil {
			return a
		}
	}
	return nil
}

// php are the packages of Composer that say which framework an application is of, the more particular first.
var php = []struct{ name, kind, require string }{
	{"Statamic", sitetype.Statamic, "statamic/cms"}, {"Laravel", sitetype.Laravel, "laravel/framework"}, {"Symfony", sitetype.Symfony, "symfony/framework-bundle"},
	{"WordPress", sitetype.WordPress, "johnpbloch/wordpress"}, {"WordPress", sitetype.WordPress, "roots/wordpress"},
}

func ofPHP(f files) *Application {
	var composer struct {
		Require map[string]any `json:"require"`
	}
	_ = json.Unmarshal([]byte(strings.TrimPrefix(f.read("composer.json"), "\uFEFF")), &composer)
	a := &Application{File: path.Join(f.dirs[0], "composer.json"), PackageManager: managerOf(f), Composer: f.has("composer.json")}
	if a.PackageManager != nil {
		a.Runtime = nodeRuntime(f)
	}
	for _, known := range php {
		if _, ok := composer.Require[known.require]; ok {
			a.Name, a.Type = known.name, known.kind
			return a
		}
	}
	for _, known := range [][3]string{
		{"artisan", "Laravel", sitetype.Laravel}, {"wp-load.php", "WordPress", sitetype.WordPress}, {"wp-config-sample.php", "WordPress", sitetype.WordPress},
		{"bin/console", "Symfony", sitetype.Symfony},
	} {
		if f.has(known[0]) {
			a.File, a.Name, a.Type = path.Join(f.dirs[0], known[0]), known[1], known[2]
			return a
		}
	}
	for _, name := range []string{"index.php", "composer.json"} {
		if f.has(name) && !f.has("package.json") {
			a.File, a.Name, a.Type = path.Join(f.dirs[0], name), "PHP", sitetype.PHP
			return a
		}
	}
	return nil
}

// managerOf returns what installs the packages of Node that an application has; nil for none.
func managerOf(f files) *string {
	if f.nearest("package.json") == "" {
		return nil
	}
	for _, dir := range f.dirs {
		if named, _, _ := strings.Cut(manifestOf(f.byPath[path.Join(dir, "package.json")]).PackageManager, "@"); slices.Contains(
			[]string{"npm", "pnpm", "yarn", "bun"}, named) {
			return &named
		}
		for _, lock := range [][2]string{
			{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}, {"package-lock.json", "npm"},
		} {
			if _, ok := f.byPath[path.Join(dir, lock[0])]; ok {
				return &lock[1]
			}
		}
	}
	return new("npm")
}

// frameworks are those of Node, the more particular first: a package, what it is called, the type of site for it, and how it is started.
// With adapter, only that package makes it a program; without it, the files that its build leaves in output are served.
var frameworks = []struct{ uses, name, kind, start, adapter, output string }{
	{uses: "next", name: "Next.js", kind: sitetype.Next},
	{uses: "nuxt", name: "Nuxt", kind: sitetype.Nuxt},
	{uses: "@nestjs/core", name: "NestJS", kind: sitetype.Custom, start: "node dist/main"},
	{uses: "@adonisjs/core", name: "AdonisJS", kind: sitetype.Custom, start: "node build/bin/server.js"},
	{uses: "@react-router/node", name: "React Router", kind: sitetype.Custom, start: "npx react-router-serve build/server/index.js"},
	{uses: "@remix-run/node", name: "Remix", kind: sitetype.Custom, start: "npx remix-serve build/server/index.js"},
	{uses: "@sveltejs/kit", name: "SvelteKit", kind: sitetype.Custom, start: "node build", adapter: "@sveltejs/adapter-node", output: "build"},
	{uses: "astro", name: "Astro", kind: sitetype.Custom, start: "node dist/server/entry.mjs", adapter: "@astrojs/node", output: "dist"},
	{uses: "vite", name: "Vite", kind: sitetype.Custom, adapter: "express", output: "dist"},
}

func ofNode(f files) *Application {
	if !f.has("package.json") {
		return nil
	}
	m := manifestOf(f.read("package.json"))
	a := &Application{File: path.Join(f.dirs[0], "package.json"), PackageManager: managerOf(f), Runtime: nodeRuntime(f)}
	for _, known := range frameworks {
		if !m.uses(known.uses) {
			continue
		}
		a.Name, a.Type, a.StartCommand = known.name, known.kind, orNil(known.start)
		if known.adapter != "" && !m.uses(known.adapter) {
			a.Type, a.StartCommand, a.Output = sitetype.StaticHTML, nil, &known.output
		} else if own := procfile(f); own != "" {
			a.StartCommand = &own
		}
		return a
	}
	a.Name, a.Type = "Node.js", sitetype.Custom
	if *a.PackageManager == "bun" {
		a.Name = "Bun"
	}
	switch own := procfile(f); {
	case own != "":
		a.StartCommand = &own
	case m.Scripts["start"] != "":
		if a.Runtime.Name == "bun" {
			a.StartCommand = new("bun run start")
		} else {
			a.StartCommand = new("npm start")
		}
	case plainPath.MatchString(m.Main):
		a.StartCommand = new(a.Runtime.Name + " " + m.Main)
	default:
		return nil // packages of a front end, beside something else
	}
	return a
}

// plainPath is a file that needs no quotes.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*\.[cm]?[jt]s$`)

// ofDeno knows an application of Deno by its settings. One of Node may have them too.
func ofDeno(f files) *Application {
	for _, name := range []string{"deno.json", "deno.jsonc"} {
		if !f.has(name) {
			continue
		}
		a := &Application{
			Name: "Deno", Type: sitetype.Custom, File: path.Join(f.dirs[0], name), StartCommand: new("deno task start"),
			BuildCommand: new(site.LanguageBuild("deno")), Runtime: &Runtime{Name: "deno", Version: new("2")},
		}
		a.Runtime.Asks, a.Runtime.File = asked(f, denoFiles)
		if v := a.Runtime.Asks; v != nil && runtimes.Deno.Check(*v) == nil {
			a.Runtime.Version = v
		}
		if own := procfile(f); own != "" {
			a.StartCommand = &own
		}
		return a
	}
	return nil
}

// djangoModule is the line of manage.py that names the package with the settings.
var djangoModule = regexp.MustCompile(`DJANGO_SETTINGS_MODULE['"]\s*,\s*['"]([A-Za-z_][A-Za-z0-9_]*)\.`)

func ofDjango(f files) *Application {
	if !djangoModule.MatchString(f.read("manage.py")) {
		return nil
	}
	return ofPython(f)
}

func ofPython(f files) *Application {
	file := ""
	for _, name := range []string{"manage.py", "pyproject.toml", "requirements.txt", "main.py", "app.py", "wsgi.py"} {
		if f.has(name) {
			file = path.Join(f.dirs[0], name)
			break
		}
	}
	if file == "" {
		return nil
	}
	a := &Application{Name: "Python", Type: sitetype.Custom, File: file, Runtime: &Runtime{Name: site.RuntimePython}}
	a.Runtime.Asks, a.Runtime.File = asked(f, pythonFiles)
	needs := pythonNeeds(f)
	// Where the object is that answers requests: the usual names.
	module := "main"
	switch {
	case f.has("wsgi.py"):
		module = "wsgi"
	case f.has("asgi.py"):
		module = "asgi"
	case f.has("app.py"):
		module = "app"
	}
	switch django := djangoModule.FindStringSubmatch(f.read("manage.py")); {
	case django != nil:
		a.Name, a.StartCommand = "Django", new(".venv/bin/gunicorn --bind 127.0.0.1:$PORT "+django[1]+".wsgi")
	case needs["fastapi"]:
		a.Name, a.StartCommand = "FastAPI", new(".venv/bin/uvicorn --host 127.0.0.1 --port $PORT "+module+":app")
	case needs["flask"]:
		a.Name, a.StartCommand = "Flask", new(".venv/bin/gunicorn --bind 127.0.0.1:$PORT "+module+":app")
	}
	if own := procfile(f); own != "" {
		a.StartCommand = &own
	}
	return a
}

func ofRuby(f files) *Application {
	if !f.has("Gemfile") {
		return nil
	}
	a := &Application{Name: "Ruby", Type: sitetype.Custom, File: path.Join(f.dirs[0], "Gemfile"), Runtime: &Runtime{Name: site.RuntimeRuby}}
	a.Runtime.Asks, a.Runtime.File = asked(f, rubyFiles)
	gems := f.read("Gemfile")
	switch {
	case gem("rails").MatchString(gems):
		a.Name, a.StartCommand = "Rails", new("bundle exec puma -e production -b tcp://127.0.0.1:$PORT")
	case f.has("config.ru") && gem("puma").MatchString(gems):
		a.StartCommand = new("bundle exec puma -e production -b tcp://127.0.0.1:$PORT")
	case f.has("config.ru"):
		a.StartCommand = new("bundle exec rackup -E production -o 127.0.0.1 -p $PORT")
	}
	// A Procfile of Rails starts what listens on all addresses as a rule.
	if own := procfile(f); own != "" && a.StartCommand == nil {
		a.StartCommand = &own
	}
	return a
}

// gem matches the line of a Gemfile that needs a gem.
func gem(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*gem\s*\(?\s*['"]` + regexp.QuoteMeta(name) + `['"]`)
}

func ofGo(f files) *Application {
	if !f.has("go.mod") {
		return nil
	}
	a := &Application{
		Name: "Go", Type: sitetype.Custom, File: path.Join(f.dirs[0], "go.mod"), StartCommand: new("./server"), BuildCommand: new("go build -o server ."),
		Runtime: &Runtime{Name: site.RuntimeGo},
	}
	a.Runtime.Asks, a.Runtime.File = asked(f, goFiles)
	if v := a.Runtime.Asks; v != nil { // the least that it needs: the newest release of that line
		if line := runtimes.Go.Line(*v); runtimes.Go.Check(line) == nil {
			a.Runtime.Version = &line
		}
	}
	return a
}

func ofStatic(f files) *Application {
	if !f.has("index.html") {
		return nil
	}
	return &Application{Name: "Static files", Type: sitetype.StaticHTML, File: path.Join(f.dirs[0], "index.html")}
}

// web is the line of a Procfile that starts what answers requests.
var web = regexp.MustCompile(`(?m)^web:[ \t]*(.+?)[ \t\r]*$`)

// procfile returns the line that starts the program, as a Procfile has it; "" for none with a port.
func procfile(f files) string {
	if m := web.FindStringSubmatch(f.read("Procfile")); m != nil && strings.Contains(m[1], "PORT") && len(m[1]) <= 500 {
		return m[1]
	}
	return ""
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// nodeRuntime is what runs an application of Node: Node, or Bun where its packages are Bun's and a version is named.
func nodeRuntime(f files) *Runtime {
	if bun, file := asked(f, bunFiles); bun != nil && runtimes.Bun.Check(*bun) == nil {
		return &Runtime{Name: "bun", Version: bun, Asks: bun, File: file}
	}
	r := &Runtime{Name: "node"}
	r.Asks, r.File = asked(f, nodeFiles)
	if r.Asks != nil {
		r.Version = orNil(nodeVersion(*r.Asks))
	}
	return r
}

// Proposal is what an update of the site says for it to run what its repository has.
type Proposal struct {
	Directory      *string `json:"directory,omitempty" doc:"The web directory."`
	Runtime        *string `json:"runtime,omitempty" doc:"What runs the site's programs."`
	RuntimeVersion *string `json:"runtime_version,omitempty" doc:"The version of the runtime."`
	StartCommand   *string `json:"start_command,omitempty" doc:"The line that starts the program."`
}

// Has is what a site runs.
type Has struct {
	Type, Runtime, Version, StartCommand, Directory string
	// Program reports whether it has a program of its own, and Node whether it has a Node, if only the distribution's. System is the release
	// line of that ("18"), "" where it is not known.
	Program, Node bool
	System        string
	// SystemGo is the same of Go ("1.24").
	SystemGo string
}

// Suits reports whether a site of its type can run the application.
func (a *Application) Suits(h Has) bool {
	switch {
	case sitetype.HasPHP(a.Type):
		return sitetype.HasPHP(h.Type)
	case a.Type == sitetype.StaticHTML:
		return !h.Program
	}
	return h.Program
}

// Propose returns what the site would have to change; nil for nothing.
func (a *Application) Propose(h Has) *Proposal {
	if !a.Suits(h) {
		return nil
	}
	var p Proposal
	if r := a.Runtime; r != nil && !r.fits(h) {
		version := r.Version
		if r.Name == "node" && r.Asks == nil {
			version = new(runtimes.NodeUsual)
		}
		if kind := runtimes.Named(r.Name); version != nil || kind == nil || kind.Optional {
			p.Runtime, p.RuntimeVersion = &r.Name, version
		}
	}
	if h.Program && h.Type == sitetype.Custom && a.StartCommand != nil && h.StartCommand == "" {
		p.StartCommand = a.StartCommand
	}
	if a.Output != nil && h.Type == sitetype.StaticHTML && strings.Trim(h.Directory, "/") == "" {
		p.Directory = new("/" + *a.Output)
	}
	if p == (Proposal{}) {
		return nil
	}
	return &p
}

// fits reports whether what a site has is what the application asks for.
func (r Runtime) fits(h Has) bool {
	now, name := h.Version, cmp.Or(h.Runtime, "system")
	if name == "system" && r.Name == "node" && h.Node {
		name, now = "node", h.System
		if now == "" {
			return true // not known: nothing is proposed on a guess
		}
	}
	switch {
	case name != r.Name:
		return false
	case r.Name == "go" && r.Version != nil:
		now = cmp.Or(now, h.SystemGo)
		return now == "" || runtimes.Compare(now, *r.Asks) >= 0
	case r.Version == nil:
		return true
	case r.Name == "deno" && !runtimes.Exact(*r.Version):
		return runtimes.Deno.Line(now) == *r.Version
	case r.Name != "node":
		return now == *r.Version
	case !runtimes.Exact(now):
		return Allows(*r.Asks, now+".999.999")
	}
	return Allows(*r.Asks, now)
}
