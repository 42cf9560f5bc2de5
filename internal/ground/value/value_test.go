package value_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/value/corpus"
)

// parser is ParseX with its result as text, and a valid value to embed hostile text in.
type parser struct {
	name  string
	good  string
	parse func(string) (string, error)
}

func via[T interface{ String() string }](parse func(string) (T, error)) func(string) (string, error) {
	return func(s string) (string, error) {
		v, err := parse(s)
		return v.String(), err
	}
}

func parsers() []parser {
	return []parser{
		{"Domain", "example.com", via(value.ParseDomain)},
		{"DomainPattern", "*.example.com", via(value.ParseWildcardDomain)},
		{"Port", "22", func(s string) (string, error) {
			p, err := value.ParsePort(s)
			if p.IsZero() {
				return "", err
			}
			return p.String(), err
		}},
		{"PortSpec", "8000:8010", via(value.ParsePortSpec)},
		{"IPSet", "192.0.2.1,2001:db8::/32", via(value.ParseIPSet)},
		{"UnixUser", "forge", via(value.ParseUnixUser)},
		{"ServerName", "web-1", via(value.ParseServerName)},
		{"Email", "a@example.com", via(value.ParseEmail)},
		{"AbsPath", "/srv/site", via(value.ParseAbsPath)},
		{"RelPath", "/public", via(value.ParseRelPath)},
		{"Branch", "main", via(value.ParseBranch)},
		{"PHPVersion", "php84", via(value.ParsePHPVersion)},
		{"Timezone", "Europe/Berlin", via(value.ParseTimezone)},
	}
}

func TestHostileTextIsRefused(t *testing.T) {
	t.Parallel()
	for _, p := range parsers() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, evil := range corpus.Injection("/tmp/canary") {
				got, err := p.parse(evil)
				if p.name == "Branch" && err == nil && !strings.ContainsFunc(got, func(r rune) bool { return acts(p.name, r) }) && isBranch(t, got) {
					continue // Git has branches of this name
				}
				wantRefusal(t, evil, got, err)
			}
		})
	}
}

// Embedded anywhere in a valid value, hostile text is refused or harmless: nothing that a program interprets remains.
func TestHostileTextInsideAGoodValue(t *testing.T) {
	t.Parallel()
	for _, p := range parsers() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, evil := range corpus.Injection("/tmp/canary") {
				for at := 0; at <= len(p.good); at++ {
					in := p.good[:at] + evil + p.good[at:]
					got, err := p.parse(in)
					if err != nil {
						wantRefusal(t, in, got, err)
						continue
					}
					if i := strings.IndexFunc(got, func(r rune) bool { return acts(p.name, r) }); i >= 0 || strings.HasPrefix(got, "-") {
						t.Errorf("%q was accepted as %q", in, got)
					}
				}
			}
		})
	}
}

func acts(kind string, r rune) bool {
	switch {
	case kind == "Email" && r == '\'':
		return false
	case kind == "DomainPattern" && r == '*':
		return false
	case kind == "Branch" && strings.ContainsRune(";$`|&<>(){}]\"'!", r): // scripts have it in a variable, where a shell looks for words and "*?[" only
		return false
	case r == ' ':
		return kind != "ServerName" && kind != "AbsPath"
	}
	return !unicode.IsGraphic(r) || strings.ContainsRune(";$`|&<>(){}[]\"'\\*?!", r)
}

func wantRefusal(t *testing.T, in, got string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%.80q was accepted as %.80q", in, got)
		return
	}
	var e value.Error
	if !errors.As(err, &e) {
		t.Errorf("%.80q: error is a %T, want value.Error", in, err)
	}
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsGraphic(r) }) || len(err.Error()) > 400 {
		t.Errorf("%.80q: message is not fit to show: %.200q", in, err)
	}
	if got != "" {
		t.Errorf("%.80q: refused, but the value is %.80q", in, got)
	}
}

// isBranch reports whether Git takes a name for that of a branch.
func isBranch(t *testing.T, name string) bool {
	t.Helper()
	return exec.Command("git", "check-ref-format", "refs/heads/"+name).Run() == nil
}

