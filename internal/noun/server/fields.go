package server

import "github.com/hostlerhq/hostler/internal/ground/value"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateServerRequest.name": "The name of the server, of at most 30 characters.",
		"CreateServerRequest.take_over": "If ufw is active, adopt its rules and disable it. Without this, a server with active ufw rules is not set " +
			"up.",
		"CreateServerRequest.type":           "What the server is for, which decides what is installed on it.",
		"CreateServerRequest.ubuntu_version": "The requested version. Optional for custom servers, where the system is detected.",
		"DriftDifference.what": "missing, content, mode, owner, target, present, foreign, package, user, inactive, masked, disabled, outdated (a " +
			"program runs with older settings), rights or password (of an account of a database engine), refused (by cron) or overridden (by a file of " +
			"sshd, PHP-FPM or systemd)",
		"FirstServer.name":               "The name of the server.",
		"OSMeta.arch":                    "The architecture of the processor.",
		"OSMeta.id":                      "The system's id in /etc/os-release, such as ubuntu or debian.",
		"OSMeta.name":                    "The system's name with its version, as it names itself.",
		"OSMeta.version":                 "The version of the system, such as 24.04.",
		"Relationships.tags":             "The tags of the server.",
		"ServerAttributes.database_type": "The database of the server; null if there is none.",
		"ServerAttributes.id":            "The server's id, as a number.",
		"ServerAttributes.ip_address":    "The public IP address; null until it is known.",
		"ServerAttributes.provider":      "The cloud provider; custom for a machine of your own.",
		"ServerRelationships.tags":       "The tags of the server.",
		"TagAttributes.name":             "The name of the tag.",
		"TransferCount.type":             "The type of the resources.",
		"TransferItem.effect": "Whether it prevents the transfer; is detached, which requires force; stays behind; or is transferred and still gives " +
			"members of the old organization access to the server.",
		"TransferItem.id":   "The id of the resource; null if it has none.",
		"TransferItem.name": "The name of the resource.",
		"TransferItem.type": "The type of the resource.",
		"TransferRequest.team_id": "A team of that organization to share the server with. Required if you belong to the organization through teams " +
			"only.",
		"add_key_to_source_control": "It has no effect.",
		"akamai":                    "Details for the provider akamai.",
		"aws":                       "Details for the provider aws.",
		"behind_nat":                "Whether the machine is behind a router, which forwards a port to SSH.",
		"checked_at":                "When the server was last checked.",
		"command":                   "The command to run as root on the machine.",
		"confirmed":                 "The host keys that Hostler trusts.",
		"connection_status":         "Whether the server can be reached; null until it was first tried.",
		"count":                     "The number of resources.",
		"credential_id":             "The id of the server credential, with which the cloud provider is asked; null or omitted for custom.",
		"custom":                    "Details for the provider custom.",
		"database_type":             "The database to install; null for none.",
		"db_status":                 "running or stopped, after an action on the database service; null if there was none.",
		"differences":               "What differs on the server from what was set up.",
		"enable_daily_backups":      "Whether the cloud provider backs up the machine every day, which costs more.",
		"enable_weekly_backups":     "Whether the cloud provider backs up the machine every week, which costs more.",
		"expires_at":                "When the command stops working.",
		"fingerprint":               "The SHA-256 fingerprint of the key.",
		"hetzner":                   "Details for the provider hetzner.",
		"identifier":                "The id of the machine at the cloud provider; null for custom servers.",
		"ip_address":                "The public IP address.",
		"is_ready":                  "Whether the server is set up.",
		"laravel":                   "It has no effect.",
		"local_public_key":          "The public key of the server's own SSH key; null until there is one.",
		"moves":                     "How many resources of each type are transferred.",
		"name":                      "The name of the server.",
		"nat_ssh_port":              "The public port that the router forwards to SSH; null for ssh_port.",
		"network_id":                "The id of the private network at the cloud provider.",
		"ocean2":                    "Details for the provider ocean2, which is DigitalOcean.",
		"opcache_status":            "The state of OPcache; null if it is not known.",
		"path":                      "The file that differs; empty if the difference is no file.",
		"pending":                   "The number of packages that can be updated.",
		"php_cli_version":           "The version of PHP of the command line; null if the server has none.",
		"php_version":               "The version of PHP of new sites.",
		"presented":                 "The host keys that the server presented when it was last reached.",
		"private_ip_address":        "The address in the private network; null if there is none.",
		"provider":                  "The cloud provider; custom for a machine of your own. The field of this name has the details.",
		"public_key":                "The public key, in the form of OpenSSH.",
		"recipe_id":                 "A recipe that runs when the server is set up; null for none.",
		"redis_status":              "Always null.",
		"region":                    "The code of the region at the cloud provider; empty for custom servers.",
		"region_id":                 "The code of the region, as the provider's regions list it.",
		"revoked":                   "Whether Hostler has given up its access to the server.",
		"server_id":                 "The id of the server.",
		"size":                      "The code of the size at the cloud provider; empty for custom servers.",
		"size_id":                   "The code of the size, as the region's sizes list it.",
		"slug":                      "The name in a form for addresses.",
		"ssh_port":                  "The port of SSH on the machine.",
		"step":                      "The step of the setup whose result differs.",
		"subnet_uuid":               "The id of the subnet at the cloud provider.",
		"tags":                      "The names of the server's tags. Missing ones are created.",
		"team_id":                   "A team to share the server with from the start.",
		"text":                      "What the effect is, in a sentence.",
		"timezone":                  "The time zone of the server, an IANA name such as Europe/Berlin.",
		"type":                      "What the server is for.",
		"vpc_uuid":                  "The id of the private network at the cloud provider.",
		"vultr":                     "Details for the provider vultr.",
		"warning":                   "What to consider before running the command.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"CreateServerRequest.database_type": {
			"mysql84", "mysql9", "mariadb1011", "mariadb114", "postgres14", "postgres15", "postgres16", "postgres17", "postgres18",
		},
		"CreateServerRequest.php_version": value.PHPVersionNames(),
	}
}
