package found

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/semver/v3"
	"golang.org/x/mod/modfile"

	"github.com/hostlerhq/hostler/internal/ground/runtimes"
)

// versionFile is a file in which an application says which version of a language it is for.
type versionFile struct {
	name string
	read func(content string) string
}

var (
	nodeFiles = []versionFile{
		{".node-version", only}, {".nvmrc", only}, {".tool-versions", tool("nodejs", "node")}, {"mise.toml", mise("node")}, {".mise.toml", mise("node")},
		{"package.json", nodeOfManifest},
	}
	bunFiles = []versionFile{
		{".bun-version", only}, {".tool-versions", tool("bun")}, {"mise.toml", mise("bun")}, {".mise.toml", mise("bun")}, {"package.json", bunOfManifest},
	}
	pythonFiles = []versionFile{
		{".python-version", only}, {".tool-versions", tool("python")}, {"mise.toml", mise("python")}, {".mise.toml", mise("python")},
		{"pyproject.toml", requiresPython},
	}
	rubyFiles = []versionFile{
		{".ruby-version", rubyVersion}, {".tool-versions", tool("ruby")}, {"mise.toml", mise("ruby")}, {".mise.toml", mise("ruby")}, {"Gemfile", rubyOfGemfile},
	}
	denoFiles = []versionFile{{".tool-versions", tool("deno")}, {"mise.toml", mise("deno")}, {".mise.toml", mise("deno")}}
	goFiles   = []versionFile{
		{".tool-versions", tool("golang", "go")}, {"mise.toml", mise("go")}, {".mise.toml", mise("go")}, {"go.mod", goOfModule},
	}
)

// asked returns the version that an application asks for, and the file that says so: the first of its directory, else of the next one
// above.
func asked(f files, of []versionFile) (version, file *string) {
	for _, dir := range f.dirs {
		for _, known := range of {
			at := path.Join(dir, known.name)
			if content, ok := f.byPath[at]; ok {
				if v := known.read(strings.TrimPrefix(content, "\uFEFF")); v != "" && len(v) <= maxAsked {
					return &v, &at
				}
			}
		}
	}
	return nil, nil
}

// maxAsked is how long what a file asks for may be, in bytes.
const maxAsked = 100

