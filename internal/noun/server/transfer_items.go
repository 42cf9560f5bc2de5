package server

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// look reads what a transfer of a server meets.
type look struct {
	rows query.DBTX
	q    *query.Granted
	Path
}

// items lists first what prevents the transfer, then what is detached or left behind, then what can still access the server afterwards.
func (l look) items(ctx context.Context) ([]TransferItem, error) {
	sites, err := db.All[query.Site](ctx, l.rows, "sites", db.Equal("server_id", l.Server.ID))
	if err != nil {
		return nil, err
	}
	names := make(map[int64]string, len(sites))
	for _, s := range sites {
		names[s.ID] = s.Name
	}
	out := []TransferItem{}
	for _, read := range []func(context.Context, map[int64]string) ([]TransferItem, error){
		l.open, l.balanced, l.peers, l.linking,
		l.account, l.backups, l.projects, l.certificates, l.dns, l.packages, l.shares, l.runs, l.keys, l.sftpUsers, l.readers, l.webhooks, l.monitors,
	} {
		found, err := read(ctx, names)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func (l look) here() db.Cond { return db.Equal("server_id", l.Server.ID) }

// ofSites is the condition on rows of the server's sites.
func (l look) ofSites() db.Cond { return db.In("site_id", "sites", l.here()) }

func item(effect, kind string, id int64, name, text string) TransferItem {
	return TransferItem{effect, kind, &id, name, text}
}

// open lists work that has not ended: it was accepted for the organization.
func (l look) open(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.Operation](ctx, l.rows, "operations", l.here(), db.Equal("state", job.StatePending, job.StateRunning))
	if err != nil {
		return nil, err
	}
	var out []TransferItem
	for _, r := range rows {
		out = append(out, TransferItem{effectBlocks, "events", r.EventID, r.Description, "This operation is still running. Wait for it to finish, or cancel it."})
	}
	if len(out) > 0 {
		return out, nil
	}
	aspects, err := l.q.ListOpenAspects(ctx, l.Server)
	if err != nil {
		return nil, fmt.Errorf("list work on server %d: %w", l.Server.ID, err)
	}
	if len(aspects) > 0 {
		out = append(out, item(effectBlocks, "servers", l.Server.ID, l.Server.Name, "The outcome of the last operation on this server is not known yet."))
	}
	if awaited(l.Server) {
		out = append(out, item(effectBlocks, "servers", l.Server.ID, l.Server.Name, "The server has not been created yet."))
	}
	return out, nil
}

// balanced lists load balancers that have the server as a node, and those on the server that have others.
func (l look) balanced(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	nodes, err := db.All[query.LoadBalancingNode](ctx, l.rows, "load_balancing_nodes", db.Any(l.here(), l.ofSites()))
	if err != nil {
		return nil, err
	}
	var out []TransferItem
	for _, n := range nodes {
		own, balances := sites[n.SiteID]
		switch {
		case balances && n.ServerID == l.Server.ID:
		case balances:
			name, err := l.nameOf(ctx, n.ServerID)
			if err != nil {
				return nil, err
			}
			out = append(out, item(effectBlocks, "sites", n.SiteID, own, "This load balancer distributes requests to "+name+". Remove that node first."))
		default:
			balancer, err := l.balancer(ctx, n.SiteID)
			if err != nil {
				return nil, err
			}
			out = append(out, TransferItem{effectBlocks, "sites", nil, balancer, "The server is a node of this load balancer. Remove the node first."})
		}
	}
	return out, nil
}

// balancer returns the name of a site that has the server as a node; not that of one on a server that the caller can't see.
func (l look) balancer(ctx context.Context, id int64) (string, error) {
	rows, err := db.All[query.Site](ctx, l.rows, "sites", db.Equal("id", id), VisibleOf(l.Grant))
	if err != nil || len(rows) == 0 {
		return "A load balancer", err
	}
	return rows[0].Name, nil
}

// nameOf returns the name of another server, if the caller can see it.
func (l look) nameOf(ctx context.Context, id int64) (string, error) {
	rows, err := db.All[query.Server](ctx, l.rows, "servers", db.Equal("id", id), Visible(l.Grant))
	if err != nil || len(rows) == 0 {
		return "another server", err
	}
	return rows[0].Name, nil
}

// peers lists the servers in the network of this one: their firewalls let it in.
func (l look) peers(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	pairs, err := db.All[query.ServerPeer](ctx, l.rows, "server_peers", db.Any(l.here(), db.Equal("peer_id", l.Server.ID)))
	if err != nil {
		return nil, err
	}
	var out []TransferItem
	seen := map[int64]bool{}
	for _, pair := range pairs {
		other := pair.PeerID
		if other == l.Server.ID {
			other = pair.ServerID
		}
		if seen[other] {
			continue
		}
		seen[other] = true
		name, err := l.nameOf(ctx, other)
		if err != nil {
			return nil, err
		}
		out = append(out, TransferItem{effectBlocks, "servers", nil, name, "The two servers are in a network together. Disconnect them first."})
	}
	return out, nil
}

// linking lists sites whose deploy key or webhook is just being set up at a provider.
func (l look) linking(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	links, err := db.All[query.SourceControlLink](ctx, l.rows, "source_control_links", l.ofSites(), db.Equal("state", "pending"))
	var out []TransferItem
	for _, r := range links {
		out = append(out, item(effectBlocks, "sites", r.SiteID, sites[r.SiteID],
			"Its deploy key or webhook is being set up at the Git provider. Wait for that to finish."))
	}
	return out, err
}

// account lists the account that the server was ordered with.
func (l look) account(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	if l.Server.CredentialID == nil {
		return nil, nil
	}
	rows, err := db.All[query.ServerCredential](ctx, l.rows, "server_credentials", db.Equal("id", *l.Server.CredentialID))
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectDetached, "serverCredentials", r.ID, r.Name,
			"The machine stays in this provider account. Hostler can no longer power it on or off, or destroy it."))
	}
	return out, err
}

