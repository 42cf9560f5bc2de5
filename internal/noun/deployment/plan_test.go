package deployment_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
)

func input(script string, zeroDowntime bool) deployment.Input {
	php := "php84"
	message := "'; touch /tmp/x #\n$(id)"
	return deployment.Input{
		Server: query.Server{ID: 1}, Site: query.Site{ID: 2, Name: "shop.example.com", UnixUser: "shop", Type: "php", WebDirectory: "/public", PHPVersion: php},
		Project: query.Project{
			SiteID: 2, URL: "git@git.example.com:a/b.git", Repository: "a/b", Branch: "main", Script: script,
			ZeroDowntime: zeroDowntime, Retention: 4, TimeLimit: 600, SharedPaths: "{}",
		},
		Deployment: query.Deployment{ID: 7, Type: "hook", CommitMessage: &message}, Variables: map[string]string{"x": "$(id)"}, PrivateKey: []byte("k3y"),
	}
}

// The user's text is run; data is only in the environment, and the key only in a file.
func TestScript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script    string
		zero            bool
		content, before string
	}{
		{
			"macros", "$CREATE_RELEASE()\nmake\n$ACTIVATE_RELEASE()\n$RESTART_QUEUES()\n", true,
			"#!/bin/bash -e\nhostler-release create\nmake\nhostler-release activate\nhostler-release restart-queues\n", "",
		},
		{"no macros", "make\n", true, "#!/bin/bash -e\ncd \"$HOSTLER_RELEASE_DIRECTORY\"\nmake\n", "create"},
		{"an interpreter", "#!/bin/sh\n$CREATE_RELEASE()\n$ACTIVATE_RELEASE()\n", true, "#!/bin/sh\nhostler-release create\nhostler-release activate\n", ""},
		{"in place", "git pull\r\n", false, "#!/bin/bash -e\ngit pull\n", "checkout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := deployment.Script(input(tt.script, tt.zero))
			if err != nil {
				t.Fatal(err)
			}
			if s.Content != tt.content || strings.Join(s.Before, " ") != strings.TrimSpace("hostler-release "+tt.before) && (tt.before != "" || len(s.Before) > 0) {
				t.Errorf("content %q, before %q", s.Content, s.Before)
			}
			if s.User != "shop" || s.Dir != "/home/shop/shop.example.com" || s.Programs["php"] != "/usr/bin/php8.4" {
				t.Errorf("%s in %s with %v", s.User, s.Dir, s.Programs)
			}
			for _, key := range []string{"FORGE_VAR_x", "HOSTLER_VAR_x"} {
				if s.Env[key] != "$(id)" {
					t.Errorf("%s is %q", key, s.Env[key])
				}
			}
			if s.Env["FORGE_CUSTOM_DEPLOY"] != "1" || s.Env["FORGE_SITE_BRANCH"] != "main" || s.Env["HOSTLER_HOST_KEYS"] != "3" ||
				s.Env["GIT_ALLOW_PROTOCOL"] != "ssh:https" {
				t.Errorf("environment %v", s.Env)
			}
			for k, v := range s.Env {
				if strings.Contains(v, "k3y") {
					t.Errorf("%s holds the key", k)
				}
			}
			if string(s.Files["deploy_key"]) != "k3y\n" || strings.Contains(s.Content, "k3y") {
				t.Error("the key is to be a file")
			}
		})
	}
}

// Another attempt makes another release: the one from before may be live by now.
func TestAttempts(t *testing.T) {
	t.Parallel()
	in := input("true", true)
	in.Attempt = 1
	s, err := deployment.Script(in)
	if err != nil || s.Env["HOSTLER_RELEASE_NAME"] != "7-2" {
		t.Errorf("%q %v", s.Env["HOSTLER_RELEASE_NAME"], err)
	}
}

