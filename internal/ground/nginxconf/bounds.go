package nginxconf

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds are the limits of the configuration of one domain.
type Bounds struct {
	Site, Domain int64
	// Names are the domain's names, wildcards as "*.example.com".
	Names []string
	// Base is the directory of the site.
	Base string
	// Sockets are those of the site's own PHP pools, Ports those of its own programs, Upstreams the upstreams that Hostler writes for it.
	Sockets   []string
	Ports     []int64
	Upstreams []string
	// TLS reports whether the domain has a certificate.
	TLS bool
	// Addresses are the server's own.
	Addresses []netip.Addr
	// Ours are texts that Hostler rendered for the domain. What they name, for example certificates and logs, is allowed.
	Ours []string
}

// LogPrefix returns the prefix of the paths of a site's logs.
func LogPrefix(site int64) string {
	return "/var/log/nginx/hostler-" + strconv.FormatInt(site, 10) + "-"
}

// prefix returns the required prefix for the names of variables, zones, upstreams and log formats that a site defines: nginx has
// one name space for all sites.
func (b Bounds) prefix() string { return "site_" + strconv.FormatInt(b.Site, 10) + "_" }

// inside returns the variable that is written before each root: empty unless the path of the request would lead out of it.
func (b Bounds) inside() string { return "hostler_inside_" + strconv.FormatInt(b.Domain, 10) }

// A place is a set of contexts of directives.
type place uint

const (
	inTop place = 1 << iota
	inServer
	inLocation
	inIf
	inLimit
	inUpstream
	inMap   // its contents are not directives, but words of the block
	inTypes // the same
)

// inRequest is every context in which a request is handled.
const inRequest = inServer | inLocation | inIf | inLimit

// Judge returns what a tree contains that a site is not allowed to say, in the order of lines. An empty list means that the tree is accepted.
func Judge(tree []*Statement, b Bounds) []Refusal {
	j := &judge{
		Bounds: b, variables: map[string]bool{}, upstreams: map[string]bool{}, zones: map[string]bool{},
		formats: map[string]bool{}, ours: map[string]bool{}, given: map[string]bool{},
	}
	made := regexp.MustCompile(`^hostler_[a-z]+_` + strconv.FormatInt(b.Site, 10) + `$`)
	for _, text := range b.Ours {
		ours, err := Read(text)
		if err != nil {
			continue
		}
		walk(ours, func(s *Statement) {
			j.ours[key(s)] = true
			for _, w := range s.Words {
				for _, name := range references(w.Text) {
					j.given[name] = j.given[name] || made.MatchString(name)
				}
			}
		})
	}
	walk(tree, j.declare)
	j.block(tree, inTop, nil)
	if len(j.out) == 0 {
		j.out = second(tree)
	}
	slices.SortStableFunc(j.out, func(a, b Refusal) int { return a.Line - b.Line })
	return j.out
}

type judge struct {
	Bounds
	// Names that the text itself defines.
	variables, upstreams, zones, formats map[string]bool
	// ours are the statements of Hostler's own texts, by their words.
	ours map[string]bool
	// given are the variables that they read and that Hostler makes for the site, as of a load balancer in front.
	given   map[string]bool
	at      *Statement
	in      place
	parents []*Statement
	memory  int64
	out     []Refusal
}

func walk(tree []*Statement, f func(*Statement)) {
	for _, s := range tree {
		f(s)
		walk(s.Body, f)
	}
}

// key returns a statement without its body and its quotes.
func key(s *Statement) string {
	words := make([]string, len(s.Words))
	for i, w := range s.Words {
		words[i] = strconv.Quote(w.Text)
	}
	return strings.Join(words, " ")
}

// isOurs reports whether a text of Hostler's contains the statement too.
func (j *judge) isOurs() bool { return j.ours[key(j.at)] }

func (j *judge) refuse(what string) {
	const most = 50
	if len(j.out) < most {
		j.out = append(j.out, Refusal{Line: j.at.Line, What: what})
	}
}

// bodies are the contexts of blocks.
var bodies = map[string]place{
	"server": inServer, "location": inLocation, "if": inIf, "limit_except": inLimit, "upstream": inUpstream,
	"map": inMap, "geo": inMap, "split_clients": inMap, "types": inTypes,
}

func (j *judge) block(tree []*Statement, in place, parents []*Statement) {
	for _, s := range tree {
		if len(s.Words) == 0 {
			continue
		}
		j.at, j.in, j.parents = s, in, parents
		switch {
		case in == inMap || in == inTypes:
			j.entry()
			continue
		case s.Name() == "server" && in == inUpstream:
			j.words()
			j.node()
			continue
		}
		rule, known := directives[s.Name()]
		switch {
		case !known:
			j.refuse(unknown(s.Name()))
			continue
		case rule.in&in == 0:
			j.refuse(quoted(s.Name()) + " is not allowed here")
			continue
		case s.Block != (bodies[s.Name()] != 0):
			j.refuse(quoted(s.Name()) + " needs " + map[bool]string{true: "no block", false: "a block"}[s.Block])
			continue
		}
		j.words()
		if rule.check != nil {
			rule.check(j, s.Args())
		}
		if s.Block {
			within := append(slices.Clone(parents), s)
			next := bodies[s.Name()]
			j.block(s.Body, next, within)
		}
	}
}

// entry checks a line of a map, a geo block or a list of types.
func (j *judge) entry() {
	switch name := j.at.Name(); {
	case j.at.Block:
		j.refuse("there can be no block in here")
	case name == "include":
		j.refuse(`"include" reads any file of the server; write the lines here`)
	}
	j.words()
}

// words checks what applies to every word of every statement: the variables and groups that it names.
func (j *judge) words() {
	for _, w := range j.at.Words {
		for _, name := range references(w.Text) {
			if !j.readable(name) {
				j.refuse("$" + name + " is no variable that this site has; of its own are those that it makes, with a name that begins with " + j.prefix())
			}
		}
		for _, name := range groups(w.Text) {
			if !strings.HasPrefix(strings.ToLower(name), j.prefix()) {
				j.refuse("the group " + quoted(name) + " would be a variable of all sites; its name must begin with " + j.prefix())
			}
		}
	}
}

func quoted(s string) string { return `"` + shorten(s) + `"` }

func unknown(name string) string {
	if why, ok := refused[name]; ok {
		return quoted(name) + " " + why
	}
	for module, instead := range modules {
		if strings.HasPrefix(name, module) {
			return quoted(name) + " is of a module that nginx does not have here: " + instead
		}
	}
	return quoted(name) + " is not among the directives that a site may use"
}
