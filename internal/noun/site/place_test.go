package site_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Where a site's code is, with and without releases, a root directory and a name that changed since it was made.
func TestPlace(t *testing.T) {
	t.Parallel()
	plain := query.Site{Name: "shop.example.com", UnixUser: "shop"}
	rooted := query.Site{Name: "shop.example.com", UnixUser: "shop", RootDirectory: new("/app/")}
	renamed := query.Site{Name: "new.example.com", UnixUser: "shop", Directory: "old.example.com"}
	const base = "/home/shop/shop.example.com"
	for name, c := range map[string]struct {
		place                     site.Place
		live, home, release, then string // then is the application in the release
	}{
		"in place": {site.Place{Site: plain, Code: true}, base, base, base + "/releases/7", base + "/releases/7"},
		"releases": {site.Place{Site: plain, Code: true, Releases: true}, base + "/current", base + "/current", base + "/releases/7", base + "/releases/7"},
		"a root directory": {
			site.Place{Site: rooted, Code: true, Releases: true},
			base + "/current", base + "/current/app",
			base + "/releases/7", base + "/releases/7/app",
		},
		"no code": {site.Place{Site: rooted}, base, base, base + "/releases/7", base + "/releases/7"},
		"renamed": {
			site.Place{Site: renamed, Code: true},
			"/home/shop/old.example.com", "/home/shop/old.example.com",
			"/home/shop/old.example.com/releases/7", "/home/shop/old.example.com/releases/7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live, err := c.place.Live()
			if err != nil {
				t.Fatal(err)
			}
			home, err := c.place.Home()
			if err != nil {
				t.Fatal(err)
			}
			release, err := c.place.Release("7")
			if err != nil {
				t.Fatal(err)
			}
			then, err := c.place.HomeIn(release)
			if err != nil {
				t.Fatal(err)
			}
			if live.String() != c.live || home.String() != c.home || release.String() != c.release || then.String() != c.then {
				t.Errorf("live in %s, at home in %s, a release in %s with %s", live, home, release, then)
			}
		})
	}
	for _, name := range []string{"../x", "a\nb", "-x"} {
		if dir, err := (site.Place{Site: plain}).Release(name); err == nil {
			t.Errorf("the release %q is in %s", name, dir)
		}
	}
}