// only is the version of a file that has nothing else: nvm, nodenv and pyenv pass over comments and empty lines.
func only(content string) string {
	for line := range strings.Lines(content) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// tool is the version of a tool in .tool-versions (asdf-vm.com): the first, of those that follow each other as fallbacks.
func tool(names ...string) func(string) string {
	return func(content string) string {
		for line := range strings.Lines(content) {
			line, _, _ = strings.Cut(line, "#")
			if words := strings.Fields(line); len(words) > 1 && slices.Contains(names, words[0]) {
				return words[1]
			}
		}
		return ""
	}
}

// mise is the version of a tool in mise.toml: a string, a list of them, or a table.
func mise(name string) func(string) string {
	return func(content string) string {
		var doc struct {
			Tools map[string]any `toml:"tools"`
		}
		if _, err := toml.Decode(content, &doc); err != nil {
			return ""
		}
		is := doc.Tools[name]
		if all, ok := is.([]any); ok && len(all) > 0 {
			is = all[0]
		}
		if table, ok := is.(map[string]any); ok {
			is = table["version"]
		}
		version, _ := is.(string)
		return version
	}
}

func nodeOfManifest(content string) string {
	m := manifestOf(content)
	if version, ok := m.Volta["node"].(string); ok {
		return version
	}
	version, _ := m.Engines["node"].(string)
	return cmp.Or(version, m.DevEngines.version("node"))
}

func bunOfManifest(content string) string {
	name, version, _ := strings.Cut(manifestOf(content).PackageManager, "@")
	if name != "bun" {
		return ""
	}
	version, _, _ = strings.Cut(version, "+")
	return version
}

func requiresPython(content string) string {
	var doc struct {
		Project struct {
			Requires string `toml:"requires-python"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if _, err := toml.Decode(content, &doc); err != nil {
		return ""
	}
	if doc.Project.Requires != "" {
		return doc.Project.Requires
	}
	version, _ := doc.Tool.Poetry.Dependencies["python"].(string)
	return version
}

func rubyVersion(content string) string { return strings.TrimPrefix(only(content), "ruby-") }

var rubyLine = regexp.MustCompile(`(?m)^\s*ruby\s*\(?\s*['"]([^'"]+)['"]`)

func rubyOfGemfile(content string) string {
	if m := rubyLine.FindStringSubmatch(content); m != nil {
		return m[1]
	}
	return ""
}

func goOfModule(content string) string {
	mod, err := modfile.Parse("go.mod", []byte(content), nil)
	if err != nil { // by a newer Go, as a rule
		mod, err = modfile.ParseLax("go.mod", []byte(content), nil)
	}
	switch {
	case err != nil:
		return ""
	case mod.Toolchain != nil && mod.Toolchain.Name != "default":
		return strings.TrimPrefix(mod.Toolchain.Name, "go")
	case mod.Go != nil:
		return mod.Go.Version
	}
	return ""
}

// requirement is a line of requirements.txt, as far as it names a package.
var requirement = regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`)

// pythonNeeds returns the packages that an application names, in lower case.
func pythonNeeds(f files) map[string]bool {
	out := map[string]bool{}
	need := func(line string) {
		if m := requirement.FindStringSubmatch(line); m != nil {
			out[strings.ToLower(m[1])] = true
		}
	}
	for line := range strings.Lines(f.read("requirements.txt")) {
		need(line)
	}
	var doc struct {
		Project struct {
			Dependencies []string `toml:"dependencies"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if _, err := toml.Decode(f.read("pyproject.toml"), &doc); err == nil {
		for _, line := range doc.Project.Dependencies {
			need(line)
		}
		for name := range doc.Tool.Poetry.Dependencies {
			need(name)
		}
	}
	return out
}

// names are those of Node's release lines with long support, as nvm and .nvmrc write them.
var names = map[string]string{"iron": "20", "jod": "22", "krypton": "24"}

// The names of Node's newest release line, and of the newest with long support.
var (
	newest    = []string{"node", "stable", "latest"}
	supported = []string{"lts/*", "lts", "--lts"}
)

// nodeVersion returns the runtime_version that fits what a file asks of Node: a release line, or an exact version where nothing else
// fits. It is "" for what no site can choose.
func nodeVersion(asks string) string {
	text := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(asks)), "v")
	if line := names[strings.TrimPrefix(text, "lts/")]; line != "" {
		return line
	}
	lines := runtimes.NodeLines() // oldest first
	switch {
	case slices.Contains(newest, text):
		return lines[len(lines)-1]
	case slices.Contains(supported, text):
		return runtimes.NodeUsual
	}
	if runtimes.Exact(text) && runtimes.Node.Check(text) == nil {
		return text
	}
	// The line that is usual now, then newer ones, then the older ones from the newest on.
	usual := slices.Index(lines, runtimes.NodeUsual)
	order := slices.Clone(lines[usual:])
	for _, line := range slices.Backward(lines[:usual]) {
		order = append(order, line)
	}
	for _, line := range order {
		if Allows(asks, line+".999.999") {
			return line
		}
	}
	return ""
}

// Allows reports whether what a file asks for allows a version, as node-semver reads ranges.
func Allows(asks, version string) bool {
	text := strings.TrimSpace(asks)
	if line := nodeAlias(text); line != "" {
		text = line
	}
	is, err := semver.StrictNewVersion(version)
	if err != nil || strings.ContainsAny(text, ",!") { // the library knows them, and npm does not
		return false
	}
	if text == "" {
		text = "*"
	}
	c, err := semver.NewConstraint(text)
	return err == nil && c.Check(is)
}

// nodeAlias returns the release line that a name stands for; "" for what is no name.
func nodeAlias(text string) string {
	text = strings.ToLower(text)
	if names[strings.TrimPrefix(text, "lts/")] != "" || slices.Contains(slices.Concat(newest, supported), text) {
		return nodeVersion(text)
	}
	return ""
}
