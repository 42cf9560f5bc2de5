package access

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
)

// Permission names one thing that a role allows its members and that an access token can be narrowed to. The contract uses the
// same strings as OAuth scopes and as the permissions of roles.
type Permission string

// The organization itself.
const (
	OrganizationView   Permission = "organization:view"
	OrganizationManage Permission = "organization:manage"
	OrganizationDelete Permission = "organization:delete"
)

// Servers and what runs on them.
const (
	ServerView                 Permission = "server:view"
	ServerCreate               Permission = "server:create"
	ServerDelete               Permission = "server:delete"
	ServerArchive              Permission = "server:archive"
	ServerTransfer             Permission = "server:transfer"
	ServerManageMeta           Permission = "server:manage-meta"
	ServerManagePackages       Permission = "server:manage-packages"
	ServerManagePHP            Permission = "server:manage-php"
	ServerManageLogs           Permission = "server:manage-logs"
	ServerManageNetwork        Permission = "server:manage-network"
	ServerManageNginxTemplates Permission = "server:manage-nginx-templates"
	ServerManageServices       Permission = "server:manage-services"
	ServerManagePassword       Permission = "server:manage-password"
	ServerCreateKeys           Permission = "server:create-keys"
	ServerDeleteKeys           Permission = "server:delete-keys"
	ServerCreateMonitors       Permission = "server:create-monitors"
	ServerDeleteMonitors       Permission = "server:delete-monitors"
	ServerCreateDatabases      Permission = "server:create-databases"
	ServerDeleteDatabases      Permission = "server:delete-databases"
	ServerCreateBackups        Permission = "server:create-backups"
	ServerDeleteBackups        Permission = "server:delete-backups"
	ServerCreateDaemons        Permission = "server:create-daemons"
	ServerDeleteDaemons        Permission = "server:delete-daemons"
	ServerCreateSchedulers     Permission = "server:create-schedulers"
	ServerDeleteSchedulers     Permission = "server:delete-schedulers"
	ServerWebTerminal          Permission = "server:web-terminal"
)

// Sites.
const (
	SiteCreate              Permission = "site:create"
	SiteDelete              Permission = "site:delete"
	SiteMeta                Permission = "site:meta"
	SiteManageCommands      Permission = "site:manage-commands"
	SiteManageDeploys       Permission = "site:manage-deploys"
	SiteManageNginx         Permission = "site:manage-nginx"
	SiteManageProject       Permission = "site:manage-project"
	SiteManageEnvironment   Permission = "site:manage-environment"
	SiteManageNotifications Permission = "site:manage-notifications"
	SiteManageQueues        Permission = "site:manage-queues"
	SiteManageRedirects     Permission = "site:manage-redirects"
	SiteManageSecurity      Permission = "site:manage-security"
	SiteManageSSL           Permission = "site:manage-ssl"
	SiteManageIntegrations  Permission = "site:manage-integrations"
	SiteManageHeartbeats    Permission = "site:manage-heartbeats"
)

// Accounts at server providers.
const (
	CredentialView   Permission = "credential:view"
	CredentialManage Permission = "credential:manage"
)

// Teams.
const (
	TeamView   Permission = "team:view"
	TeamCreate Permission = "team:create"
	TeamDelete Permission = "team:delete"
)

// Recipes.
const (
	RecipeView   Permission = "recipe:view"
	RecipeManage Permission = "recipe:manage"
)

// Billing, storage, integrations and the account.
const (
	BillingManage      Permission = "billing:manage"
	StorageManage      Permission = "storage:manage"
	IntegrationsManage Permission = "integrations:manage"
	UserView           Permission = "user:view"
)

// Managed databases and buckets.
const (
	ResourcesView            Permission = "resources:view"
	ResourcesCreateDatabases Permission = "resources:create-databases"
	ResourcesDeleteDatabases Permission = "resources:delete-databases"
	ResourcesManageDatabases Permission = "resources:manage-databases"
	ResourcesCreateBuckets   Permission = "resources:create-buckets"
	ResourcesDeleteBuckets   Permission = "resources:delete-buckets"
	ResourcesManageBuckets   Permission = "resources:manage-buckets"
)

