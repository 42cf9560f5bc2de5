package render

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/value/corpus"
)

// hostile returns the corpus, as it is and at the end of a path, where most of it would have to be.
func hostile() []string {
	var all []string
	for _, s := range corpus.Injection("/tmp/canary") {
		all = append(all, s, "/srv/"+s, "/srv/x"+s+"/y")
	}
	return all
}

// words splits a file as nginx does (ngx_conf_read_token): ";", "{" and "}" are separate words.
func words(text string) ([]string, error) {
	var all []string
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.IndexByte(";{}", c) >= 0:
			all = append(all, string(c))
			i++
		case c == '"' || c == '\'':
			word, rest, err := quotedWord(text[i:])
			if err != nil {
				return nil, err
			}
			all = append(all, word)
			i = len(text) - len(rest)
		default:
			j := i
			for j < len(text) && strings.IndexByte(" \t\r\n;{", text[j]) < 0 {
				j++
			}
			all = append(all, text[i:j])
			i = j
		}
	}
	return all, nil
}

// quotedWord parses a word in quotes, with backslashes before quotes and backslashes.
func quotedWord(text string) (word, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return b.String(), text[i+1:], nil
		case text[i] == '\\' && i+1 < len(text) && strings.IndexByte(`\"'`, text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", errors.New("a quote isn't closed")
}

// TestQuotersKeepOneWord tests the quoters without the checks of package value.
func TestQuotersKeepOneWord(t *testing.T) {
	for _, s := range hostile() {
		if q, err := nginxQuote(s); err == nil {
			got, err := words("root " + q + ";")
			if err != nil || len(got) != 3 || got[1] != s || strings.ContainsAny(q, "$\r\n\x00") {
				t.Errorf("nginx: %.80q became %.80q, %v", s, got, err)
			}
		}
		if q, err := systemdQuote(s); err == nil {
			word, rest, err := quotedWord(q)
			if plain := strings.NewReplacer("%%", "%", "$$", "$").Replace(word); err != nil || rest != "" || plain != s || strings.ContainsAny(q, "\r\n\x00") {
				t.Errorf("systemd: %.80q became %.80q, %v", s, q, err)
			}
		}
	}
	for _, s := range []string{"a\x00b", "a\nb", "a\rb", "\xff"} {
		for format, quote := range map[string]func(string) (string, error){"nginx": nginxQuote, "systemd": systemdQuote} {
			if q, err := quote(s); err == nil {
				t.Errorf("%s takes %q as %q", format, s, q)
			}
		}
	}
}

// TestCorpusStaysInItsPlace puts every value into every field of its type: what package value accepts must leave the structure of
// the file as it is with a harmless one.
func TestCorpusStaysInItsPlace(t *testing.T) {
	version := NginxVersion{1, 26, 0}
	harmless, err := value.ParseAbsPath("/srv/harmless")
	if err != nil {
		t.Fatal(err)
	}
	domain, err := value.ParseDomain("harmless.example")
	if err != nil {
		t.Fatal(err)
	}
	php, err := value.ParsePHPVersion("8.4")
	if err != nil {
		t.Fatal(err)
	}
	vhost := func(d value.Domain, p value.AbsPath) string {
		out, err := NginxVhost(VhostInput{Version: version, SiteID: 1, Domain: d, WWW: WWWFrom, TLS: &TLS{p, p, true}, PHP: &PHP{p, Pool{SiteID: 1, PHP: php}}})
		if err != nil {
			t.Errorf("%s %s: %v", d, p, err)
		}
		return out
	}
	// same reports whether the words of got are those of want with from replaced by to.
	same := func(got, want, from, to string) bool {
		a, err1 := words(got)
		b, err2 := words(want)
		if err1 != nil || err2 != nil || len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i] != strings.ReplaceAll(b[i], from, to) {
				return false
			}
		}
		return true
	}
	port, err := value.NewPort(80)
	if err != nil {
		t.Fatal(err)
	}
	node := Node{Address: netip.MustParseAddr("10.0.0.1"), Port: port}
	if _, err := NginxUpstream(UpstreamInput{SiteID: 1, Nodes: []Node{node}}); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, s := range hostile() {
		if p, err := value.ParseAbsPath(s); err == nil {
			taken++
			if got := vhost(domain, p); !same(got, vhost(domain, harmless), harmless.String(), p.String()) {
				t.Errorf("%.80q changes the vhost:\n%s", s, got)
			}
		}
		if d, err := value.ParseDomain(s); err == nil {
			if got := vhost(d, harmless); !same(got, vhost(domain, harmless), domain.String(), d.String()) {
				t.Errorf("%.80q changes the vhost:\n%s", s, got)
			}
		}
		if _, err := value.ParseUnixUser(s); err == nil {
			t.Errorf("%.80q is an account", s)
		}
		if _, err := NginxVhost(VhostInput{Version: version, SiteID: 1, Domain: domain, WWW: s, Balancer: &Balancer{}}); err == nil {
			t.Errorf("%.80q is a policy for www", s)
		}
		if _, err := NginxUpstream(UpstreamInput{SiteID: 1, Method: s, Nodes: []Node{node}}); err == nil {
			t.Errorf("%.80q is a method", s)
		}
		if v, err := ParseNginxVersion(s); err == nil {
			t.Errorf("%.80q is version %s", s, v)
		}
	}
	t.Logf("%d of the paths are taken", taken)
}
