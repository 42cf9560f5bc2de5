package value_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestIPSet(t *testing.T) {
	t.Parallel()
	s := must[value.IPSet](t)(value.ParseIPSet("2001:db8:1::/48,2001:db8::/32,10.1.0.0/16,10.0.0.0/8,10.2.3.4,192.0.2.1"))
	if d := cmp.Diff([]string{"10.0.0.0/8", "192.0.2.1"}, s.V4()); d != "" {
		t.Errorf("V4: %s", d)
	}
	if d := cmp.Diff([]string{"2001:db8::/32"}, s.V6()); d != "" {
		t.Errorf("V6: %s", d)
	}
	if !s.Contains(netip.MustParseAddr("::ffff:10.9.9.9")) || s.Contains(netip.MustParseAddr("192.0.2.2")) {
		t.Error("Contains is wrong")
	}
}

func TestDomain(t *testing.T) {
	t.Parallel()
	apex := must[value.Domain](t)(value.ParseDomain("MÜNCHEN.example"))
	if w, ok := apex.WithWWW(); !ok || w.String() != "www.xn--mnchen-3ya.example" {
		t.Errorf("WithWWW: %q %v", w, ok)
	}
	if p := apex.Pattern(true); p.String() != "*.xn--mnchen-3ya.example" || !p.Wildcard() || p.Domain() != apex {
		t.Errorf("Pattern: %q", p)
	}
}

func TestPortSpecContains(t *testing.T) {
	t.Parallel()
	ssh := must[value.Port](t)(value.NewPort(22))
	for in, want := range map[string]bool{"": true, "22": true, "20:22": true, "22:23": true, "23": false, "1:21": false} {
		if got := must[value.PortSpec](t)(value.ParsePortSpec(in)).Contains(ssh); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	abs := func(s string) value.AbsPath { return must[value.AbsPath](t)(value.ParseAbsPath(s)) }
	if got := abs("/home/a").Join(must[value.RelPath](t)(value.ParseRelPath("/public"))); got != abs("/home/a/public") {
		t.Errorf("Join: %q", got)
	}
	if abs("/home/ab").Within(abs("/home/a")) || !abs("/home/a/b").Within(abs("/home/a")) ||
		!abs("/home/a").Within(abs("/home/a")) || !abs("/x").Within(abs("/")) {
		t.Error("Within is wrong")
	}
	if abs("/x").Within(value.AbsPath{}) {
		t.Error("something lies within no directory")
	}
}

func TestPHPVersions(t *testing.T) {
	t.Parallel()
	all := value.PHPVersions()
	if len(all) != 14 {
		t.Errorf("%d versions, the contract has 14", len(all))
	}
	for i, v := range all {
		if v.Dotted() == "" || i > 0 && all[i-1].Compare(v) >= 0 {
			t.Errorf("%s: dotted %q, out of order", v, v.Dotted())
		}
	}
}

func TestReservedUsers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"forge": true, "root": true, "www-data": true, "isolated": true, "site": false, "forge2": false} {
		if got := must[value.UnixUser](t)(value.ParseUnixUser(in)).IsReserved(); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

func TestHostname(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Web 1.eu": "web-1-eu", "a_b--c": "a-b-c", "x": "x"} {
		if got := must[value.ServerName](t)(value.ParseServerName(in)).Hostname(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aüb", 3, "aü"}, {"aüb", 2, "a"}, {"a\u20ac", 3, "a"}, {"ü", 1, ""}, {"", 4, ""}} {
		if got := value.Prefix(tc.text, tc.limit); got != tc.want {
			t.Errorf("Prefix(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}