// backups lists configurations: their storage, and the key that seals their archives, are the organization's.
func (l look) backups(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.BackupConfiguration](ctx, l.rows, "backup_configurations", l.here())
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectDetached, "backupConfigurations", r.ID, r.Name,
			"Uses this organization's storage. The configuration is deleted; its backups stay in the storage but can't be restored with Hostler."))
	}
	return out, err
}

// projects lists sites whose code comes through a connection of the organization.
func (l look) projects(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.Project](ctx, l.rows, "projects", l.ofSites(),
		db.Cond{SQL: "(provider_id IS NOT NULL OR site_id IN (SELECT site_id FROM source_control_links))"})
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectDetached, "sites", r.SiteID, sites[r.SiteID],
			"Uses this organization's Git provider connection. Its deploy key and webhook stay in the repository and keep working "+
				"until they are removed there."))
	}
	return out, err
}

// certificates lists those that are renewed through a DNS provider of the organization.
func (l look) certificates(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.Certificate](ctx, l.rows, "certificates", l.ofSites(), db.Cond{SQL: "dns_provider_id IS NOT NULL"})
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectDetached, "certificates", r.ID, sites[r.SiteID],
			"Renewed through this organization's DNS provider. It stays active until it expires; request a new one first."))
	}
	return out, err
}

// dns lists domains whose records are kept at a DNS provider of the organization.
func (l look) dns(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.Domain](ctx, l.rows, "domains", l.ofSites(), db.Cond{SQL: "id IN (SELECT domain_id FROM domain_dns)"})
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectDetached, "domainRecords", r.ID, r.Name,
			"Its DNS records are kept at this organization's DNS provider. They stay there unchanged, and no longer follow."))
	}
	return out, err
}

// packages lists credentials for package repositories, which are the organization's accounts there.
func (l look) packages(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.PackageCredential](ctx, l.rows, "package_credentials", l.ofSites())
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectDetached, "sites", r.SiteID, sites[r.SiteID],
			"The "+r.Kind+" credential for "+r.Name+" is deleted from Hostler, and deployments no longer use it. Its file stays on the server: revoke the credential."))
	}
	return out, err
}

// shares lists the teams that the server is shared with.
func (l look) shares(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.Team](ctx, l.rows, "teams", db.Cond{SQL: "id IN (SELECT team_id FROM team_servers WHERE server_id = ?)", Args: []any{l.Server.ID}})
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectLeft, "teams", r.ID, r.Name, "The server is no longer shared with this team."))
	}
	return out, err
}

// runs lists runs of the organization's recipes, which have their scripts.
func (l look) runs(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.RecipeRun](ctx, l.rows, "recipe_runs", l.here(), db.Cond{SQL: "shipped_recipe_id IS NULL"})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return []TransferItem{{
		effectLeft, "recipeRuns", nil, fmt.Sprintf("Recipe runs (%d)", len(rows)),
		"Deleted, because they contain this organization's scripts. Their output stays in the server's events.",
	}}, nil
}

// keys lists the SSH keys by which people enter the server.
func (l look) keys(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.SSHKey](ctx, l.rows, "ssh_keys", l.here())
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectReaches, "sshKeys", r.ID, r.Name, "This SSH key can log in as "+r.UnixUser+" until it is removed."))
	}
	return out, err
}

// sftpUsers lists who reaches the files of sites.
func (l look) sftpUsers(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.SFTPUser](ctx, l.rows, "sftp_users", l.ofSites())
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectReaches, "sftpUsers", r.ID, r.Name, "This SFTP user can change the files of "+sites[r.SiteID]+" until it is deleted."))
	}
	return out, err
}

// readers lists sites whose deploy hook was shown.
func (l look) readers(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.HookReader](ctx, l.rows, "hook_readers", l.ofSites())
	var out []TransferItem
	seen := map[int64]bool{}
	for _, r := range rows {
		if !seen[r.SiteID] {
			seen[r.SiteID] = true
			out = append(out, item(effectReaches, "sites", r.SiteID, sites[r.SiteID], "Members have seen its deploy hook, which works until it is regenerated."))
		}
	}
	return out, err
}

// webhooks lists the addresses that deployments are reported to.
func (l look) webhooks(ctx context.Context, sites map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.DeploymentWebhook](ctx, l.rows, "deployment_webhooks", l.ofSites())
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectReaches, "deploymentWebhooks", r.ID, sites[r.SiteID], "Deployments are reported to "+r.Origin+" until the webhook is removed."))
	}
	return out, err
}

// monitors lists the addresses that are notified of thresholds.
func (l look) monitors(ctx context.Context, _ map[int64]string) ([]TransferItem, error) {
	rows, err := db.All[query.Monitor](ctx, l.rows, "monitors", l.here())
	var out []TransferItem
	for _, r := range rows {
		out = append(out, item(effectLeft, "monitors", r.ID, r.Type,
			r.Notify+" receives no more alerts, unless it is the address of a member there or was confirmed there."))
	}
	return out, err
}
