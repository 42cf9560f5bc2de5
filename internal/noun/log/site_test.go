package log

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// The logs of an application are searched in the site's directory and its live release, and in the root directory of each.
func TestApplicationLogs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		root *string
		dirs []string
	}{
		"no root directory": {nil, []string{"", "/current"}},
		"the root":          {new("/"), []string{"", "/current"}},
		"a root directory":  {new("/app/"), []string{"", "/current", "/app", "/current/app"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := siteSource(query.Site{Name: "shop.example.com", UnixUser: "shop", RootDirectory: c.root}, siteApplication)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, dir := range c.dirs {
				for _, pattern := range []string{"/storage/logs/*.log", "/var/log/*.log", "/wp-content/debug.log", "/logs/*.log"} {
					want = append(want, "/home/shop/shop.example.com"+dir+pattern)
				}
			}
			if diff := cmp.Diff(want, found.files.Paths); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}
