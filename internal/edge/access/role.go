package access

// Role is a named set of permissions that members of an organization are given.
type Role struct {
	ID          int64 // of a predefined role: 1 to 5, the same in every installation and release
	Name        string
	Permissions Set
}

// The ids of the predefined roles, which the API, its clients and the database's rows refer to.
const (
	RoleOwner     int64 = 1
	RoleAdmin     int64 = 2
	RoleManager   int64 = 3
	RoleDeveloper int64 = 4
	RoleViewer    int64 = 5
)

// Predefined returns the roles that every organization has, from the most powerful to the least. Each one's
// permissions include those of the next.
//
// Permissions alone do not say who may make another member an owner: only an owner may, though an admin holds
// OrganizationManage too.
func Predefined() []Role {
	return []Role{
		{RoleOwner, "Owner", ownerPermissions()},
		{RoleAdmin, "Admin", adminPermissions()},
		{RoleManager, "Manager", managerPermissions()},
		{RoleDeveloper, "Developer", developerPermissions()},
		{RoleViewer, "Viewer", viewerPermissions()},
	}
}

// PermissionsOf returns the permissions of a predefined role; false for any other id.
func PermissionsOf(role int64) (Set, bool) {
	switch role {
	case RoleOwner:
		return ownerPermissions(), true
	case RoleAdmin:
		return adminPermissions(), true
	case RoleManager:
		return managerPermissions(), true
	case RoleDeveloper:
		return developerPermissions(), true
	case RoleViewer:
		return viewerPermissions(), true
	default:
		return Set{}, false
	}
}

func ownerPermissions() Set { return SetOf(All()...) }

// An admin does everything but end the organization.
func adminPermissions() Set { return ownerPermissions().Remove(OrganizationDelete) }

// A manager runs servers and teams, and leaves the organization's settings and its money alone.
func managerPermissions() Set {
	return adminPermissions().Remove(OrganizationManage, BillingManage, IntegrationsManage)
}

// A developer works on the servers and sites that are there. Whether a server comes, goes or changes hands, who is
// in a team, and what outside accounts are connected is decided by others; so is what runs as root on many
// servers at once.
func developerPermissions() Set {
	return managerPermissions().Remove(
		ServerCreate, ServerDelete, ServerArchive, ServerTransfer,
		TeamCreate, TeamDelete,
		CredentialManage, StorageManage, RecipeManage,
		ResourcesCreateDatabases, ResourcesDeleteDatabases, ResourcesCreateBuckets, ResourcesDeleteBuckets,
	)
}

// A viewer reads and changes nothing. What only a permission to change something lets one read (a firewall rule, a
// log) stays closed.
func viewerPermissions() Set {
	return SetOf(OrganizationView, ServerView, CredentialView, TeamView, RecipeView, UserView, ResourcesView)
}
