package recipe_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
)

// What a script names of its server is data in its environment, whatever the server is called.
func TestScript(t *testing.T) {
	t.Parallel()
	srv := query.Server{ID: 7, Name: `web"; reboot #`, Type: "app", IPAddress: new("192.0.2.7")}
	for name, c := range map[string]struct{ user, text, content, dir string }{
		"as it is":          {"root", "#!/usr/bin/env python3\nprint(1)\n", "#!/usr/bin/env python3\nprint(1)\n", "/root"},
		"without a program": {"forge", "uptime", "#!/bin/bash\nuptime\n", "/home/forge"},
		"variables": {
			"root", "#!/bin/bash\necho {{ server_name }} \"{{server_id}}\" {{  ip_address}} {{ other }} {{ db_password }}\n",
			"#!/bin/bash\necho ${HOSTLER_SERVER_NAME} \"${HOSTLER_SERVER_ID}\" ${HOSTLER_IP_ADDRESS} {{ other }} {{ db_password }}\n", "/root",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := recipe.Script(srv, c.user, c.text)
			if diff := cmp.Diff(c.content, s.Content); diff != "" {
				t.Errorf("the script (-want +got):\n%s", diff)
			}
			if s.User != c.user || s.Dir != c.dir {
				t.Errorf("it runs as %s in %s", s.User, s.Dir)
			}
			for name, want := range map[string]string{
				"HOSTLER_SERVER_NAME":        `web"; reboot #`,
				"FORGE_SERVER_ID":            "7",
				"HOSTLER_IP_ADDRESS":         "192.0.2.7",
				"HOSTLER_PRIVATE_IP_ADDRESS": "",
				"HOSTLER_USERNAME":           c.user,
			} {
				if got, ok := s.Env[name]; !ok || got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}
