package description

// ByHand are the operations whose commands are written by hand, each with its command: they ask, follow, or do several things at once. The others have a
// command that is made from their description. A test finds the commands, and each operation either here or made.
var ByHand = map[string]string{
	"me":                                     "whoami",
	"user.show":                              "whoami",
	"organizations.events.stream":            "events follow",
	"organizations.backup-keys.index":        "backups key",
	"organizations.backup-keys.export.store": "backups key",

	"organizations.servers.drift.show":       "servers drift",
	"organizations.servers.host-keys.show":   "servers host-keys",
	"organizations.servers.host-keys.update": "servers host-keys",
	"organizations.servers.metrics.fleet":    "servers metrics",
	"organizations.servers.metrics.show":     "servers metrics",
	"organizations.servers.archives.destroy": "servers reconnect",
	"organizations.servers.key.update":       "keys rotate",
	"organizations.servers.ssh-keys.store":   "ssh-keys add",
	"organizations.servers.ssh-keys.destroy": "ssh-keys delete",

	"organizations.servers.sites.metrics.show":      "sites metrics",
	"organizations.servers.sites.deployments.store": "deploy",

	"organizations.servers.database.backups.instances.downloads.store": "backups download",
	"organizations.servers.database.backups.instances.restores.store":  "backups restore",

	"organizations.recipes.runs.store": "recipes run",

	"organizations.servers.sites.files.content.show":   "files print",
	"organizations.servers.sites.files.content.update": "files upload",
	"organizations.servers.sites.files.download":       "files download",
	"organizations.servers.sites.files.upload":         "files upload",

	// A stream has no end that a command could wait for; what it would show is shown by the log.
	"organizations.servers.sites.logs.application.stream":  "application-log show",
	"organizations.servers.sites.logs.nginx-access.stream": "access-log show",
	"organizations.servers.sites.logs.nginx-error.stream":  "error-log show",
}
