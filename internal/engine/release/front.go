package release

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// maxPage is how much of a site's first page is read.
const maxPage = 64 << 10

// front returns why the first page of a site shows nothing, though its web directory has files, "" if it does, or nothing speaks against
// it. certain is whether something else was meant to be the first page; without it, a site may have none on purpose.
func (s *Site) front(code string) (why string, certain bool) {
	if len(s.Pages) == 0 {
		return "", false
	}
	web := filepath.Join(code, s.Web)
	if why := s.shut(web); why != "" {
		return why, true
	}
	for _, page := range s.Pages {
		if isFile(filepath.Join(web, page)) {
			return s.first(code, page), true
		}
	}
	return s.frontless(code)
}

// shut returns which directory the web server can't pass on its way to the pages, "" for none.
func (s *Site) shut(web string) string {
	for at := web; len(at) > len(s.Root); at = filepath.Dir(at) {
		if mode, shut := closed(at, 0o001); shut {
			name, err := filepath.Rel(s.Root, at)
			if err != nil {
				name = at
			}
			return fmt.Sprintf("The web server can't enter the directory %s, whose mode is %04o, so visitors get an error: "+
				"let others pass it (chmod o+x).", text.Line(name), mode)
		}
	}
	return ""
}

// webGroup is the group of the web server.
const webGroup = "www-data"

// closed reports whether the mode of a file lacks a right of others, and its group, where that is the web server's, has none.
// A file with a list of further accounts (acl(5)) is not judged.
func closed(path string, others fs.FileMode) (mode fs.FileMode, is bool) {
	st, err := os.Stat(path)
	if err != nil || st.Mode()&others != 0 {
		return 0, false
	}
	if group, err := user.LookupGroup(webGroup); err == nil {
		if sys, ok := st.Sys().(*syscall.Stat_t); ok && strconv.FormatUint(uint64(sys.Gid), 10) == group.Gid && st.Mode()&(others<<3) != 0 {
			return 0, false
		}
	}
	if _, err := unix.Getxattr(path, "system.posix_acl_access", nil); err == nil {
		return 0, false
	}
	return st.Mode().Perm(), true
}

// hidden returns the directories of a build that visitors can't reach, since their names begin with a dot.
func (s *Site) hidden(code string) (out []string) {
	web := filepath.Join(code, s.Web)
	if len(s.Pages) == 0 || web == filepath.Clean(s.application(code)) || web == filepath.Clean(code) { // where tools have theirs
		return nil
	}
	names, _ := listed(web)
	for _, name := range names {
		if name[0] == '.' && !slices.Contains(tools, name) && isDir(filepath.Join(web, name)) {
			out = append(out, name)
		}
	}
	return out
}

// tools are directories with a dot that no page needs.
var tools = []string{".well-known", ".git", ".github", ".gitlab", ".vite", ".idea", ".vscode", ".cache"}

// webName is how the web directory is called.
func (s *Site) webName() string {
	if s.Web == "." {
		return "/"
	}
	return text.Line(s.Web)
}

// A page that loads the source of a program as a module was meant for a build tool: browsers load no such files, and of plain JavaScript
// in the directory src they can't load what it imports by the names of packages.
var (
	moduleScript = regexp.MustCompile(`(?i)<script\b[^>]*\btype\s*=\s*["']?module\b[^>]*>`)
	sourceOf     = regexp.MustCompile(`(?i)\bsrc\s*=\s*["']?\.{0,2}/?([\w@./-]+\.(?:jsx|tsx?|vue|svelte))["'\s>]`)
	scriptOf     = regexp.MustCompile(`(?i)\bsrc\s*=\s*["']?\.{0,2}/?(src/[\w@./-]+\.m?js)["'\s>]`)
)

// publicURL is what Create React App writes into its page in place of an address.
const publicURL = "%PUBLIC_URL%"

// unbuilt returns what a page names that only a build replaces, "" for nothing.
func unbuilt(dir, page string) string {
	for _, tag := range moduleScript.FindAllString(page, maxRead) {
		if m := sourceOf.FindStringSubmatch(tag); m != nil {
			return m[1]
		}
		if m := scriptOf.FindStringSubmatch(tag); m != nil && builtByVite(dir) {
			return m[1]
		}
	}
	if strings.Contains(page, publicURL) {
		return publicURL
	}
	return ""
}

// first returns why the first page of a site shows nothing.
func (s *Site) first(code, page string) string {
	web := filepath.Join(code, s.Web)
	static := strings.HasSuffix(page, ".html") || strings.HasSuffix(page, ".htm")
	if mode, shut := closed(filepath.Join(web, page), 0o004); shut && static {
		return fmt.Sprintf("The web server can't read the page %s in the web directory %s, whose mode is %04o, so visitors get an error: "+
			"let others read it (chmod o+r).", page, s.webName(), mode)
	}
	content, err := beginning(filepath.Join(web, page))
	if err != nil {
		return ""
	}
	content = strings.TrimPrefix(content, "\ufeff")
	subject := "The page " + page + " in the web directory " + s.webName()
	if strings.TrimSpace(content) == "" {
		return subject + " is empty."
	}
	if !static {
		return ""
	}
	named := unbuilt(web, content)
	if named == "" {
		return ""
	}
	why := subject + " is the source of one: it names " + text.Line(named) + ", which browsers can't use before it is built."
	if found := s.built(s.application(code)); found != "" && found != "/" && filepath.Join(s.application(code), found) != web {
		return why + " A page is in " + text.Line(found) + ": set the web directory to it."
	}
	return why + " Build it in the deploy script, and set the web directory to where the build writes, such as dist."
}

// builtByVite reports whether the package in a directory is built with Vite.
func builtByVite(dir string) bool {
	content, err := beginning(filepath.Join(dir, "package.json"))
	return err == nil && strings.Contains(content, "vite")
}

// beginning returns the beginning of a file.
func beginning(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxPage))
	return string(raw), err
}

// frontless returns that a web directory has no first page, with what was meant to be it.
func (s *Site) frontless(code string) (why string, certain bool) {
	web := filepath.Join(code, s.Web)
	why = "The web directory " + s.webName() + " has no " + strings.Join(s.Pages, " or ") + ", so the site's address alone shows no page."
	names, _ := listed(web)
	var pages []string
	for _, name := range names {
		for _, page := range s.Pages {
			if strings.EqualFold(name, page) {
				return why + " It has " + text.Line(name) + ": rename it, since capitals count.", true
			}
		}
		if strings.EqualFold(filepath.Ext(name), ".html") && isFile(filepath.Join(web, name)) && name != "404.html" {
			pages = append(pages, name)
		}
	}
	if slices.Contains(names, "index.php") {
		return why + " It has index.php, which a site of this type does not run, so that visitors see its source: create a site of the type php.", true
	}
	if found := s.built(s.application(code)); found != "" && found != "/" {
		return why + " A page is in " + text.Line(found) + ": set the web directory to it, or have the build write elsewhere.", true
	}
	for _, name := range names {
		for _, page := range s.Pages {
			if name[0] != '.' && name != "node_modules" && name != "vendor" && isFile(filepath.Join(web, name, page)) {
				return why + " " + text.Line(name) + " has one: set the web directory to it.", true
			}
		}
	}
	if len(pages) == 1 {
		return why + " It has " + text.Line(pages[0]) + ": rename it to index.html.", true
	}
	return why, false
}
