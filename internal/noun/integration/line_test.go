package integration

import "testing"

// The line of an integration runs where the application is, whatever the script does, and is taken out as it was put in.
func TestLineRunsInTheApplication(t *testing.T) {
	t.Parallel()
	const line = "$FORGE_PHP artisan octane:reload"
	for script, want := range map[string]string{
		"cd $FORGE_SITE_ROOT\ngit pull\n":          line,
		"$CREATE_RELEASE()\n\ncd /srv/x && make\n": line,
		"( cd sub; make )\n":                       line,
		"git pull\n":                               "(cd $FORGE_SITE_PATH/backend && " + line + ")",
		"#!/bin/sh\necho cd there\n":               "(cd $FORGE_SITE_PATH/backend && " + line + ")",
	} {
		with, changed := setLine(script, line, "$FORGE_SITE_PATH/backend", true)
		if !changed || with != script+want+"\n" {
			t.Errorf("%q becomes %q", script, with)
		}
		if again, changed := setLine(with, line, "$FORGE_SITE_PATH/other", true); changed || again != with {
			t.Errorf("%q becomes %q", with, again)
		}
		if without, changed := setLine(with, line, "$FORGE_SITE_PATH/other", false); !changed || without != script {
			t.Errorf("%q becomes %q without the line", with, without)
		}
	}
}
