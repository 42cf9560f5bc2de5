package provider

// The keys of secrets of which no state may have the value.
const hidden = "hunter2-hunter2"

// subjects are the resources whose life is tried.
var subjects = map[string]subject{
	"backup_configuration": {
		parents: "server_id = \"@engine@\"\nstorage_provider_id = @storage@\ndatabase_ids = [@database@]\nfrequency = \"daily\"\ntime = \"02:30\"",
		first:   "retention = 3", second: "retention = 5\nprove_every_days = 14",
		drift:  `{"storage_provider_id": @storage@, "database_ids": [@database@], "frequency": "daily", "time": "02:30", "retention": 9}`,
		unread: []string{"frequency", "day"},
	},
	"certificate": {
		parents: onSite + "\ndomain_id = \"@domain@\"\ntype = \"existing\"\nexisting = {\ncertificate = <<EOT\n@certificate@EOT\nkey = <<EOT\n@private@EOT\n}",
		first:   "existing_version = 1", second: "existing_version = 2", replaced: true, unread: []string{"existing_version"}, secret: "PRIVATE KEY",
	},
	"composer_credential": {
		parents: onSite + "\nrepository = \"tf.example.com\"\npassword = \"" + hidden + "\"", first: "username = \"anna\"\npassword_version = 1",
		second: "username = \"berta\"\npassword_version = 2", drift: `{"repository": "tf.example.com", "username": "hand", "password": "other"}`,
		unread: []string{"password_version"}, secret: hidden,
	},
	"server_credential": {
		parents: "provider_type = \"hetzner\"\nsecret = \"" + hidden + "\"", first: "name = \"cloud\"\nsecret_version = 1",
		second: "name = \"clouds\"\nsecret_version = 2", drift: `{"name": "hand"}`, unread: []string{"secret_version"}, secret: hidden,
	},
	"database_user": {
		parents: "server_id = \"@engine@\"\nname = \"tfuser\"\npassword = \"" + hidden + "\"", first: "password_version = 1",
		second: "password_version = 2\ndatabase_ids = [@database@]", drift: `{"database_ids": []}`, unread: []string{"password_version"}, secret: hidden,
	},
	"database":      {parents: "server_id = \"@engine@\"", first: "name = \"tfone\"", second: "name = \"tftwo\"", replaced: true},
	"deploy_script": {parents: onSite, first: "content = \"true\\n\"", second: "content = \"date\\n\"", drift: `{"content": "by hand"}`, stays: true},
	"dns_provider": {
		parents: "provider_type = \"rfc2136\"\nnameserver = \"192.0.2.53\"\nkey = \"hostler\"\nsecret = \"c2VjcmV0c2VjcmV0c2VjcmV0\"",
		first:   "name = \"zone\"\nsecret_version = 1", second: "name = \"zones\"\nsecret_version = 2", drift: `{"name": "hand"}`,
		unread: []string{"secret_version"}, secret: "c2VjcmV0c2VjcmV0c2VjcmV0",
	},
	"domain_nginx": {
		parents: onSite + "\ndomain_id = \"@primary@\"", first: "config = <<EOT\n@nginx@EOT", second: "config = <<EOT\n@changed@EOT", stays: true,
	},
	"domain": {
		parents: onSite + "\nname = \"tf.example.org\"\nallow_wildcard_subdomains = false", first: "www_redirect_type = \"none\"",
		second: "www_redirect_type = \"to-www\"", drift: `{"www_redirect_type": "from-www"}`,
	},
	"site_environment": {
		parents: onSite + "\nenvironment = \"KEY=" + hidden + "\\n\"", first: "environment_version = 1", second: "environment_version = 2",
		unread: []string{"environment_version"}, secret: hidden, stays: true,
	},
	"firewall_rule": {
		parents: onServer + "\nport = \"5432\"\ntype = \"allow\"", first: "name = \"office\"\nip_address = \"192.0.2.1\"",
		second: "name = \"home\"\nip_address = \"192.0.2.2\"", drift: `{"name": "hand"}`,
	},
	"site_healthcheck": {
		parents: onSite, first: "healthcheck_endpoint = \"https://one.example.com/up\"", second: "healthcheck_endpoint = \"https://one.example.com/ok\"",
		drift: `{"healthcheck_endpoint": null}`, stays: true,
	},
	"heartbeat": {
		parents: onSite + "\nfrequency = 60\ngrace_period = 5", first: "name = \"Hourly\"", second: "name = \"Each hour\"",
		drift: `{"name": "Hand", "frequency": 60, "grace_period": 5}`,
	},
	"monitor": {
		parents: onServer + "\ntype = \"disk\"\noperator = \"gte\"\nminutes = 5\nnotify = \"ops@example.com\"", first: "threshold = 90",
		second: "threshold = 95.5", drift: `{"threshold": 50}`,
	},
	"nginx_template": {
		parents: onServer + "\ncontent = \"server {\\n    server_name {{DOMAINS}};\\n}\\n\"", first: "name = \"tf\"", second: "name = \"tf two\"",
		drift: `{"name": "hand", "content": "server {\n    server_name {{DOMAINS}};\n    # by hand\n}\n"}`,
	},
	"notification_channel": {
		parents: "type = \"mail\"\naddress = \"one@example.com\"", first: "name = \"tf\"\nevents = [\"backup.failed\"]",
		second: "name = \"tf two\"\nevents = [\"deployment.failed\", \"backup.failed\"]", drift: `{"name": "hand", "enabled": false}`, unread: []string{"address"},
	},
	"npm_credential": {
		parents: onSite + "\nregistry = \"npm-tf.example.com\"\ntoken = \"" + hidden + "\"", first: "scopes = [\"@tf\"]\ntoken_version = 1",
		second: "scopes = [\"@two\", \"@one\"]\ntoken_version = 2", drift: `{"registry": "npm-tf.example.com", "token": "other", "scopes": ["@hand"]}`,
		unread: []string{"token_version"}, secret: hidden,
	},
	"oauth_client": {
		parents: "redirect_uris = [\"https://tf.example.com/back\"]\nscopes = [\"server:view\"]", first: "name = \"tf\"", second: "name = \"tf two\"",
		drift: `{"name": "hand"}`,
	},
	"php_version": {parents: onServer, first: "version = \"php85\""},
	"background_process": {
		parents: onServer + "\ncommand = \"sleep 1000\"\nuser = \"forge\"\nprocesses = 1", first: "name = \"tf\"", second: "name = \"tf two\"",
		drift: `{"name": "hand"}`,
	},
	"organization":            {first: "name = \"tf\"", second: "name = \"tf two\"", drift: `{"name": "hand"}`, stays: true},
	"organization_rate_limit": {first: "requests_per_minute = 1000", second: "requests_per_minute = 900", drift: `{"requests_per_minute": 800}`, stays: true},
	"recipe": {
		parents: "user = \"root\"", first: "name = \"uptime\"\nscript = \"uptime\\n\"", second: "name = \"up\"\nscript = \"uptime -p\\n\"",
		drift: `{"script": "true"}`, unread: []string{"team_id"},
	},
	"redirect": {
		parents: onSite + "\nfrom = \"^/tf$\"", first: "to = \"/one\"\ntype = \"permanent\"", second: "to = \"/two\"\ntype = \"redirect\"", drift: `{"to": "/hand"}`,
	},
	"organization_retention": {first: "events_days = 60", second: "events_days = 50", drift: `{"events_days": 40}`, stays: true},
	"role": {
		first: "name = \"tf\"\npermissions = [\"server:view\"]", second: "name = \"tf two\"\npermissions = [\"site:meta\", \"server:view\"]",
		drift: `{"name": "hand", "permissions": ["server:view", "server:delete"]}`, unread: []string{"permissions"},
	},
	"scheduled_job": {
		parents: onServer + "\nuser = \"root\"\nfrequency = \"nightly\"", first: "name = \"tf\"\ncommand = \"true\"", second: "name = \"tf two\"\ncommand = \"date\"",
		drift: `{"command": "false"}`,
	},
	"site_scheduled_job": {
		parents: onSite + "\nuser = \"forge\"\nfrequency = \"nightly\"", first: "name = \"tf\"\ncommand = \"true\"", second: "name = \"tf two\"\ncommand = \"date\"",
		drift: `{"command": "false"}`,
	},
	"security_rule": {
		parents: onSite + "\ncredentials = [{ username = \"anna\", password = \"" + hidden + "\" }]", first: "name = \"tf\"\npath = \"/tf\"\ncredentials_version = 1",
		second: "name = \"tf two\"\npath = \"/tf\"\ncredentials_version = 2", unread: []string{"credentials_version"}, secret: hidden,
	},
	"sftp_user": {
		parents: onSite + "\nname = \"tf-user\"\nkeys = [\"@key@\"]", first: "expires_on = \"2099-12-31\"", second: "expires_on = \"2099-06-30\"",
		drift: `{"expires_on": "2098-01-01"}`,
	},
	"server_ssh_key": {
		parents: onServer + "\nkey = \"@key@\"", first: "name = \"tf\"", second: "name = \"tf two\"", replaced: true, unread: []string{"key"},
	},
	"server": {
		parents: "provider_type = \"custom\"\ntype = \"app\"\ncustom = { ip_address = \"198.19.0.1\" }", first: "name = \"tf-one\"\ntags = [\"blue\"]",
		second: "name = \"tf-two\"\ntags = [\"red\", \"green\"]", drift: `{"name": "tf-hand"}`, unread: []string{"custom"},
	},
	"site_nginx": {parents: onSite, first: "config = <<EOT\n@nginx@EOT", second: "config = <<EOT\n@changed@EOT", stays: true},
	"site": {
		parents: onServer + "\ntype = \"static-html\"\nname = \"tf.example.net\"", first: "web_directory = \"/public\"",
		second: "web_directory = \"/dist\"\ntags = [\"blue\"]", drift: `{"type": "static-html", "tags": ["hand"]}`,
	},
	"source_control_provider": {
		parents: "provider_type = \"github\"\ntoken = \"@github@\"", first: "name = \"tf\"\ntoken_version = 1", second: "name = \"tf two\"\ntoken_version = 2",
		drift: `{"name": "hand"}`, unread: []string{"token_version"}, secret: "s3cret-token",
	},
	"storage_provider": {
		parents: "provider_type = \"custom\"\nendpoint = \"@s3@\"\nbucket = \"archive\"\naccess_key = \"key\"\nsecret_key = \"" + hidden + "\"",
		first:   "name = \"tf\"\nsecret_key_version = 1", second: "name = \"tf two\"\nsecret_key_version = 2", unread: []string{"secret_key_version"}, secret: hidden,
	},
	"team_credential": {parents: "team_id = \"@team@\"", first: "credential_id = @othercredential@"},
	"team_recipe":     {parents: "team_id = \"@team@\"", first: "recipe_id = @otherrecipe@"},
	"team_server":     {parents: "team_id = \"@team@\"", first: "server_id = @other@"},
	"team": {
		parents: "users = [{ id = @user@, role = { id = 5 } }]", first: "name = \"tf\"", second: "name = \"tf two\"", drift: `{"name": "hand"}`,
		unread: []string{"users"},
	},
	"organization_timezone": {first: "timezone = \"Europe/Berlin\"", second: "timezone = \"UTC\"", drift: `{"timezone": "Asia/Tokyo"}`, stays: true},
	"webhook": {
		parents: onSite, first: "url = \"https://tf.example.com/" + hidden + "\"\nurl_version = 1",
		second: "url = \"https://tf.example.org/" + hidden + "\"\nurl_version = 2", unread: []string{"url_version"}, secret: hidden,
	},
}

// untried are the resources whose life is not tried, and why.
var untried = map[string]string{
	"horizon":          needsHost,
	"inertia":          needsHost,
	"maintenance_mode": needsHost,
	"octane":           needsHost,
	"php_cli_config":   needsHost,
	"php_fpm_config":   needsHost,
	"php_pool_config":  needsHost,
	"pulse":            needsHost,
	"reverb":           needsHost,
	"scheduler":        needsHost,
}

const needsHost = "the installation reads from the server what there is, and make terraform has no real one"
