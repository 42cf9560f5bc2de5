// Package git models the source of code: addresses of repositories, the keys that open them, and the host keys that Git servers must present.
package git

import (
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// URL is the address of a repository over SSH or HTTPS: something git fetches, and never one of its options or helpers
// (git-fetch(1), "GIT URLS"). It contains no password or token: addresses appear in API answers, logs and process lists.
type URL struct{ text, host, port, path string }

var (
	hostPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
	userPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)
	portPattern = regexp.MustCompile(`^[1-9][0-9]{0,4}$`)
	// pathPattern matches the characters of names on Git servers; a component never begins with a dash.
	pathPattern = regexp.MustCompile(`^[A-Za-z0-9._~+@%/-]+$`)
	namePattern = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]*(/[A-Za-z0-9_.][A-Za-z0-9_.-]*)+$`)
)

const badURL = value.Error("The repository must be a Git address over SSH or HTTPS, like git@git.example.com:team/app.git or " +
	"https://git.example.com/team/app.git.")

// likelyPort matches a port as Git servers beside another SSH server use it; those with two directories below one of such a name are rare.
var likelyPort = regexp.MustCompile(`^(?:22|[1-9][0-9]{3,4})$`)

// copied matches what stands before an address in documentation or in a lock file, and the hosts that are written without a scheme.
var copied = regexp.MustCompile(`^(?:(?:\$ *)?git (?:clone|remote add) |git\+(?:ssh|https)://|(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/)`)

// addressIn returns the address that a text has which is more than one, or less, "" for any other.
func addressIn(text string) string {
	before := copied.FindString(text)
	rest := strings.TrimPrefix(text, before)
	switch {
	case before == "":
		return ""
	case strings.HasPrefix(before, "git+"):
		rest = strings.TrimPrefix(text, "git+")
	case strings.HasSuffix(before, "/"):
		rest = "https://" + text
	}
	for word := range strings.FieldsSeq(rest) {
		word, _, _ = strings.Cut(strings.Trim(word, `"'`), "#")
		if _, err := ParseURL(word); err == nil {
			return word
		}
	}
	return ""
}

// ParseURL parses an address: ssh://[user@]host[:port]/path, [user@]host:path or https://host[:port]/path.
func ParseURL(text string) (URL, error) {
	if alone := addressIn(text); alone != "" {
		return URL{}, value.Error("The repository is its address alone: write " + alone + ".")
	}
	if len(text) > 1500 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return URL{}, badURL
	}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		return parseScheme(scheme, rest)
	}
	// scp's form. With a slash before the colon it is a local path, which is refused.
	user, where, found := strings.Cut(text, "@")
	if !found || strings.ContainsAny(user, ":/") {
		user, where = "git", text
	}
	named, path, ok := cutHost(where)
	path, colon := strings.CutPrefix(path, ":")
	host := bare(named)
	if !ok || !colon || !goodPath(path) || !userPattern.MatchString(user) {
		return URL{}, badURL
	}
	if port, below, ok := strings.Cut(path, "/"); ok && likelyPort.MatchString(port) && strings.Contains(below, "/") {
		return URL{}, value.Error("A port can be named only in the form ssh://" + user + "@" + named + ":" + port + "/" + below + ". If " + port +
			" is a directory, write ssh://" + user + "@" + named + "/" + path + ".")
	}
	return URL{text: user + "@" + named + ":" + path, host: host, path: path}, nil
}

func parseScheme(scheme, rest string) (URL, error) {
	if scheme != "ssh" && scheme != "https" {
		return URL{}, badURL
	}
	authority, path, ok := strings.Cut(rest, "/")
	if repository := repositoryOf(authority, path); scheme == "https" && goodPath(repository) && hostPattern.MatchString(authority) {
		return URL{}, value.Error("This is the address of a page. That of the repository is https://" + authority + "/" + repository + ".")
	}
	if !ok || !goodPath(path) {
		return URL{}, badURL
	}
	user, where, found := cutLast(authority, "@")
	switch {
	case found && scheme == "https":
		return URL{}, value.Error("The repository must not hold a user or a token: use a deploy key over SSH, or write https://" + where + "/" + path + ".")
	case found && !userPattern.MatchString(user):
		return URL{}, badURL
	}
	host, port, ok := cutHost(where)
	port, hasPort := strings.CutPrefix(port, ":")
	if !ok || hasPort != (port != "") || hasPort && !portPattern.MatchString(port) {
		return URL{}, badURL
	}
	u := URL{host: bare(host), port: port, path: path, text: scheme + "://"}
	if scheme == "ssh" {
		if !found {
			user = "git"
		}
		u.text += user + "@"
	}
	u.text += host
	if hasPort {
		u.text += ":" + port
	}
	u.text += "/" + path
	if _, err := url.Parse(u.text); err != nil {
		return URL{}, badURL
	}
	return u, nil
}

