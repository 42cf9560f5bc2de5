package clients

import "github.com/hostlerhq/hostler/internal/edge/api"

// exampleTexts are values of fields that are called so, exampleNumbers those of numbers. Enumerations have their first value, other texts are "example".
var (
	exampleTexts = map[string]string{
		"domain": "www.example.com", "url": "https://example.com/hook", "email": "ada@example.com", "command": "php artisan about", "user": "forge",
		"path": "robots.txt", "from": "/old", "to": "/new", "branch": "main", "repository": "acme/shop", "script": "uptime",
	}
	exampleNumbers = map[string]int{"retention": 7, "port": 8080, "threshold": 80}
)

// exampleFiles are the files that samples name: redirects, which are a file of any kind as well, and a key.
var exampleFiles = map[string]string{"FILE": "/old,/new,301\n", "id_ed25519.pub": api.ExampleKey + "\n"}

// exampleArguments follow the commands that are written by hand.
var exampleArguments = map[string]string{
	"organizations.servers.drift.show":       "$SERVER",
	"organizations.servers.host-keys.show":   "$SERVER",
	"organizations.servers.host-keys.update": "$SERVER",
	"organizations.servers.metrics.show":     "$SERVER",
	"organizations.servers.archives.destroy": "$ARCHIVE",
	"organizations.servers.key.update":       "$SERVER",
	"organizations.servers.ssh-keys.store":   "id_ed25519.pub --server $SERVER",
	"organizations.servers.ssh-keys.destroy": "laptop --server $SERVER",

	"organizations.servers.sites.metrics.show":      "$SITE",
	"organizations.servers.sites.deployments.store": "$SITE --no-wait",

	"organizations.servers.database.backups.instances.downloads.store": "$SERVER $BACKUP_CONFIGURATION $BACKUP",
	"organizations.servers.database.backups.instances.restores.store":  "$SERVER $BACKUP_CONFIGURATION $BACKUP --database $DATABASE",

	"organizations.recipes.runs.store": "$RECIPE --server $SERVER",

	"organizations.servers.sites.files.content.show":   "$SITE robots.txt",
	"organizations.servers.sites.files.content.update": "$SITE FILE robots.txt",
	"organizations.servers.sites.files.download":       "$SITE robots.txt",
	"organizations.servers.sites.files.upload":         "$SITE FILE robots.txt",

	"organizations.servers.sites.logs.application.stream":  "$SITE",
	"organizations.servers.sites.logs.nginx-access.stream": "$SITE",
	"organizations.servers.sites.logs.nginx-error.stream":  "$SITE",
}
