package job

import (
	"context"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Needs returns the permissions for retrying work, cancelling it, and reading what a script printed in it: those of the call that
// started it. Work that the service started, and work of releases that did not record them, needs those of its kind of resource.
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

// Rights looks up people's current permissions.
type Rights interface {
	// Holds reports whether a member of an organization has permissions on a server, whatever they signed in with.
	Holds(ctx context.Context, q *query.Granted, organization, user, server int64, needed ...access.Permission) (bool, error)
}

// noLongerAllowed is the reason of work that was cancelled because a right was revoked.
const noLongerAllowed = "The person who requested it no longer has the permission."

// revoked returns an operation whose requester has lost the permission, because they left or their role was reduced while it
// waited for its server. Nil is none.
func (e *Engine) revoked(ctx context.Context, waiting []query.Operation) (*query.Operation, error) {
	type right struct {
		organization, user int64
		needs              string
	}
	held := map[right]bool{}
	for i, op := range waiting {
		if e.rights == nil || op.AskedBy == nil || op.Needs == "" {
			continue
		}
		asked := right{op.OrganizationID, *op.AskedBy, op.Needs}
		holds, known := held[asked]
		if !known {
			var err error
			if holds, err = e.rights.Holds(ctx, e.db.Read(), op.OrganizationID, *op.AskedBy, op.ServerID, Needs(op)...); err != nil {
				return nil, fmt.Errorf("read the rights to operation %d: %w", op.ID, err)
			}
			held[asked] = holds
		}
		if !holds {
			return &waiting[i], nil
		}
	}
	return nil, nil
}

// needed returns the recorded form of the permissions of the call in ctx.
func needed(ctx context.Context) string {
	var names []string
	for _, p := range api.Needed(ctx) {
		names = append(names, string(p))
	}
	return strings.Join(names, ",")
}

// needsOf returns the most that any work on a kind of resource requires; everything for an unknown kind.
func needsOf(resource string) []access.Permission {
	switch resource {
	case "servers":
		return []access.Permission{access.ServerCreate, access.ServerDelete, access.ServerManageServices}
	case "rules", "networks":
		return []access.Permission{access.ServerManageNetwork}
	case "keys":
		return []access.Permission{access.ServerCreateKeys, access.ServerDeleteKeys}
	case "monitors":
		return []access.Permission{access.ServerCreateMonitors, access.ServerDeleteMonitors}
	case "services":
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
