package git_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/git"
)

func TestURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"git@git.example.com:team/app.git":       "git@git.example.com:team/app.git",
		"git.example.com:app":                    "git@git.example.com:app",
		"ssh://git.example.com/srv/app.git":      "ssh://git@git.example.com/srv/app.git",
		"ssh://code@10.0.0.5:2222/srv/app.git":   "ssh://code@10.0.0.5:2222/srv/app.git",
		"https://git.example.com/team/app":       "https://git.example.com/team/app",
		"https://git.example.com:8443/~me/a.git": "https://git.example.com:8443/~me/a.git",
		"ssh://git@[2001:DB8::1]:2222/x.git":     "ssh://git@[2001:db8::1]:2222/x.git",
		"ssh://[2001:db8::1]/team/x.git":         "ssh://git@[2001:db8::1]/team/x.git",
		"git@[::1]:x.git":                        "git@[::1]:x.git",
		"[2001:db8::1]:team/x.git":               "git@[2001:db8::1]:team/x.git",
		"https://[2001:db8::1]:8443/x.git":       "https://[2001:db8::1]:8443/x.git",
	} {
		got, err := git.ParseURL(in)
		if err != nil || got.String() != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", "app", "/srv/app.git", "./app", "file:///srv/app", "ext::sh -c id",
		"http://git.example.com/a", "git://git.example.com/a", "fd::7",
		"--upload-pack=id", "-oProxyCommand=id:a", "ssh://-oProxyCommand=id/a", "git@-host:a", "git@host:-a", "git@host:a/-b",
		"git@host:", "git@host:../a", "ssh://git@host/a/../../b",
		"https://token@git.example.com/a", "https://u:p@git.example.com/a", "https://git.example.com", "git@host:a b",
		"git@host:a\nb", "git@host:a;id", "git@host:$(id)", "git@host:`id`",
		"git@[2001:db8::1:x.git", "git@2001:db8::1:x.git", "ssh://git@[fe80::1%eth0]/x", "ssh://git@[::g]/x", "ssh://[::1]22/x", "git@[git.example.com]:x",
		"git@[10.0.0.1]:x", "ssh://git@[-oProxyCommand=id]/x", "ssh://git@host:/x", "-@host:a",
		"ssh://git@host:0/a", "ssh://git@host:x/a", "git@host:" + strings.Repeat("a",
			1600), "git@hоst:a", "https://git.example.com/a?x=1", "https://git.example.com/a#b",
	} {
		if got, err := git.ParseURL(in); err == nil {
			t.Errorf("%q is taken as %q", in, got)
		}
	}
}

// A server that is named by its address is known to ssh without the brackets, unless a port follows.
func TestAddressesOfIPv6(t *testing.T) {
	t.Parallel()
	for given, want := range map[string][3]string{
		"git@[2001:db8::1]:team/x.git":            {"2001:db8::1", "2001:db8::1", "team/x.git"},
		"ssh://git@[2001:db8::1]:22/team/x.git":   {"2001:db8::1", "2001:db8::1", "team/x.git"},
		"ssh://git@[2001:db8::1]:2222/team/x.git": {"2001:db8::1", "[2001:db8::1]:2222", "team/x.git"},
	} {
		u, err := git.ParseURL(given)
		if got := [3]string{u.Host(), u.Server(), u.Path()}; err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", given, got, err, want)
		}
	}
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\n"
	if claimed := "[2001:db8::1]:2222 " + key + "2001:db8::1 " + key; git.PinHosts("", claimed) != claimed {
		t.Errorf("pinned is %q", git.PinHosts("", claimed))
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	u, err := git.Resolve(git.GitHub, "acme/app")
	if err != nil || u.String() != "git@github.com:acme/app.git" || !strings.HasPrefix(git.KnownHosts(u), "github.com ssh-ed25519 ") {
		t.Errorf("%v %v %q", u, err, git.KnownHosts(u))
	}
	if _, err := git.Resolve(git.Custom, "acme/app"); err == nil {
		t.Error("a short name without a provider is taken")
	}
	own, _ := git.ParseURL("ssh://git@git.example.com:2222/app.git")
	if git.KnownHosts(own) != "" {
		t.Error("keys of an unknown server")
	}
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\n"
	const other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf\n"
	kept := git.PinHosts("", "[git.example.com]:2222 "+key+"github.com "+other+"@cert-authority a.example "+key+"* "+key+
		"a.example,b.example "+key+"!c.example "+key)
	if kept != "[git.example.com]:2222 "+key {
		t.Errorf("kept %q", kept)
	}
	// Each server is pinned once, whenever it is met.
	if again := git.PinHosts(kept, "[git.example.com]:2222 "+other+"lib.example.com "+other); again != kept+"lib.example.com "+other {
		t.Errorf("and then %q", again)
	}
	both := kept + "lib.example.com " + other
	if left := git.ForgetHost(both, "[Git.example.com]:2222"); left != "lib.example.com "+other {
		t.Errorf("what is left is %q", left)
	}
	if got := git.Fingerprints(both, "[git.example.com]:2222"); len(got) != 1 || got[0] != "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU" {
		t.Errorf("the fingerprints are %v", got)
	}
	if all := git.AllKnownHosts("github.com " + other); strings.Count(all, "github.com ") != 1 || !strings.Contains(all, "gitlab.com ") ||
		!strings.Contains(all, "bitbucket.org ") {
		t.Errorf("a deployment knows %q", all)
	}
}

// An address with what stood around it, or with a port where none can be, is refused with the address that is meant.
func TestAddressesAsTheyAreCopied(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"git clone git@github.com:acme/shop.git":                   "write git@github.com:acme/shop.git.",
		"git clone --depth 1 https://github.com/acme/shop.git app": "write https://github.com/acme/shop.git.",
		"git+ssh://git@github.com/acme/shop.git#main":              "write ssh://git@github.com/acme/shop.git.",
		"github.com/acme/shop":                                     "write https://github.com/acme/shop.",
		"https://acme@dev.azure.com/acme/My%20Project/_git/shop":   "or write https://dev.azure.com/acme/My%20Project/_git/shop.",
		"git@git.example.com:2222/team/app.git":                    "ssh://git@git.example.com:2222/team/app.git.",
	} {
		if u, err := git.ParseURL(given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v, want %q", given, u, err, want)
		}
	}
	for _, given := range []string{"git@git.example.com:2222/app.git", "git@git.example.com:99/team/app.git", "ssh://git@git.example.com/2222/team/app.git"} {
		if _, err := git.ParseURL(given); err != nil {
			t.Errorf("%s: %v", given, err)
		}
	}
}
