package project

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

// Whatever Hostler installs says why the first visitor can't set it up, and WordPress is installed before the release is live.
func TestWhatIsInstalledIsClosedToItsFirstVisitor(t *testing.T) {
	t.Parallel()
	for kind, in := range installers {
		if in.closed == "" {
			t.Errorf("who can set up a fresh %s?", kind)
		}
	}
	script := CheckInstaller(nil, sitetype.WordPress, Request{}, new("mariadb1011"), true).row.Script
	install, live := strings.Index(script, "wp_install("), strings.Index(script, MacroActivate)
	if install < 0 || live < install {
		t.Errorf("the release is live before WordPress is installed:\n%s", script)
	}
	if closed, loads := strings.Index(script, "'/wp-admin/install.php'"), strings.Index(script, "require_once ABSPATH"); closed < 0 || loads < closed {
		t.Errorf("a WordPress whose database is empty can be installed by a visitor:\n%s", script)
	}
}

func TestAccountsOfWordPressAreChecked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		request AdministratorRequest
		field   string
	}{
		"nothing asked for": {},
		"a user of markup":  {AdministratorRequest{WordPressUser: new("<b>")}, "wordpress_user"},
		"a title of lines":  {AdministratorRequest{WordPressTitle: new("a\nb")}, "wordpress_title"},
		"no address":        {AdministratorRequest{WordPressEmail: new("ada")}, "wordpress_email"},
	} {
		f := api.Fields{}
		a, err := CheckAdministrator(f, tt.request, true, "blog.example.com", "ops@example.com")
		if err != nil || (tt.field == "") != (len(f) == 0) || tt.field != "" && len(f[tt.field]) == 0 {
			t.Errorf("%s: %v %v", name, f, err)
		}
		if tt.field == "" && (a.Hash == "" || a.Shown == nil || strings.Contains(a.Environment("blog.example.com"), a.Shown.Password.Reveal())) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}