// catalog lists every permission in the contract's order. A permission's index is its bit in a Set, and one less than its id in
// the API: indexes never change, new permissions come last.
var catalog = [...]struct {
	permission  Permission
	description string
}{
	{OrganizationView, "See the organization, its name and its settings."},
	{OrganizationManage, "Change the organization's settings, its custom roles and its members, read its log, and export the keys of backups."},
	{OrganizationDelete, "Delete the organization with everything in it."},
	{ServerView, "See servers, their state and what is installed on them, commands, jobs and deploy scripts as they were written."},
	{ServerCreate, "Create servers, or connect servers that you already have: acts as root on those."},
	{ServerDelete, "Delete servers."},
	{ServerArchive, "Archive servers, which ends access to them, and take them back."},
	{ServerTransfer, "Move servers to another organization, whose owners may then act as root on them."},
	{ServerManageMeta, "Change a server's name, addresses, SSH port, time zone and tags."},
	{ServerManagePackages, "Manage the credentials with which servers fetch private packages."},
	{ServerManagePHP, "Install, update, configure and remove PHP versions on servers."},
	{ServerManageLogs, "Read and clear the logs of servers and sites."},
	{ServerManageNetwork, "See and change firewall rules, and choose which servers reach each other."},
	{ServerManageNginxTemplates, "Manage the Nginx templates that new sites start from, within the limits of a site."},
	{ServerManageServices, "Start, stop and restart servers and their services, and set the password of the account with access to every database."},
	{ServerManagePassword, "Reset the administrator password of servers: may act as root on the server."},
	{ServerCreateKeys, "Add SSH keys that may log in to servers: for any account but a site's own, may act as root on the server."},
	{ServerDeleteKeys, "Remove SSH keys from servers."},
	{ServerCreateMonitors, "Add monitors that warn about load, memory or disk space."},
	{ServerDeleteMonitors, "Remove monitors from servers."},
	{ServerCreateDatabases, "Create databases and database users on servers, and change those users: gives access to every database of the server."},
	{ServerDeleteDatabases, "Delete databases and database users on servers."},
	{ServerCreateBackups, "Set up database backups, see, run and download them, and restore from them: reads and writes every database of the server."},
	{ServerDeleteBackups, "Delete database backups and their schedules."},
	{ServerCreateDaemons, "Create and change background processes, and read their output: may act as root on the server."},
	{ServerDeleteDaemons, "Delete background processes."},
	{ServerCreateSchedulers, "Create scheduled jobs on servers and sites, and read their output: may act as root on the server."},
	{ServerDeleteSchedulers, "Delete scheduled jobs from servers and sites."},
	{ServerWebTerminal, "Open a terminal on servers in the browser."},
	{SiteCreate, "Create sites, also on load balancers, and change tags and PHP version of others: runs programs as the account of a site that it creates."},
	{SiteDelete, "Delete sites with their files."},
	{SiteMeta, "See and change a site's domains and their certificates."},
	{SiteManageCommands, "Run commands in a site's directory, read their output, and turn its maintenance mode on or off: acts as the site's account."},
	{SiteManageDeploys, "Deploy sites, change how they are deployed, and read their deploy hook: acts as the site's account."},
	{SiteManageNginx, "See and change the Nginx configuration of sites, within the limits of the site."},
	{SiteManageProject, "Change a site's repository, directories, type, health check and nodes: decides what is served, " +
		"and runs as the site's account when deployed."},
	{SiteManageEnvironment, "Read and change the environment variables of sites, which contain secrets."},
	{SiteManageNotifications, "Choose who is notified about deployments, and where webhooks are sent."},
	{SiteManageQueues, "Manage the queue workers of sites."},
	{SiteManageRedirects, "See and change the redirects of sites."},
	{SiteManageSecurity, "See and change which parts of a site ask for a password."},
	{SiteManageSSL, "Request, install and remove certificates of sites."},
	{SiteManageIntegrations, "Turn the integrations of sites on and off."},
	{SiteManageHeartbeats, "Create, change and delete the heartbeats that watch a site's jobs."},
	{CredentialView, "See which server provider accounts are connected, without their keys."},
	{CredentialManage, "Connect and remove server provider and DNS accounts, and share them with teams."},
	{TeamView, "See teams, their members and what they share."},
	{TeamCreate, "Create and change teams, invite members, and share servers with teams: reaches what is shared with any team."},
	{TeamDelete, "Delete teams, whose servers the whole organization then sees, and remove members and invitations."},
	{RecipeView, "See recipes and the output of their runs."},
	{RecipeManage, "Create, change, delete and run recipes, and write Nginx configurations without limits: may act as root on the server."},
	{BillingManage, "See and change billing."},
	{StorageManage, "See, connect, change and remove the storage of backups: decides where they go, sealed with a key of the organization."},
	{IntegrationsManage, "Connect and remove the outside services that the organization uses, which receive deployments and failures."},
	{UserView, "See your name and e-mail address."},
	{ResourcesView, "See managed databases and storage buckets."},
	{ResourcesCreateDatabases, "Create managed databases."},
	{ResourcesDeleteDatabases, "Delete managed databases."},
	{ResourcesManageDatabases, "Change the settings of managed databases."},
	{ResourcesCreateBuckets, "Create storage buckets."},
	{ResourcesDeleteBuckets, "Delete storage buckets."},
	{ResourcesManageBuckets, "Change the settings of storage buckets."},
}

