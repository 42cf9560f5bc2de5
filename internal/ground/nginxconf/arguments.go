package nginxconf

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// only accepts these values alone.
func only(values ...string) func(*judge, []string) {
	return func(j *judge, args []string) {
		if len(args) != 1 || !slices.Contains(values, args[0]) {
			j.refuse(j.at.Name() + " can be " + strings.Join(values, " or ") + " only")
		}
	}
}

// plainPath accepts paths within a request's path, without ".." and without variables.
func plainPath(j *judge, args []string) {
	for _, a := range args {
		if strings.Contains(a, "..") || strings.Contains(a, "$") {
			j.refuse(quoted(a) + " must be a path without variables and without ..")
		}
	}
}

// below reports whether a path is the site's directory or in it.
func (j *judge) below(p string) bool {
	return j.Base != "" && path.IsAbs(p) && !strings.ContainsAny(p, "$\x00\r\n\t") && path.Clean(p) == strings.TrimSuffix(p, "/") &&
		(strings.TrimSuffix(p, "/") == j.Base || strings.HasPrefix(p, j.Base+"/"))
}

// server requires a name of the site: a server without one would answer requests without a host, and each address has only one such server.
func (j *judge) server(args []string) {
	for _, s := range j.at.Body {
		if s.Name() == "server_name" {
			return
		}
	}
	j.refuse("the server needs a server_name")
}

// listen binds a vhost to the web ports. Most parameters apply to the address, and so to all sites.
func (j *judge) listen(args []string) {
	if j.isOurs() {
		return
	}
	if len(args) == 1 && slices.Contains([]string{"80", "*:80", "0.0.0.0:80", "[::]:80"}, args[0]) {
		return
	}
	if len(args) > 1 && slices.Contains([]string{"443", "*:443", "0.0.0.0:443", "[::]:443"}, args[0]) && slices.Contains(args, "ssl") &&
		!slices.ContainsFunc(args[1:], func(a string) bool { return a != "ssl" && a != "http2" }) {
		if !j.TLS {
			j.refuse("the domain has no certificate to listen on port 443 with")
		}
		return
	}
	j.refuse("listen can be 80, [::]:80, 443 ssl or [::]:443 ssl, with http2 where it is wanted; other ports and parameters are those of all sites")
}

func (j *judge) names(args []string) {
	for _, a := range args {
		name := strings.ToLower(a)
		if rest, ok := strings.CutPrefix(name, "."); ok && slices.Contains(j.Names, rest) && slices.Contains(j.Names, "*."+rest) {
			continue
		}
		if !slices.Contains(j.Names, name) {
			j.refuse(quoted(a) + " is not a name of this domain, which are " + strings.Join(j.Names, ", "))
		}
	}
}

func (j *judge) certificate(args []string) {
	if !j.isOurs() {
		j.refuse(j.at.Name() + " can only be the file that Hostler keeps for the domain")
	}
}

// protocols apply to all sites of an address if nginx can't reject a handshake and this vhost is the first one.
func (j *judge) protocols(args []string) {
	for _, a := range args {
		if a != "TLSv1.2" && a != "TLSv1.3" {
			j.refuse("ssl_protocols can be TLSv1.2 and TLSv1.3")
			return
		}
	}
}

func (j *judge) sessions(args []string) {
	if !j.isOurs() && !(len(args) == 1 && slices.Contains([]string{"shared:hostler:10m", "none", "off"}, args[0])) {
		j.refuse("ssl_session_cache can be shared:hostler:10m, none or off")
	}
}

// packaged are the files of nginx's packages that custom settings build on.
var packaged = func() []string {
	var out []string
	for _, name := range []string{"fastcgi_params", "fastcgi.conf", "snippets/fastcgi-php.conf", "proxy_params", "mime.types"} {
		out = append(out, name, "/etc/nginx/"+name)
	}
	return out
}()

func (j *judge) include(args []string) {
	if len(args) == 1 && slices.Contains(packaged, args[0]) || j.isOurs() {
		return
	}
	j.refuse("include can name the files that Hostler writes for the site, and fastcgi_params, fastcgi.conf, snippets/fastcgi-php.conf, proxy_params and " +
		"mime.types")
}

