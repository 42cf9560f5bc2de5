package access

// Role is a named set of permissions for members of an organization.
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

// Predefined returns the roles that every organization has, from the most powerful to the least. The permissions of each include those of the next.
//
// Permissions alone do not decide who can make another member an owner: only an owner can, though an admin has OrganizationManage too.
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

// An admin does everything except end the organization.
func adminPermissions() Set { return ownerPermissions().Remove(OrganizationDelete) }

// A manager runs servers and teams, but not the organization's settings and billing.
func managerPermissions() Set {
	return adminPermissions().Remove(OrganizationManage, BillingManage, IntegrationsManage)
}

// A developer works on existing servers and sites. Others decide about creating, removing and transferring servers, team members,
// and connected accounts, and about what runs as root on many servers at once.
func developerPermissions() Set {
	return managerPermissions().Remove(
		ServerCreate, ServerDelete, ServerArchive, ServerTransfer,
		TeamCreate, TeamDelete,
		CredentialManage, StorageManage, RecipeManage,
		ResourcesCreateDatabases, ResourcesDeleteDatabases, ResourcesCreateBuckets, ResourcesDeleteBuckets,
	)
}

// A viewer reads and changes nothing. What can be read only with a permission to change it (a firewall rule, a log) stays closed.
func viewerPermissions() Set {
	return SetOf(OrganizationView, ServerView, CredentialView, TeamView, RecipeView, UserView, ResourcesView)
}