// places maps a permission to its index in the catalog.
var places = func() map[Permission]int {
	m := make(map[Permission]int, len(catalog))
	for i, c := range catalog {
		m[c.permission] = i
	}
	return m
}()

// All returns every permission, in the contract's order, which groups related ones.
func All() []Permission {
	all := make([]Permission, len(catalog))
	for i, c := range catalog {
		all[i] = c.permission
	}
	return all
}

// Parse returns the permission named s. Letters and spaces must match exactly.
func Parse(s string) (Permission, error) {
	p := Permission(s)
	if _, ok := places[p]; !ok {
		return "", fmt.Errorf("parse permission: %q is not one", s)
	}
	return p, nil
}

// ID returns the number of a permission in the API; zero for a value that Parse would refuse.
func (p Permission) ID() int64 {
	i, ok := places[p]
	if !ok {
		return 0
	}
	return int64(i) + 1
}

// Describe returns one sentence for people who are about to grant the permission, and an empty string for a value that Parse would refuse.
func (p Permission) Describe() string {
	i, ok := places[p]
	if !ok {
		return ""
	}
	return catalog[i].description
}

// Set is a set of permissions. It is a value: its methods return a new set. The zero Set is empty. Sets compare with ==.
//
// A Permission that Parse would refuse is never in a set: Add ignores it and Has returns false, so that a misspelled permission
// admits no caller rather than all.
type Set struct{ bits uint64 }

// SetOf returns the set of the given permissions.
func SetOf(permissions ...Permission) Set { return Set{}.Add(permissions...) }

// Add returns s with the given permissions.
func (s Set) Add(permissions ...Permission) Set {
	for _, p := range permissions {
		if i, ok := places[p]; ok {
			s.bits |= 1 << i
		}
	}
	return s
}

// Remove returns s without the given permissions.
func (s Set) Remove(permissions ...Permission) Set {
	return Set{bits: s.bits &^ SetOf(permissions...).bits}
}

// Without returns the permissions of s that are not in other.
func (s Set) Without(other Set) Set { return Set{bits: s.bits &^ other.bits} }

// Has reports whether every one of the given permissions is in s. Without arguments it returns true.
func (s Set) Has(permissions ...Permission) bool {
	for _, p := range permissions {
		i, ok := places[p]
		if !ok || s.bits&(1<<i) == 0 {
			return false
		}
	}
	return true
}

// Union returns the permissions that are in s, in other or in both.
func (s Set) Union(other Set) Set { return Set{bits: s.bits | other.bits} }

// Intersect returns the permissions that are in both. It is how a token's scopes narrow its owner's role.
func (s Set) Intersect(other Set) Set { return Set{bits: s.bits & other.bits} }

// Contains reports whether every permission of other is in s, and so whether the holder of s can grant other.
func (s Set) Contains(other Set) bool { return other.bits&^s.bits == 0 }

// Empty reports whether no permission is in s.
func (s Set) Empty() bool { return s.bits == 0 }

// Len returns the number of permissions in s.
func (s Set) Len() int { return bits.OnesCount64(s.bits) }

// List returns the permissions of s in the contract's order, never nil.
func (s Set) List() []Permission {
	list := make([]Permission, 0, s.Len())
	for i, c := range catalog {
		if s.bits&(1<<i) != 0 {
			list = append(list, c.permission)
		}
	}
	return list
}

// MarshalJSON writes the permissions as strings in alphabetical order, so that equal sets are equal texts in
// every release.
func (s Set) MarshalJSON() ([]byte, error) {
	list := s.List()
	slices.Sort(list)
	return json.Marshal(list)
}

// UnmarshalJSON reads a list of strings in any order. Unknown permissions and null are errors: a reader must not mistake them for nothing granted.
func (s *Set) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("read permissions: %w", err)
	}
	if list == nil {
		return fmt.Errorf("read permissions: null instead of a list")
	}
	var read Set
	for _, name := range list {
		p, err := Parse(name)
		if err != nil {
			return fmt.Errorf("read permissions: %w", err)
		}
		read = read.Add(p)
	}
	*s = read
	return nil
}