func (j *judge) root(args []string) {
	if len(args) == 0 {
		args = []string{""}
	}
	for _, a := range args {
		if len(args) != 1 || !j.below(a) {
			j.refuse("root must be below " + j.Base + ", without variables and without ..")
		}
	}
}

// acmeDirectory contains the answers to http-01 challenges.
const acmeDirectory = "/var/lib/hostler/acme-challenge/"

func (j *judge) alias(args []string) {
	var location []string
	if len(j.parents) > 0 {
		location = j.parents[len(j.parents)-1].Args()
	}
	if len(args) != 1 || len(location) == 0 {
		j.refuse("alias needs one directory, and a location that it is for")
		return
	}
	switch {
	case args[0] == acmeDirectory && slices.Equal(location, []string{"^~", "/.well-known/acme-challenge/"}):
		return
	case !j.below(args[0]):
		j.refuse("alias must be below " + j.Base + ", without variables and without ..")
		return
	case strings.HasPrefix(location[0], "~"):
		return // the alias becomes the whole path: a single file
	case args[0] == j.Base: // nginx appends the rest of the request's path to it as text
		j.refuse("the alias must end with a slash: a directory beside " + j.Base + " whose name only begins like it would be served too")
		return
	}
	if prefix := location[len(location)-1]; strings.HasSuffix(args[0], "/") && !strings.HasSuffix(prefix, "/") {
		j.refuse("the location must end with a slash as its alias does: " + quoted(prefix+"..") + " would lead out of it")
	}
}

// pathVariables are safe in file lookups: nginx has removed ".." from them, or refuses hosts that contain any.
var pathVariables = set("uri document_uri host http_host server_name scheme")

func (j *judge) tries(args []string) {
	for i, a := range args {
		if strings.Contains(a, "..") {
			j.refuse(quoted(a) + " must not have .. in it")
			continue
		}
		if i == len(args)-1 { // the destination of the request
			if !strings.ContainsAny(a[:min(1, len(a))], "/$@=") {
				j.refuse(quoted(a) + " must begin with a slash: nginx appends it to the name of the root")
			}
			break
		}
		if !strings.HasPrefix(a, "/") && !slashed.MatchString(a) {
			j.refuse(quoted(a) + " must begin with a slash or $uri: nginx appends it to the name of the root")
		}
		if numbered.MatchString(a) {
			j.refuse(quoted(a) + " must not be made of groups: they can lead out of the root")
		}
		for _, name := range references(a) {
			if !pathVariables[name] {
				j.refuse("try_files must not look for $" + name + ", which can lead out of the root; $uri and $host can be used")
			}
		}
	}
}

// slashed matches what begins with a variable whose value begins with a slash.
var slashed = regexp.MustCompile(`^\$(?:uri|document_uri|\{uri\}|\{document_uri\})`)

var numbered = regexp.MustCompile(`\$\{?[1-9]`)

func (j *judge) index(args []string) { plainPath(j, args) }

func (j *judge) uris(args []string) {
	if j.at.Name() == "rewrite" {
		args = args[min(1, len(args)):]
		if len(args) > 0 && !strings.ContainsAny(args[0][:min(1, len(args[0]))], "/$") && !strings.HasPrefix(args[0], "http://") &&
			!strings.HasPrefix(args[0], "https://") {
			j.refuse(quoted(args[0]) + " must begin with a slash: nginx appends the path of a request to the name of the root")
		}
	}
	for _, a := range args {
		if strings.Contains(a, "..") {
			j.refuse(quoted(a) + " must not have .. in it")
		}
	}
}

func (j *judge) subrequest(args []string) { plainPath(j, args) }

