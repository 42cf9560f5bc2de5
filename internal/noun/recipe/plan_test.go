package recipe_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
)

func TestScriptGolden(t *testing.T) {
	t.Parallel()
	srv := query.Server{ID: 7, Name: `web"; reboot #`, Type: "app", IPAddress: new("192.0.2.7")}
	for name, c := range map[string]struct{ user, text string }{
		"root":      {"root", "apt-get update\n"},
		"forge":     {"forge", "#!/usr/bin/env python3\nprint(1)\n"},
		"windows":   {"root", "\ufeff#!/bin/bash\r\necho one\r\nif true; then\r\n  echo two\r\nfi\r\n"},
		"variables": {"root", "echo {{ server_name }} {{ip_address}} {{ unknown }}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := recipe.Script(srv, c.user, c.text)
			jobtest.Golden(t, name, []job.Stage{{Name: "recipe", Script: &script, Detach: true}})
		})
	}
}
