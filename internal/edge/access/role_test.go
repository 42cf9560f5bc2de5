package access

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPredefined(t *testing.T) {
	t.Parallel()
	roles := Predefined()
	var got []string
	for i, role := range roles {
		got = append(got, role.Name)
		if role.ID != int64(i+1) {
			t.Errorf("%s has id %d, want %d: rows refer to it", role.Name, role.ID, i+1)
		}
		if i > 0 && (!roles[i-1].Permissions.Contains(role.Permissions) || roles[i-1].Permissions == role.Permissions) {
			t.Errorf("%s does not hold all that %s holds, and more", roles[i-1].Name, role.Name)
		}
	}
	if diff := cmp.Diff([]string{"Owner", "Admin", "Manager", "Developer", "Viewer"}, got); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

func TestPredefinedPermissions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		id     int64
		has    []Permission
		hasNot []Permission
	}{
		{RoleOwner, All(), nil},
		{RoleAdmin, []Permission{OrganizationManage, BillingManage, ServerTransfer}, []Permission{OrganizationDelete}},
		{
			RoleManager,
			[]Permission{ServerCreate, ServerDelete, TeamCreate, TeamDelete, CredentialManage, RecipeManage, StorageManage},
			[]Permission{OrganizationManage, OrganizationDelete, BillingManage, IntegrationsManage},
		},
		{
			RoleDeveloper,
			[]Permission{ServerView, ServerManageNetwork, SiteCreate, SiteDelete, SiteManageEnvironment, ServerCreateDatabases},
			[]Permission{ServerCreate, ServerDelete, ServerTransfer, ServerArchive, TeamCreate, CredentialManage, RecipeManage},
		},
		{
			RoleViewer,
			[]Permission{OrganizationView, ServerView, CredentialView, TeamView, RecipeView, UserView, ResourcesView},
			nil,
		},
	} {
		role := Predefined()[tc.id-1]
		t.Run(role.Name, func(t *testing.T) {
			t.Parallel()
			for _, p := range tc.has {
				if !role.Permissions.Has(p) {
					t.Errorf("lacks %s", p)
				}
			}
			for _, p := range tc.hasNot {
				if role.Permissions.Has(p) {
					t.Errorf("has %s", p)
				}
			}
		})
	}
}

func TestViewerOnlyReads(t *testing.T) {
	t.Parallel()
	for _, p := range Predefined()[RoleViewer-1].Permissions.List() {
		if !strings.HasSuffix(string(p), ":view") {
			t.Errorf("a viewer has %s", p)
		}
	}
}
