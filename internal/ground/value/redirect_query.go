package value

import (
	"net/url"
	"regexp"
	"regexp/syntax"
	"strings"
)

// urlQuery matches a source that is a URL with a query string rather than an expression: /sale/?sort=price. Its question mark is no operator.
var urlQuery = regexp.MustCompile(`^(\^?/[^?()\[\]{}|*+\\^$]*)\?([A-Za-z0-9_.~%-]+=[^?()\[\]{}|*+\\^$]*)(\$?)$`)

// Query returns the expression for a request with its query string, as the client sent it ($request_uri), if the source has one: a URL with a question mark
// and a parameter, or an escaped question mark. nginx's rewrite sees the path alone.
func (r RedirectSource) Query() (expression string, ok bool) {
	if m := urlQuery.FindStringSubmatch(r.pattern); m != nil {
		escaped := strings.NewReplacer(`.`, `\.`)
		return escaped.Replace(m[1]) + `\?` + escaped.Replace(m[2]) + m[3], true
	}
	class := false
	for i := 0; i < len(r.pattern); i++ {
		switch r.pattern[i] {
		case '\\':
			if i++; i < len(r.pattern) && r.pattern[i] == '?' && !class {
				return r.pattern, true
			}
		case '[':
			class = true
		case ']':
			class = false
		}
	}
	return "", false
}

var encodedPart = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)

// classes are the bracketed sets of an expression, whose characters are alternatives.
var classes = regexp.MustCompile(`\[[^\]]*\]`)

// twoSlashes matches slashes in a row of which none is optional, and placeholder a part of a path as routers of frameworks name it.
var (
	twoSlashes  = regexp.MustCompile(`//(?:[^?*{]|$)`)
	placeholder = regexp.MustCompile(`([/_-])(?:[%$]?\{[A-Za-z_][\w.:]*\??\}|:[A-Za-z_]\w*\??)`)
)

// A rule of nginx or Apache, or an expression of a program that has signs around it: what is captured is the source.
var (
	ruleLine = regexp.MustCompile(`^(?i:rewrite|RewriteRule|Redirect(?:Match|Permanent|Temp)?|return|location)[ \t]+(?:(?i:30\d|permanent|temp|` +
		`seeother)[ \t]+)?"?([^ \t"]+)"?`)
	netlify   = regexp.MustCompile(`^(/[^ \t]*)[ \t]+(?:/|https?://)[^ \t]*[ \t]+30[1-8]!?$`)
	modified  = regexp.MustCompile(`^(=|~\*?|\^~)[ \t]*(\S.*)$`)
	delimited = regexp.MustCompile(`^(?:#(\^.*)#|/(\^.*)/|~(\^.*)~|%(\^.*)%)(i?)[a-z]*$`)
)

// ofOtherServer returns the expression that a source is which was copied with the signs of another program around it, "" for another source.
func ofOtherServer(s string) string {
	if m := ruleLine.FindStringSubmatch(s); m != nil {
		switch path := m[1]; {
		case strings.HasPrefix(path, "^/"):
			return path
		case strings.HasPrefix(path, "^"):
			return "^/" + path[1:]
		case strings.HasPrefix(path, "/"):
			return "^" + path + "$"
		}
		return "^/" + m[1] + "$"
	}
	if m := netlify.FindStringSubmatch(s); m != nil {
		return "^" + m[1] + "$"
	}
	if m := delimited.FindStringSubmatch(s); m != nil {
		flags := ""
		if m[5] != "" {
			flags = "(?i)"
		}
		return flags + strings.ReplaceAll(m[1]+m[2]+m[3]+m[4], `\/`, "/")
	}
	if m := modified.FindStringSubmatch(s); m != nil {
		switch m[1] {
		case "=":
			return "^" + m[2] + "$"
		case "~*":
			return "(?i)" + m[2]
		case "^~":
			return "^" + m[2]
		}
		return m[2]
	}
	return ""
}

