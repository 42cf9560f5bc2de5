package value

import (
	"cmp"
	"errors"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const maxRedirect = 1000

// RedirectSource is the regular expression that nginx's rewrite matches a path with (ngx_http_rewrite_module, PCRE). It matches anywhere in the
// path unless it is anchored: "^/old$".
type RedirectSource struct{ pattern string }

// ParseRedirectSource refuses what is certainly not an expression. Syntax that only PCRE knows (look-around, back references) is left to nginx.
func ParseRedirectSource(s string) (RedirectSource, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return RedirectSource{}, Error("The source is required.")
	case len(s) > maxRedirect:
		return RedirectSource{}, Error("The source must not be longer than 1000 bytes.")
	case !plain(s):
		return RedirectSource{}, Error("The source has characters that are not allowed.")
	case strings.HasPrefix(s, "-"):
		return RedirectSource{}, Error("The source must not begin with a dash.")
	case strings.HasPrefix(s, "(*"): // would lift the limit that our own prefix sets
		return RedirectSource{}, Error("The source must not begin with a verb of PCRE.")
	}
	if namedGroup.MatchString(s) { // would define a variable for all sites, possibly one that another site relies on
		return RedirectSource{}, Error("The source must not name its groups.")
	}
	if e := unknownEscape(s); e != "" {
		return RedirectSource{}, Error("The source is no regular expression: " + e + " is not known.")
	}
	if part := backwards(s); part != "" {
		return RedirectSource{}, Error("The source is no regular expression: " + part + " ends before it begins, or is too large.")
	}
	_, err := syntax.Parse(s, syntax.Perl)
	var known *syntax.Error
	ok := errors.As(err, &known)
	switch {
	case err == nil:
	case strings.HasPrefix(s, "*"):
		return RedirectSource{}, Error("The source is a regular expression, in which any text is (.*): write ^/(.*)" +
			regexp.QuoteMeta(strings.TrimLeft(s, "*")) + "$.")
	case strings.Contains(s, "**"):
		return RedirectSource{}, Error("The source is a regular expression, in which the rest of a path is (.*): write " + strings.ReplaceAll(s, "**", "(.*)") + ".")
	case ok && perlOnly(known):
	case ok:
		return RedirectSource{}, Error("The source is no regular expression: " + known.Code.String() + ".")
	default:
		return RedirectSource{}, Error("The source is no regular expression.")
	}
	return RedirectSource{s}, nil
}

var namedGroup = regexp.MustCompile(`\(\?(?:P?<[^=!]|P=|P>|')`)

// escape matches what PCRE knows after a backslash (pcre2syntax(3)): punctuation is literal, and these letters and digits have a
// meaning. Group names are not allowed here, so that no escape takes one.
var escape = regexp.MustCompile(`^(?:[^A-Za-z0-9]|[aefnrt0-9dDhHRsSvVwWXbBAZzGKQE]|c[ -~]|o\{[0-7]{1,7}\}|x(?:\{[0-9A-Fa-f]{1,6}\}|[^{]|$)|N(?:[^{]|$)|` +
	`[pP](?:[CLMNPSZ]|\{\^?[A-Za-z_&]+\})|g(?:[+-]?[1-9]|\{[+-]?[1-9]\d?\}|<[+-]?\d{1,2}>|'[+-]?\d{1,2}'))`)

// unknownEscape returns the first escape of an expression that nginx would refuse. Go's parser does not report it after a
// construct that only PCRE knows.
func unknownEscape(s string) string {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		i++
		if !escape.MatchString(s[i:]) {
			return s[i-1 : i+1]
		}
		if s[i] == 'Q' { // everything up to \E is literal
			end := strings.Index(s[i:], `\E`)
			if end < 0 {
				return ""
			}
			i += end + 1
		}
	}
	return ""
}

// maxRepeat is the largest number of a repetition (pcre2limits(3)).
const maxRepeat = 65535

var repeat = regexp.MustCompile(`^\{(\d+)(?:,(\d*))?\}$`)

// backwards returns the repetition ({2,1}) or the range ([z-a]) that makes an expression one that PCRE refuses as well, or "".
func backwards(s string) string {
	_, err := syntax.Parse(s, syntax.Perl)
	var known *syntax.Error
	if !errors.As(err, &known) {
		return ""
	}
	switch known.Code {
	case syntax.ErrInvalidRepeatSize: // Go's largest is lower than that of PCRE
		m := repeat.FindStringSubmatch(known.Expr)
		if m == nil {
			return ""
		}
		least, err := strconv.Atoi(m[1])
		most, errMost := strconv.Atoi(cmp.Or(m[2], m[1]))
		if err != nil || errMost != nil || least > most || most > maxRepeat {
			return known.Expr
		}
	case syntax.ErrInvalidCharRange: // not so [\w-a]
		if r := []rune(known.Expr); len(r) == 3 && r[1] == '-' && r[0] > r[2] {
			return known.Expr
		}
	}
	return ""
}

