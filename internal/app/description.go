package app

import (
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/database"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/event"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/log"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/nginx"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/provider"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
	"github.com/hostlerhq/hostler/internal/noun/storage"
	"github.com/hostlerhq/hostler/internal/noun/team"
)

// tags are the groups of the contract, in its order.
func tags() []string {
	return []string{
		"Roles", "Sites", "Organizations", "Storage Providers", "Recipes", "Servers", "Background Processes", "Nginx", "Databases", "Backups", "Monitors",
		"Firewall Rules", "Logs", "SSH Keys", "Scheduled Jobs", "Security Rules", "Redirect Rules", "Integrations", "Deployments", "Commands", "Teams",
		"Server Credentials", "User", "Providers", "Account", "Source Control", "DNS Providers", "Notifications",
	}
}

// metas are what nouns add to the meta of their resources.
func metas() []any {
	return []any{
		organization.Meta{},
		team.InvitationMeta{},
		server.ServerMeta{},
		server.TagsMeta{},
		server.LineMeta{},
		event.Meta{},
		sshkey.Meta{},
		site.Meta{},
		deployment.Meta{},
		site.RuntimeMeta{}, site.LimitsMeta{},
		domain.Meta{},
		certificate.Meta{},
		nginx.Meta{},
		process.Meta{},
		schedule.Meta{},
		heartbeat.Meta{},
		log.Meta{},
		monitor.Meta{},
		database.UserMeta{},
		recipient.Meta{},
		backup.ConfigurationMeta{},
		backup.InstanceMeta{},
		storage.Meta{},
		provider.Meta{},
	}
}