// beyondPaths reports whether an expression is anchored to a beginning that is no slash. What only PCRE knows may match anything.
func beyondPaths(pattern string) bool {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return false
	}
	seen := map[[2]uint32]bool{}
	var may func(pc, anchored uint32) bool
	may = func(pc, anchored uint32) bool {
		if seen[[2]uint32{pc, anchored}] {
			return false
		}
		seen[[2]uint32{pc, anchored}] = true
		switch in := &program.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			return may(in.Out, anchored) || may(in.Arg, anchored)
		case syntax.InstCapture, syntax.InstNop:
			return may(in.Out, anchored)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&(syntax.EmptyBeginText|syntax.EmptyBeginLine) != 0 {
				anchored = 1
			}
			return may(in.Out, anchored)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			return anchored == 0 || in.MatchRune('/')
		case syntax.InstMatch:
			return true
		}
		return false
	}
	return !may(uint32(program.Start), 0)
}

// Mistaken returns what a target has that other programs understand and nginx sends on as it is, with what to write instead; "" for none.
func (r RedirectTarget) Mistaken(from RedirectSource) string {
	switch {
	case strings.HasPrefix(r.target, "//"):
		return "The target is on this site, since it begins with a slash. For another host write https:" + r.target + "."
	case foreignGroup.MatchString(r.target):
		return "The parenthesized parts of the source are $1 to $9: write $1 for " + foreignGroup.FindString(r.target) + "."
	case from.groups() >= 10 && manyGroups.MatchString(r.target):
		name := manyGroups.FindString(r.target)
		return "nginx knows $1 to $9 only, and takes " + name + " for " + name[:2] + " with a " + name[2:] + " after it. Write (?:…) for the parts of the source " +
			"that the target does not use."
	case r.beyond(from.groups()) == "$1" && strings.HasSuffix(from.pattern, "/*"):
		return "The source has no part in parentheses for $1: write ^" + strings.TrimPrefix(strings.TrimSuffix(from.pattern, "*"), "^") + "(.*)."
	case r.beyond(from.groups()) != "":
		return "The source has no part in parentheses for " + r.beyond(from.groups()) + "."
	case strings.Contains(r.target, "%{"):
		return "The target has a variable of another server. Here the host is $host, the path with its query $request_uri, and the query $args."
	case placeholder.MatchString(r.target):
		return "The target has no placeholders: put the part of the source into parentheses, and write $1."
	case strings.Contains(r.target, "*") && strings.Contains(from.pattern, "*") && !strings.Contains(from.pattern, "("):
		return "The target would have the asterisk itself. Write (.*) in the source, and $1 in the target."
	}
	return ""
}

// manyGroups matches the number of a group beyond the nine that nginx has a name for.
var manyGroups = regexp.MustCompile(`\$[1-9][0-9]+`)

// group matches a part of the source in a target.
var group = regexp.MustCompile(`\$[1-9]`)

// beyond returns the first group in the target that a source with so many has not, "" for none: nginx would leave it out.
func (r RedirectTarget) beyond(groups int) string {
	for _, g := range group.FindAllString(r.target, -1) {
		if int(g[1]-'0') > groups {
			return g
		}
	}
	return ""
}

// groups returns how many parts of the expression are captured.
func (r RedirectSource) groups() int {
	if parsed, err := syntax.Parse(r.pattern, syntax.Perl); err == nil {
		return parsed.MaxCap()
	}
	return captured(r.pattern) // look-around and the like, which Go's parser does not have
}

// captured counts the parentheses of an expression that capture: those that are neither escaped, nor in a class, nor followed by a question mark or a verb.
func captured(pattern string) int {
	n, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if rest := strings.TrimPrefix(pattern[i+1:], "^"); strings.HasPrefix(rest, "]") { // which is literal as the first
				i = len(pattern) - len(rest)
			}
		case c == '(' && !strings.HasPrefix(pattern[i+1:], "?") && !strings.HasPrefix(pattern[i+1:], "*"):
			n++
		}
	}
	return n
}

// foreignGroup matches a part of the source as sed, Apache and shells write it.
var foreignGroup = regexp.MustCompile(`\\[1-9]|\$\{[1-9]\}|%[1-9](?:[^0-9A-Fa-f]|$)`)