// perlOnly reports whether an error may not apply to PCRE: look-around, back references and possessive repetition are not in Go's syntax.
func perlOnly(e *syntax.Error) bool {
	switch e.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture, syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatOp, syntax.ErrInvalidRepeatSize,
		syntax.ErrInvalidCharRange:
		return e.Expr != "" && !strings.HasPrefix(e.Expr, "*")
	}
	return false
}

// String returns the expression.
func (r RedirectSource) String() string { return r.pattern }

// IsZero reports whether r was never parsed.
func (r RedirectSource) IsZero() bool { return r.pattern == "" }

// MarshalText returns the expression.
func (r RedirectSource) MarshalText() ([]byte, error) { return []byte(r.pattern), nil }

// UnmarshalText calls ParseRedirectSource.
func (r *RedirectSource) UnmarshalText(b []byte) error { return unmarshal(r, b, ParseRedirectSource) }

// RedirectTarget is the destination of a redirect: a path, or a URL. $1 to $9 are the parenthesized matches of the source; a few
// nginx variables whose values are not decoded are allowed too.
type RedirectTarget struct{ target string }

var (
	redirectVariable = regexp.MustCompile(`\$\{?[A-Za-z0-9_]*\}?`)
	// Decoded variables ($uri) would let a visitor inject header lines into the answer.
	redirectKnown = regexp.MustCompile(`^\$(?:[1-9]|request_uri|args|query_string|is_args|host|scheme|server_name|arg_[a-z0-9_]+)$`)
)

// sameVariable says which variable is meant by one that may not be in a target.
var sameVariable = map[string]string{
	"$uri": " Write $request_uri for the path with its query.", "$document_uri": " Write $request_uri for the path with its query.",
	"$http_host": " Write $host.", "$hostname": " Write $host.", "$request_path": " Write $request_uri for the path with its query.",
}

// ParseRedirectTarget refuses what is not a destination, and unknown variables.
func ParseRedirectTarget(s string) (RedirectTarget, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return RedirectTarget{}, Error("The target is required.")
	case len(s) > maxRedirect:
		return RedirectTarget{}, Error("The target must not be longer than 1000 bytes.")
	case !plain(s) || strings.ContainsAny(s, " \t"):
		return RedirectTarget{}, Error("The target has characters that are not allowed.")
	}
	if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "$scheme://") {
		return RedirectTarget{}, Error("The target must be a path that begins with a slash, or a URL of http or https.")
	}
	for _, v := range redirectVariable.FindAllString(s, -1) {
		name := strings.NewReplacer("{", "", "}", "").Replace(v)
		if !redirectKnown.MatchString(name) && !redirectKnown.MatchString(firstDigit(name)) {
			return RedirectTarget{}, Error("The target must not contain " + v + "." + sameVariable[name])
		}
	}
	return RedirectTarget{s}, nil
}

// firstDigit returns "$1" of "$12": nginx takes one digit only.
func firstDigit(name string) string {
	if len(name) > 2 && name[1] >= '1' && name[1] <= '9' {
		return name[:2]
	}
	return name
}

// String returns the target.
func (r RedirectTarget) String() string { return r.target }

// IsZero reports whether r was never parsed.
func (r RedirectTarget) IsZero() bool { return r.target == "" }

// MarshalText returns the target.
func (r RedirectTarget) MarshalText() ([]byte, error) { return []byte(r.target), nil }

// UnmarshalText calls ParseRedirectTarget.
func (r *RedirectTarget) UnmarshalText(b []byte) error { return unmarshal(r, b, ParseRedirectTarget) }

// URLPath is a plain path of a URL, without query, decoded: "/admin".
type URLPath struct {
	path string
	// odd is set for a stored text that is no such path.
	odd bool
}

// ParseURLPath adds a missing leading slash and removes a trailing one. A path as browsers show or send it, with letters of any language or their encoding, is
// the same path.
func ParseURLPath(s string) (URLPath, error) {
	s = strings.TrimSpace(s)
	if decoded, err := url.PathUnescape(s); err == nil && encodedPart.MatchString(s) && utf8.ValidString(decoded) {
		s = norm.NFC.String(decoded)
	}
	if s == "" {
		return URLPath{}, Error("The path is required.")
	}
	if len(strings.TrimPrefix(s, "/")) > 255 { // the slash that is added does not count: what is stored is parsed again
		return URLPath{}, Error("The path must not be longer than 255 characters.")
	}
	s = strings.TrimSuffix(s, "/*") // what is below is meant anyway
	if strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd) && !strings.ContainsRune("/._-~@+", r)
	}) {
		return URLPath{}, Error("The path must have letters, digits and . _ - ~ @ + only.")
	}
	s = "/" + strings.Trim(s, "/")
	for _, part := range strings.Split(s[1:], "/") {
		if s != "/" && (part == "" || part == "." || part == "..") {
			return URLPath{}, Error(`The path must not have parts that are empty, "." or "..".`)
		}
	}
	return URLPath{path: s}, nil
}

// String returns the path.
func (p URLPath) String() string { return p.path }

// IsZero reports whether p was never parsed.
func (p URLPath) IsZero() bool { return p.path == "" }

// MarshalText returns the path.
func (p URLPath) MarshalText() ([]byte, error) { return []byte(p.path), nil }