// The whole of what a deployment does on its host, with the program that it leaves running.
func TestScriptGolden(t *testing.T) {
	t.Parallel()
	with := func(script string, zeroDowntime bool, change func(*deployment.Input)) deployment.Input {
		in := input(script, zeroDowntime)
		in.Variables = nil
		if change != nil {
			change(&in)
		}
		return in
	}
	for name, in := range map[string]deployment.Input{
		"in-place":  with("composer install\n", false, nil),
		"releases":  with("$CREATE_RELEASE()\ncomposer install\n$ACTIVATE_RELEASE()\n$RESTART_QUEUES()\n", true, nil),
		"again":     with("make\n", true, func(in *deployment.Input) { in.Attempt = 1 }),
		"roll-back": with("make\n", true, func(in *deployment.Input) { in.Deployment.TargetRelease = "5" }),
		"node": with("npm ci && npm run build\n", true, func(in *deployment.Input) {
			in.Site.Type, in.Site.PHPVersion, in.Site.Port, in.Site.SparePort = sitetype.Next, "", new(int64(20000)), new(int64(20001))
		}),
		"nested":          with("make\n", true, func(in *deployment.Input) { in.Site.RootDirectory = new("/apps/shop/") }),
		"checked-unicode": with("make\n", true, func(in *deployment.Input) { in.Project.HealthcheckURL = new("http://BLØST.example/up") }),
		"checked-laravel": with("make\n", true, func(in *deployment.Input) {
			in.Site.Type, in.Project.HealthcheckURL = sitetype.Laravel, new("https://shop.example.com/up")
		}),
		"checked": with("make\n", true, func(in *deployment.Input) { in.Project.HealthcheckURL = new("https://shop.example.com/health?deep=1") }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, err := deployment.Script(in)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "deploy script", Script: &script, Detach: true}})
		})
	}
}

// Only what nginx and PHP serve from files is looked at, and never a release that was live already.
func TestWhatIsServedIsLookedAt(t *testing.T) {
	t.Parallel()
	one, other := int64(3000), int64(3001)
	for name, c := range map[string]struct {
		change func(*deployment.Input)
		want   string
		late   string
	}{
		"php":      {func(*deployment.Input) {}, "public", ""},
		"static":   {func(in *deployment.Input) { in.Site.Type, in.Site.WebDirectory = sitetype.StaticHTML, "/" }, ".", ""},
		"exported": {func(in *deployment.Input) { in.Site.Type, in.Site.WebDirectory = sitetype.Next, "/out" }, "out", ""},
		"its own program": {func(in *deployment.Input) {
			in.Site.Type, in.Site.Port, in.Site.SparePort = sitetype.Next, &one, &other
		}, "", ""},
		"other":                     {func(in *deployment.Input) { in.Site.Type = sitetype.Other }, "", ""},
		"a release of before":       {func(in *deployment.Input) { in.Deployment.TargetRelease = "3" }, "", ""},
		"it builds once it is live": {func(in *deployment.Input) { in.Project.Script = "$ACTIVATE_RELEASE()\n\n# Build\nmake\n" }, "public", "1"},
		"queues restart once it is": {func(in *deployment.Input) {
			in.Project.Script = "make\n$ACTIVATE_RELEASE()\n\n# All\n$RESTART_QUEUES()\n"
		}, "public", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input("make", true)
			c.change(&in)
			s, err := deployment.Script(in)
			if err != nil {
				t.Fatal(err)
			}
			if got, late := s.Env["HOSTLER_SERVED_DIRECTORY"], s.Env["HOSTLER_BUILDS_LATE"]; got != c.want || late != c.late ||
				(len(s.Verify) > 0) != (in.Deployment.TargetRelease == "") {
				t.Errorf("looked at is %q, late %q, by %v", got, late, s.Verify)
			}
		})
	}
}

// Laravel's maintenance page is known by its file, in the application; other types of sites have none.
func TestHealthCheckKnowsTheMaintenancePage(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		sitetype.Laravel:  "/home/shop/shop.example.com/current/backend/storage/framework/down",
		sitetype.Statamic: "/home/shop/shop.example.com/current/backend/storage/framework/down",
		sitetype.PHP:      "", sitetype.Symfony: "",
	} {
		in := input("make\n", true)
		in.Site.Type, in.Site.RootDirectory, in.Project.HealthcheckURL = kind, new("/backend"), new("https://shop.example.com/up")
		s, err := deployment.Script(in)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if down := s.Check[0].HTTP.Down; down != nil && down.Below == "/home/shop/shop.example.com" && down.Owner == "shop" {
			got = strings.Join(down.Paths, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
