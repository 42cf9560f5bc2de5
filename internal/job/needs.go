package job

import (
	"context"
	"strings"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// Needs returns the permissions that it takes to try work again, to cancel it, and to read what a script printed in it: those that the call that
// began it was asked for. Work of the service's own, and of releases that did not write them down, needs those of its kind of resource.
func Needs(op query.Operation) []access.Permission {
	if op.Needs == "" {
		return needsOf(op.ResourceType)
	}
	var out []access.Permission
	for name := range strings.SplitSeq(op.Needs, ",") {
		p, err := access.Parse(name)
		if err != nil { // written by a newer release
			return access.All()
		}
		out = append(out, p)
	}
	return out
}

// needed is what is written down of the call in ctx.
func needed(ctx context.Context) string {
	var names []string
	for _, p := range api.Needed(ctx) {
		names = append(names, string(p))
	}
	return strings.Join(names, ",")
}

// needsOf is the most that any work on a kind of resource takes; everything for a kind that is not known.
func needsOf(resource string) []access.Permission {
	switch resource {
	case "servers":
		return []access.Permission{access.ServerCreate, access.ServerDelete, access.ServerManageServices}
	case "rules":
		return []access.Permission{access.ServerManageNetwork}
	case "keys":
		return []access.Permission{access.ServerCreateKeys, access.ServerDeleteKeys}
	case "databaseServices":
		return []access.Permission{access.ServerManageServices}
	case "databases", "databaseUsers", "databaseSynchronizations":
		return []access.Permission{access.ServerCreateDatabases, access.ServerDeleteDatabases}
	case "backups", "backupRestores":
		return []access.Permission{access.ServerCreateBackups, access.ServerDeleteBackups}
	case "backgroundProcesses", "integrations":
		return []access.Permission{access.ServerCreateDaemons, access.ServerDeleteDaemons}
	case "scheduledJobs":
		return []access.Permission{access.ServerCreateSchedulers, access.ServerDeleteSchedulers}
	case "siteLogs", "serverLogs":
		return []access.Permission{access.ServerManageLogs}
	case "composer", "npm":
		return []access.Permission{access.ServerManagePackages}
	case "recipe_runs":
		return []access.Permission{access.RecipeView, access.RecipeManage}
	case "sites":
		return []access.Permission{access.SiteCreate, access.SiteDelete}
	case "domainRecords":
		return []access.Permission{access.SiteMeta, access.SiteManageNginx}
	case "certificates":
		return []access.Permission{access.SiteManageSSL}
	case "redirect-rules", "redirect-rules-order", "redirect-rules-import":
		return []access.Permission{access.SiteManageRedirects}
	case "securityRules":
		return []access.Permission{access.SiteManageSecurity}
	case "environments":
		return []access.Permission{access.SiteManageEnvironment}
	case "commands", "laravelMaintenanceIntegrations":
		return []access.Permission{access.SiteManageCommands}
	case "deployments":
		return []access.Permission{access.SiteManageDeploys}
	default:
		return access.All()
	}
}
