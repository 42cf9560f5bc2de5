package api

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

func TestPermissionConditionIsASentence(t *testing.T) {
	t.Parallel()
	databases := []access.Permission{access.ServerCreateDatabases}
	for want, f := range map[string]Further{
		"Also requires the permissions that starting the work required.":            {},
		"Also requires server:create-databases if name is given.":                   {Permissions: databases, Given: []string{"name"}},
		"Also requires server:create-databases if name or user is given.":           {Permissions: databases, Given: []string{"name", "user"}},
		"Also requires server:create-databases if name, user or password is given.": {Permissions: databases, Given: []string{"name", "user", "password"}},
		"Also requires server:create-databases in the other organization.":          {Permissions: databases, Elsewhere: OtherOrganization},
		"Also requires server:create-databases and server:view if name is given, on both servers if server_id is given.": {
			Permissions: []access.Permission{access.ServerCreateDatabases, access.ServerView}, Given: []string{"name"}, Second: "server_id",
		},
	} {
		if got := f.sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