// Git is the judge of names of branches that can be seen. It has a few more, which its own commands take for something else.
func TestBranchesAsGitHasThem(t *testing.T) {
	t.Parallel()
	var names []string
	for c := rune('!'); c <= '~'; c++ {
		names = append(names, string(c), "a"+string(c)+"b", "a"+string(c), string(c)+"b", "a/"+string(c), "a"+string(c)+string(c)+"b")
	}
	for _, name := range append(names, "a.lock", "a.lock/b", "a/.b", "a@{b", "a@{", "fix/don't", "größe", "a\u00a0b") {
		_, err := value.ParseBranch(name)
		if want := isBranch(t, name) && !strings.HasPrefix(name, "-") && name != "@" && !strings.ContainsRune(name, '\u00a0'); (err == nil) != want {
			t.Errorf("%q: %v, but for Git it is %v", name, err, want)
		}
	}
}

type pair struct{ in, want string }

// Accepted values, with their normal form. The normal form is a fixed point.
func TestAccepted(t *testing.T) {
	t.Parallel()
	long63 := strings.Repeat("a", 63)
	tests := map[string][]pair{
		"Domain": {
			{"example.com", "example.com"},
			{"EXAMPLE.Com", "example.com"},
			{"münchen.example", "xn--mnchen-3ya.example"},
			{"xn--mnchen-3ya.example", "xn--mnchen-3ya.example"},
			{"XN--MNCHEN-3YA.example", "xn--mnchen-3ya.example"},
			{"例え。テスト", "xn--r8jz45g.xn--zckzah"},
			{"a-b.c1.example", "a-b.c1.example"},
			{"1.example", "1.example"},
			{long63 + ".example", long63 + ".example"},
			{long63 + "." + long63 + "." + long63 + "." + long63[:61], long63 + "." + long63 + "." + long63 + "." + long63[:61]},
		},
		"DomainPattern": {{"*.Example.com", "*.example.com"}, {"example.com", "example.com"}, {"*.münchen.example", "*.xn--mnchen-3ya.example"}},
		"Port":          {{"1", "1"}, {"65535", "65535"}},
		"PortSpec":      {{"22", "22"}, {"8000:8010", "8000:8010"}, {"1:65535", "1:65535"}, {"", ""}},
		"IPSet": {
			{"", ""},
			{"192.0.2.1", "192.0.2.1"},
			{"192.0.2.1/32", "192.0.2.1"},
			{"2001:DB8::1/128", "2001:db8::1"},
			{"2001:db8::/32, 10.0.0.0/8,192.0.2.1,10.0.0.0/8", "10.0.0.0/8,192.0.2.1,2001:db8::/32"},
			{"::ffff:192.0.2.1", "192.0.2.1"},
			{"0.0.0.0/0", "0.0.0.0/0"},
			{"10.0.0.0/16,10.0.0.0/8", "10.0.0.0/8,10.0.0.0/16"},
		},
		"UnixUser":   {{"forge", "forge"}, {"a", "a"}, {"site-1_x", "site-1_x"}, {"a" + strings.Repeat("b", 31), "a" + strings.Repeat("b", 31)}},
		"ServerName": {{"web-1", "web-1"}, {"Web 1.eu", "Web 1.eu"}, {strings.Repeat("x", 30), strings.Repeat("x", 30)}},
		"Email":      {{"A.b+c@EXAMPLE.com", "A.b+c@example.com"}, {"o'brien@münchen.example", "o'brien@xn--mnchen-3ya.example"}},
		"AbsPath":    {{"/", "/"}, {"/srv//a/./b/", "/srv/a/b"}, {"/home/forge/my site/é", "/home/forge/my site/é"}, {"/a/..b", "/a/..b"}},
		"RelPath":    {{"/", "/"}, {"/public", "/public"}, {"public/", "/public"}, {"/a//b", "/a/b"}, {"./apps/web/.", "/apps/web"}, {"/büro", "/büro"}},
		"Branch": {
			{"main", "main"},
			{"feature/#12_x", "feature/#12_x"},
			{"v1.2.3", "v1.2.3"},
			{"größe", "größe"},
			{"a@b", "a@b"},
			{"100%", "100%"},
			{"fix/don't-fail", "fix/don't-fail"},
			{`a"b$c&(d)!`, `a"b$c&(d)!`},
			{"feature/x%20y", "feature/x%20y"},
			{"🚀-日本", "🚀-日本"},
			{"dependabot/npm_and_yarn/x-1.2", "dependabot/npm_and_yarn/x-1.2"},
		},
		"PHPVersion": {{"php84", "php84"}, {"8.4", "php84"}, {"5.6", "php56"}, {"php56-old", "php56-old"}, {"5", "php5"}},
		"Timezone": {
			{"UTC", "UTC"},
			{"Europe/Berlin", "Europe/Berlin"},
			{"America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"},
			{"Etc/GMT+8", "Etc/GMT+8"},
		},
	}
	for _, p := range parsers() {
		for _, tt := range tests[p.name] {
			t.Run(p.name+"/"+tt.in, func(t *testing.T) {
				t.Parallel()
				for _, in := range []string{tt.in, tt.want} {
					got, err := p.parse(in)
					if err != nil || got != tt.want {
						t.Errorf("%q: got %q, %v; want %q", in, got, err, tt.want)
					}
				}
			})
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	long63 := strings.Repeat("a", 63)
	tests := map[string][]string{
		"Domain": {
			"", "com", "localhost", "test..com", ".example.com", "_dmarc.example.com", "a_b.example.com", "-a.example.com",
			"a-.example.com", "*.example.com", "a.*.com", "192.0.2.1", "1.2.3.0x4", "[::1]", "example.com:80", "http://example.com", "a b.com", " example.com",
			"example.com/", "user@example.com", long63 + "a.example", long63 + "." + long63 + "." + long63 + "." + long63, "xn--a.example", "xn--.example",
			"℀.example", "exa\u00admple.com", "a\u200b.example", "a\u200d.example", "ab--cd.example", "א1a.example", "a%2eb.com",
		},
		"DomainPattern": {"", "*", "*.", "*.com", "*.*.example.com", "a*.example.com", "**.example.com", "*example.com"},
		"Port":          {"", "0", "65536", "-1", "+1", "022", "1e3", "0x16", " 22", "22 ", "٢٢", "99999999999999999999"},
		"PortSpec":      {"0", ":", "22:", ":22", "22:22", "23:22", "1:65536", "22:23:24", "22,23", "ssh", " "},
		"IPSet": {
			",", "10.0.0.1,", "10.0.0.5/8", "2001:db8::1/32", "10.0.0.256", "10.0.0.0/33", "10.1", "010.0.0.1",
			"fe80::1%eth0", "::ffff:10.0.0.0/104", "example.com", "10.0.0.1-10.0.0.9", "any", strings.Repeat("10.0.0.1,", 1001),
		},
		"UnixUser":   {"", "1a", "_a", "-a", "Forge", "a.b", "a b", "é", "a" + strings.Repeat("b", 32), "root\n", "a:b", "a$"},
		"ServerName": {"", " a", "a ", "a  b", "-a", "a-", ".a", "é", "a/b", strings.Repeat("x", 31)},
		"Email": {
			"", "a", "@example.com", "a@", "a@b", "a b@example.com", "a@example.com,b@example.com", "A <a@example.com>",
			".a@example.com", "a..b@example.com", "a@[127.0.0.1]", "\"a\"@example.com", strings.Repeat("a", 65) + "@example.com",
		},
		"AbsPath": {
			"", "a", "./a", "~", "/a/../b", "/..", "/-rf", "/a/-b/c", "/a;b", "/a$b", "/a\tb", "/ a", "/a\u2028b",
			"/" + strings.Repeat("a", 256), strings.Repeat("/a", 2048), "/a\u00a0b",
		},
		"RelPath": {"", "..", "/..", "/a/../..", "a/../../b", "-x", "/-x", "/a b", "/a%2e", "\\a", "/a$b", "/a(b)"},
		"Branch": {
			"", "@", "HEAD", "-x", ".a", "a/.b", "a..b", "a.lock", "a.lock/b", "/a", "a/", "a//b", "a.", "a@{1}", "a b",
			"a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a\x7f", strings.Repeat("a", 256),
		},
		"PHPVersion": {"", "php", "84", "php8.4", "8.6", "php86", "PHP84", "php84 "},
		"Timezone": {
			"", "Local", "local", "CETX", "Europe", "Europe/", "/Europe/Berlin", "../UTC", "Europe/../UTC", "posix/UTC",
			"posixrules", "right/UTC", "Europe/Berlin ", "+01:00",
		},
	}
	for _, p := range parsers() {
		for _, in := range tests[p.name] {
			t.Run(p.name+"/"+in[:min(len(in), 30)], func(t *testing.T) {
				t.Parallel()
				got, err := p.parse(in)
				wantRefusal(t, in, got, err)
			})
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, tt := range []struct{ kind, in string }{
		{"Port", "0"},
		{"PortSpec", "9:8"},
		{"PortSpec", "80,443"},
		{"PortSpec", "53/udp"},
		{"IPSet", "10.0.0.5/8"},
		{"IPSet", "any"},
		{"IPSet", "192.168.1.0/255.255.255.0"},
		{"IPSet", "192.168.1.*"},
		{"IPSet", "10.0.0.1-10.0.0.9"},
		{"IPSet", "x\n"},
		{"Domain", "test..com"},
		{"Domain", "a.com.."},
		{"Domain", "192.0.2.1"},
		{"AbsPath", "/a;b"},
		{"UnixUser", "Root"},
		{"Branch", "a b"},
		{"RelPath", `apps\web`},
	} {
		for _, p := range parsers() {
			if p.name == tt.kind {
				_, err := p.parse(tt.in)
				got[tt.kind+" "+tt.in] = err.Error()
			}
		}
	}
	want := map[string]string{
		"Port 0":                          "The port must be between 1 and 65535.",
		"PortSpec 9:8":                    "The first port of the range must be lower than the last.",
		"PortSpec 80,443":                 "A rule has one port or one range. Create a rule for each of them.",
		"PortSpec 53/udp":                 "A rule is for both TCP and UDP. Write the port without a protocol.",
		"IPSet 10.0.0.5/8":                "The subnet 10.0.0.5/8 has host bits set; write 10.0.0.0/8 for the subnet or 10.0.0.5 for the address.",
		"IPSet any":                       "The IP address any is not a valid address or subnet. Leave it empty for all addresses.",
		"IPSet 192.168.1.0/255.255.255.0": "The IP address 192.168.1.0/255.255.255.0 is not a valid address or subnet. Write 192.168.1.0/24.",
		"IPSet 192.168.1.*":               "The IP address 192.168.1.* is not a valid address or subnet. Write a subnet, such as 192.0.2.0/24.",
		"IPSet 10.0.0.1-10.0.0.9":         "The IP address 10.0.0.1-10.0.0.9 is not a valid address or subnet. Write a range as a subnet, such as 192.0.2.0/28.",
		"IPSet x\n":                       "The IP address x? is not a valid address or subnet.",
		"Domain test..com":                "The domain must be a valid domain name, such as example.com.",
		"Domain a.com..":                  "The domain must be a valid domain name, such as example.com.",
		"Domain 192.0.2.1":                "The domain must be a domain name, not an IP address.",
		"AbsPath /a;b":                    "The path must not contain “;”.",
		"UnixUser Root":                   "The user must start with a lower-case letter and have only lower-case letters, digits, dashes and underscores.",
		`RelPath apps\web`:                "The directory is written with slashes: /apps/web.",
		"Branch a b":                      "The branch must not contain blanks.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	type doc struct {
		Domain  value.Domain        `json:"domain"`
		Pattern value.DomainPattern `json:"pattern"`
		Port    value.Port          `json:"port"`
		Spec    value.PortSpec      `json:"spec"`
		IPs     value.IPSet         `json:"ips"`
		PHP     value.PHPVersion    `json:"php"`
		Path    value.AbsPath       `json:"path,omitzero"`
	}
	const text = `{"domain":"a.example","pattern":"*.a.example","port":80,"spec":"1:2","ips":"10.0.0.0/8","php":"php84"}`
	var d doc
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(d)
	if err != nil || string(out) != text {
		t.Errorf("got %s, %v; want %s", out, err, text)
	}
	for _, bad := range []string{`{"domain":"a\nb.example"}`, `{"port":0}`, `{"port":1.5}`, `{"port":null}`, `{"domain":""}`, `{"path":"../x"}`} {
		if err := json.Unmarshal([]byte(bad), new(doc)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// A site whose account is one of these would own what the system or another tenant owns, or become root through a group.
func TestReservedUsersAreNoSites(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"root", "forge", "www-data", "debian", "ubuntu", "admin", "backup", "sudo", "adm", "docker",
		"lxd", "wheel", "disk", "shadow", "redis", "memcache", "mysql", "postgres", "sshd", "systemd-network",
		"systemd-anything", "nobody", "ec2-user", "vagrant",
	} {
		u, err := value.ParseUnixUser(name)
		if err != nil || !u.IsReserved() {
			t.Errorf("%s: reserved %v, %v", name, u.IsReserved(), err)
		}
	}
	for _, name := range []string{"shop", "alice", "app", "dba", "a-_", "debian2", "mailer"} {
		if u, err := value.ParseUnixUser(name); err != nil || u.IsReserved() {
			t.Errorf("%s can't be a site's: %v", name, err)
		}
	}
}