// queryExpression matches a source with an expression in its query string, whose question mark is not escaped: /item.php?id=(\d+). As it stands, the question
// mark makes what precedes it optional.
var queryExpression = regexp.MustCompile(`^(\^?/(?:(?:[^?()\[\]{}|*+\\]|\\.)*[^?()\[\]{}|*+\\])?)\?(&?[A-Za-z_][A-Za-z0-9_.~%-]*=.*)$`)

// hostFirst matches a source that begins with a name of a site, as browsers show a URL.
var hostFirst = regexp.MustCompile(`^\^?(?:[a-z0-9-]+\\?\.)+(?:com|net|org|info|dev|app|io|shop|online|[a-z]{2})(?::\d+)?(/.*)$`)

// catchAll matches what routers of frameworks write for the rest of a path: :path*, :splat*, [...slug], **.
var catchAll = regexp.MustCompile(`:[A-Za-z_]\w*\*|\[\.\.\.\w+\]|\*\*`)

// oneSegment matches a part of a path as file names of Next.js and routes of Flask have it.
var oneSegment = regexp.MustCompile(`/(?:\[(?:id|uuid|slug|name|page|path|lang|locale|year|month|day|user|category|handle)\]|<(?:\w+:)?[A-Za-z_]\w*>)`)

// Unmatched returns why no request can match the source, with what to write instead; "" if one may.
func (r RedirectSource) Unmatched() string {
	if pattern := ofOtherServer(r.pattern); pattern != "" {
		return "The source is the expression alone, without what other servers write around it: " + pattern + "."
	}
	if not, ok := strings.CutPrefix(r.pattern, "!^/"); ok {
		return "The source is an expression, which an exclamation mark does not negate: write ^/(?!" + not + ")."
	}
	bare := strings.TrimPrefix(r.pattern, "^")
	if strings.HasPrefix(bare, "http://") || strings.HasPrefix(bare, "https://") || strings.HasPrefix(bare, "https?://") {
		path := "/"
		if u, err := url.Parse(strings.Replace(bare, "https?://", "https://", 1)); err == nil && u.Path != "" {
			path = u.Path
		}
		return "The source is matched with the path of a request, not with its host: write ^" + path + "."
	}
	if strings.HasPrefix(bare, "/") && strings.Contains(classes.ReplaceAllString(bare, ""), "#") && !strings.Contains(bare, `\#`) {
		before, _, _ := strings.Cut(r.pattern, "#")
		return "The source has a #, and browsers do not send what follows it: write " + before + "."
	}
	if m := hostFirst.FindStringSubmatch(r.pattern); m != nil {
		return "The source is matched with the path of a request, not with its host: write ^" + m[1] + "."
	}
	if _, query := r.Query(); query {
		return ""
	}
	if m := queryExpression.FindStringSubmatch(r.pattern); m != nil {
		return "The question mark of a query string is written with a backslash in an expression: " + m[1] + `\?` +
			strings.ReplaceAll(m[2], "=*", "=.*") + "."
	}
	plainText := classes.ReplaceAllString(bare, ".")
	switch {
	case beyondPaths(r.pattern): // the rules of an .htaccess file have none
		return "The path of a request begins with a slash: write ^/" + bare + "."
	case twoSlashes.MatchString(plainText):
		return "nginx joins slashes that follow each other before it looks at a path: write one."
	case catchAll.MatchString(bare):
		return "The source is a regular expression, in which the rest of a path is (.*): write " + catchAll.ReplaceAllString(r.pattern, "(.*)") +
			", and $1 in the target."
	case oneSegment.MatchString(bare):
		return "The source is a regular expression, and has no placeholders: write " + oneSegment.ReplaceAllString(r.pattern, "/([^/]+)") +
			", and $1 in the target."
	case placeholder.MatchString(plainText):
		return "The source is a regular expression, and has no placeholders: write " + placeholder.ReplaceAllString(r.pattern, "$1([^/]+)") +
			", and $1 in the target."
	}
	if part := encodedPart.FindString(r.pattern); part != "" {
		if plainText, err := url.PathUnescape(part); err == nil && plain(plainText) {
			return "The source is matched with the decoded path: write " + strings.ReplaceAll(r.pattern, part, plainText) + "."
		}
	}
	return ""
}