var logName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.log$`)

func (j *judge) ownLog(file string) bool {
	rest, ok := strings.CutPrefix(file, LogPrefix(j.Site))
	return ok && logName.MatchString(rest)
}

func (j *judge) refuseLog() {
	j.refuse(j.at.Name() + " must be a log of the site: " + LogPrefix(j.Site) + "access.log, or another word in place of access")
}

func (j *judge) accessLog(args []string) {
	if j.isOurs() || len(args) == 1 && args[0] == "off" || len(args) == 0 {
		return
	}
	if !j.ownLog(args[0]) && args[0] != "/dev/null" {
		j.refuseLog()
		return
	}
	for i, a := range args[1:] {
		switch name, v, has := strings.Cut(a, "="); {
		case i == 0 && !has:
			if a != "hostler" && a != "combined" && !j.formats[a] {
				j.refuse(quoted(a) + " is no format of this site; hostler and combined are there")
			}
		case name == "if", name == "flush":
		case name == "buffer":
			j.size(v)
		default:
			j.refuse(quoted(a) + " can't be said of an access_log")
		}
	}
}

var logLevels = []string{"debug", "info", "notice", "warn", "error", "crit", "alert", "emerg"}

func (j *judge) errorLog(args []string) {
	if j.isOurs() || len(args) == 0 {
		return
	}
	if !j.ownLog(args[0]) && args[0] != "/dev/null" {
		j.refuseLog()
	} else if len(args) > 2 || len(args) == 2 && !slices.Contains(logLevels, args[1]) {
		j.refuse("error_log can have a level behind its file, and nothing else")
	}
}

func (j *judge) logFormat(args []string) {
	if len(args) > 0 {
		j.own(args[0], "the name of a log format")
	}
}

// own refuses a name that could belong to another site.
func (j *judge) own(name, what string) bool {
	rest, ok := strings.CutPrefix(name, j.prefix())
	if ok && word.MatchString(rest) {
		return true
	}
	j.refuse(what + " is one for all sites: instead of " + quoted(name) + " it must begin with " + j.prefix())
	return false
}

var word = regexp.MustCompile(`^[A-Za-z0-9_]{1,50}$`)

// made checks the variable that a map defines, argument i.
func (j *judge) made(args []string, i int) {
	if i < 0 || i >= len(args) {
		return
	}
	if !single.MatchString(args[i]) {
		j.refuse(quoted(args[i]) + " is no name of a variable")
		return
	}
	j.own(strings.ToLower(args[i][1:]), "the name of a variable")
}

func (j *judge) set(args []string) {
	if len(args) == 0 {
		return
	}
	if !single.MatchString(args[0]) {
		j.refuse(quoted(args[0]) + " is no name of a variable")
		return
	}
	if name := strings.ToLower(args[0][1:]); !j.settable(name) {
		j.refuse("$" + name + " can't be set: nginx has one variable of the name for all sites")
	}
}

func (j *judge) upstream(args []string) {
	if len(args) == 1 {
		j.own(args[0], "the name of an upstream")
	}
}

// users can't be a file that the site's user creates: nginx would block on opening a pipe, and answer no site meanwhile.
func (j *judge) users(args []string) {
	id := strconv.FormatInt(j.Site, 10)
	if len(args) != 1 || args[0] != "$hostler_users_"+id && !regexp.MustCompile(`^/etc/nginx/hostler-conf/`+id+`/users-[0-9]+$`).MatchString(args[0]) {
		j.refuse("auth_basic_user_file can be $hostler_users_" + id + " only; the site's security rules make its users")
	}
}

// zone checks the name of a zone that the text defines.
func (j *judge) zone(args []string) {
	if len(args) != 1 || args[0] != "off" && !(j.zones[args[0]] && j.own(args[0], "the name of a zone")) {
		j.refuse(j.at.Name() + " must be off, or a zone that this configuration makes")
	}
}

func (j *judge) zoneOf(args []string, key string) {
	for _, a := range args {
		if rest, ok := strings.CutPrefix(a, key); ok {
			name, size, sized := strings.Cut(rest, ":")
			if j.own(name, "the name of a zone") && !j.zones[name] {
				j.refuse(quoted(name) + " is no zone that this configuration makes")
			}
			if sized {
				j.size(size)
			}
			return
		}
	}
	j.refuse(j.at.Name() + " needs " + key + j.prefix() + "name")
}

func (j *judge) limit(args []string) { j.zoneOf(args, "zone=") }

func (j *judge) limitZone(args []string) { j.zoneOf(args, "zone=") }

func (j *judge) limitConn(args []string) {
	if len(args) > 0 {
		j.zoneOf([]string{"zone=" + args[0]}, "zone=")
	}
}

func (j *judge) sharedZone(args []string) {
	if len(args) > 0 && j.own(args[0], "the name of a zone") && len(args) > 1 {
		j.size(args[1])
	}
}

// cachePath checks a directory that nginx creates as root and hands to its workers.
func (j *judge) cachePath(args []string) {
	prefix := fmt.Sprintf("/var/lib/nginx/hostler-%d-", j.Site)
	if len(args) == 0 {
		return
	}
	if rest, ok := strings.CutPrefix(args[0], prefix); !ok || !regexp.MustCompile(`^[a-z0-9]+$`).MatchString(rest) {
		j.refuse(j.at.Name() + " must be " + prefix + " and a word")
	}
	j.zoneOf(args[1:], "keys_zone=")
	sized := false
	for _, a := range args[1:] {
		name, v, _ := strings.Cut(a, "=")
		switch name {
		case "max_size":
			sized = true
		case "use_temp_path":
			if v != "off" {
				j.refuse("use_temp_path can be off only")
			}
		case "levels", "keys_zone", "inactive", "manager_files", "manager_sleep", "manager_threshold", "loader_files", "loader_sleep", "loader_threshold", "min_free":
		default:
			j.refuse(quoted(a) + " can't be said of a cache")
		}
	}
	if !sized {
		j.refuse(j.at.Name() + " needs a max_size")
	}
}

const (
	// maxMemory limits what one directive uses for a request, maxZones what all zones of a text use.
	maxMemory = 8 << 20
	maxZones  = 64 << 20
)

func bytesOf(s string) (int64, bool) {
	s = strings.ToLower(s)
	unit := int64(1)
	switch {
	case strings.HasSuffix(s, "k"):
		s, unit = s[:len(s)-1], 1<<10
	case strings.HasSuffix(s, "m"):
		s, unit = s[:len(s)-1], 1<<20
	case strings.HasSuffix(s, "g"):
		s, unit = s[:len(s)-1], 1<<30
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > 1<<30 {
		return 0, false
	}
	return n * unit, true
}

// size adds to the memory of zones and log buffers.
func (j *judge) size(s string) {
	n, ok := bytesOf(s)
	if j.memory += n; !ok || j.memory > maxZones {
		j.refuse("all zones and buffers of a configuration together can have 64m; " + quoted(s) + " is too much")
	}
}

func (j *judge) sizes(args []string) {
	total := int64(1)
	for _, a := range args {
		n, ok := bytesOf(a)
		if !ok || n > maxMemory {
			j.refuse(quoted(a) + " is no size of at most 8m")
			return
		}
		if total *= max(n, 1); total > maxMemory {
			j.refuse(j.at.Name() + " would take more than 8m for a request")
			return
		}
	}
}

// condition checks an "if". Its file lookups are restricted like those of a root.
func (j *judge) condition(args []string) {
	text := strings.Join(args, " ")
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"))
	rest := strings.TrimPrefix(text, "!")
	if len(rest) < 2 || rest[0] != '-' {
		return
	}
	what := strings.TrimSpace(rest[2:])
	switch {
	case strings.Contains(what, ".."):
	case what == "$request_filename":
		return
	case documentPath.MatchString(what), j.below(what):
		return
	}
	j.refuse("if can look for $request_filename, $document_root and a path below it, and files below " + j.Base)
}

// documentPath matches a file below a root: a fixed one, or that of the request.
var documentPath = regexp.MustCompile(`^\$(?:document_root|realpath_root)(?:\$uri|\$fastcgi_script_name|)(?:/[A-Za-z0-9._/-]*)?$`)