// cutHost cuts the host from the beginning of a text: a name, or an address of IPv6 in brackets, which stay. What follows begins with a colon.
func cutHost(text string) (host, rest string, ok bool) {
	if end := strings.IndexByte(text, ']'); strings.HasPrefix(text, "[") && end > 0 {
		at, err := netip.ParseAddr(text[1:end])
		rest = text[end+1:]
		ok = err == nil && at.Is6() && at.Zone() == "" && (rest == "" || rest[0] == ':')
		return "[" + at.String() + "]", rest, ok
	}
	host = text
	if i := strings.IndexByte(text, ':'); i >= 0 {
		host, rest = text[:i], text[i:]
	}
	return host, rest, hostPattern.MatchString(host)
}

// bare returns a host without the brackets of an address.
func bare(host string) string { return strings.Trim(host, "[]") }

// pageOf matches the path of a page that GitLab and those like it show of a repository.
var pageOf = regexp.MustCompile(`^(.+?)/-/`)

// repositoryOf returns the repository that a page is of, as it is copied from a browser; "" for a path that is a repository's.
func repositoryOf(host, path string) string {
	of := ""
	if i := strings.IndexAny(path, "?#"); i >= 0 { // of the page
		path, of = path[:i], strings.Trim(path[:i], "/")
	}
	if m := pageOf.FindStringSubmatch(path); m != nil {
		return m[1]
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch strings.ToLower(host) {
	case "github.com", "bitbucket.org", "codeberg.org": // whose repositories have two names
		if len(parts) > 2 {
			return parts[0] + "/" + parts[1]
		}
	}
	return of
}

func goodPath(path string) bool {
	if !pathPattern.MatchString(path) {
		return false
	}
	for _, c := range strings.Split(path, "/") {
		if strings.HasPrefix(c, "-") || c == ".." {
			return false
		}
	}
	return strings.Trim(path, "/") != ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// String returns the address.
func (u URL) String() string { return u.text }

// Path returns what follows the host, without a slash before it.
func (u URL) Path() string { return u.path }

// IsZero reports whether u was never parsed.
func (u URL) IsZero() bool { return u.text == "" }

// Host returns the name of the Git server, or its address without brackets.
func (u URL) Host() string { return u.host }

// Server returns the name of the Git server with its port, as in known_hosts.
func (u URL) Server() string {
	if u.port == "" || u.port == "22" {
		return u.host
	}
	return "[" + u.host + "]:" + u.port
}

// SSH reports whether the address uses SSH.
func (u URL) SSH() bool { return u.text != "" && !strings.HasPrefix(u.text, "https://") }

// The providers of code, by their names in the contract.
const (
	GitHub       = "github"
	GitLab       = "gitlab"
	Bitbucket    = "bitbucket"
	GitLabCustom = "gitlab-custom"
	Custom       = "custom"
)

// hostOf returns the host of a provider whose repositories have short names, else "".
func hostOf(provider string) string {
	return map[string]string{GitHub: "github.com", GitLab: "gitlab.com", Bitbucket: "bitbucket.org"}[provider]
}

// Resolve makes an address from user input: a short name at a provider ("team/app"), or an address.
func Resolve(provider, repository string) (URL, error) {
	if host := hostOf(provider); host != "" && namePattern.MatchString(repository) {
		return ParseURL("git@" + host + ":" + strings.TrimSuffix(repository, ".git") + ".git")
	}
	return ParseURL(repository)
}

// ResolveAt makes an address from a repository's name at a provider; host is the clone host of a self-hosted GitLab, with a port
// other than 22 appended.
func ResolveAt(provider string, host *string, name string) (URL, error) {
	if provider != GitLabCustom || host == nil {
		return Resolve(provider, name)
	}
	return ParseURL("ssh://git@" + *host + "/" + name + ".git")
}

// KnownHosts returns the published host keys of the large Git servers, in the format of known_hosts; "" for others, whose keys
// are pinned on first contact.
func KnownHosts(u URL) string {
	if !u.SSH() || u.port != "" && u.port != "22" {
		return ""
	}
	key := publishedKeys()[u.host]
	if key == "" {
		return ""
	}
	return u.host + " ssh-ed25519 " + key + "\n"
}

// publishedKeys are the host keys that the large Git servers publish, all of the type ssh-ed25519.
func publishedKeys() map[string]string {
	return map[string]string{
		"github.com":    "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl", // SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU
		"gitlab.com":    "AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf", // SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8
		"bitbucket.org": "AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO", // SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM
	}
}

// published returns them in the format of known_hosts.
func published() string {
	var out strings.Builder
	for _, host := range slices.Sorted(maps.Keys(publishedKeys())) {
		out.WriteString(host + " ssh-ed25519 " + publishedKeys()[host] + "\n")
	}
	return out.String()
}
