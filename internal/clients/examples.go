package clients

// exampleTexts are values of fields that are called so, exampleNumbers those of numbers. Enumerations have their first value, other texts are "example".
var (
	exampleTexts = map[string]string{
		"domain": "www.example.com", "url": "https://example.com/hook", "email": "ada@example.com", "command": "php artisan about", "user": "forge",
		"path": "robots.txt", "from": "/old", "to": "/new", "branch": "main", "repository": "acme/shop", "script": "uptime",
	}
	exampleNumbers = map[string]int{"retention": 7, "port": 8080, "threshold": 80}
)

// exampleKey is a public key. Its private half was not kept.
const exampleKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBsujyhqbX27bbNgMmFqhC6qrPIzVmCmfAmFAqZbX2Gp ada@example.com"

// exampleBodies are members that samples send for operations whose rules ask for more than what is required, or whose texts have a form.
var exampleBodies = map[string]map[string]any{
	"organizations.dns-providers.store":             {"nameserver": "192.0.2.53", "key": "hostler", "secret": "c2VjcmV0c2VjcmV0c2VjcmV0"},
	"organizations.dns-providers.update":            {"name": "example"},
	"organizations.notification-channels.store":     {"address": "ops@example.com"},
	"organizations.notification-channels.update":    {"name": "example"},
	"organizations.oauth-clients.store":             {"redirect_uris": []any{"https://app.example.com/back"}, "scopes": []any{"server:view"}},
	"organizations.oauth-clients.update":            {"name": "example"},
	"organizations.rate-limit.update":               {"requests_per_minute": 600},
	"organizations.recipes.update":                  {"name": "example"},
	"organizations.retention.update":                {"audit_days": 365},
	"organizations.server-credentials.store":        {"provider": "hetzner"},
	"organizations.server-credentials.update":       {"secret": "example"},
	"organizations.source-control-providers.update": {"name": "example"},
	"organizations.storage-providers.store":         {"region": "eu-central-1", "bucket": "backups", "access_key": "example", "secret_key": "example"},
	"organizations.storage-providers.update":        {"region": "eu-central-1", "bucket": "backups", "access_key": "example", "secret_key": "example"},
	"organizations.timezone.update":                 {"timezone": "Europe/Berlin"},

	"organizations.servers.store":                      {"provider": "custom", "custom": map[string]any{"ip_address": "203.0.113.5"}},
	"organizations.servers.update":                     {"name": "example"},
	"organizations.servers.host-keys.update":           {"host_keys": []any{exampleKey}},
	"organizations.servers.network.update":             {"servers": []any{variable("OTHER_SERVER")}},
	"organizations.servers.transfer.store":             {"to": "other"},
	"organizations.servers.ssh-keys.store":             {"key": exampleKey},
	"organizations.servers.firewall-rules.store":       {"port": "8080"},
	"organizations.servers.firewall-rules.update":      {"port": "8080"},
	"organizations.servers.monitors.store":             {"notify": "ops@example.com"},
	"organizations.servers.monitors.update":            {"threshold": 90},
	"organizations.servers.background-processes.store": {"command": "sleep 1000"},
	"organizations.servers.scheduled-jobs.update":      {"name": "example"},
	"organizations.servers.nginx.templates.store":      {"content": "location /status { return 204; }\n"},
	"organizations.servers.nginx.templates.update":     {"content": "location /status { return 204; }\n"},
	"organizations.servers.database.users.update":      {"password": "example"},

	"organizations.servers.php.versions.store":               {"version": "php74"},
	"organizations.servers.php.cli-version.update":           {"php_version": "8.4"},
	"organizations.servers.php.site-version.update":          {"php_version": "8.4"},
	"organizations.servers.php.max-upload-size.update":       {"max_upload_size": 64},
	"organizations.servers.php.max-execution-time.update":    {"max_execution_time": 120},
	"organizations.servers.php.versions.configs.fpm.update":  {"config": "memory_limit = 256M\n"},
	"organizations.servers.php.versions.configs.cli.update":  {"config": "memory_limit = 1G\n"},
	"organizations.servers.php.versions.configs.pool.update": {"config": "pm = static\n"},
	"organizations.servers.services.php.actions.store":       {"version": "php84"},

	"organizations.servers.sites.store":                 {"type": "static-html", "name": "www.example.com"},
	"organizations.servers.sites.update":                {"tags": []any{"shop"}},
	"organizations.servers.sites.domains.store":         {"name": "www.example.com"},
	"organizations.servers.sites.domains.dns.store":     {"plan": "0000000000000000000000000000000000000000000000000000000000000000"},
	"organizations.servers.sites.sftp-users.store":      {"keys": []any{exampleKey}},
	"organizations.servers.sites.sftp-users.update":     {"keys": []any{exampleKey}},
	"organizations.servers.sites.heartbeats.store":      {"grace_period": 10},
	"organizations.servers.sites.healthcheck.update":    {"healthcheck_endpoint": "https://www.example.com/up"},
	"organizations.servers.sites.redirect-rules.update": {"to": "/new"},
	"organizations.servers.sites.scheduled-jobs.update": {"name": "example"},
	"organizations.servers.sites.load-balancing-nodes.update": {
		"balancing": []any{map[string]any{"server_id": variable("OTHER_SERVER"), "weight": 1}},
	},
	"organizations.servers.sites.security-rules.update":                  {"credentials": []any{map[string]any{"username": "ada", "password": "example"}}},
	"organizations.servers.sites.composer.credentials.store":             {"repository": "packages.example.com"},
	"organizations.servers.sites.composer.credentials.update":            {"repository": "packages.example.com"},
	"organizations.servers.sites.npm.credentials.store":                  {"registry": "npm.example.com"},
	"organizations.servers.sites.npm.credentials.update":                 {"registry": "npm.example.com"},
	"organizations.servers.sites.integrations.laravel-maintenance.store": {"status": 503},
	"organizations.servers.sites.integrations.octane.store":              {"port": "8000"},
	"organizations.servers.sites.integrations.reverb.store":              {"host": "ws.example.com", "port": "8080", "connections": 1000},
}

// exampleQueries are parameters of the query that samples send, by operations.
var exampleQueries = map[string]map[string]any{
	"organizations.servers.sites.files.content.show":    {"path": "robots.txt"},
	"organizations.servers.sites.files.download":        {"path": "robots.txt"},
	"organizations.servers.sites.files.destroy":         {"path": "robots.txt"},
	"organizations.servers.sites.files.show":            {"path": "robots.txt"},
	"organizations.servers.sites.files.upload":          {"path": "robots.txt"},
	"organizations.servers.sites.domains.dns.plan.show": {"dns_provider_id": variable("DNS_PROVIDER")},
}

// exampleFiles are the files that samples name: redirects, which are a file of any kind as well, and a key.
var exampleFiles = map[string]string{"FILE": "/old,/new,301\n", "id_ed25519.pub": exampleKey + "\n"}

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
