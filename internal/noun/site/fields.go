package site

import "github.com/hostlerhq/hostler/internal/ground/value"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateSiteRequest.repository": "The repository: owner/name at a provider, or the address for custom; null for none.",
		"limits": "How much of its server all that runs for the site may use. Replaces all limits: what is left out has none. " +
			"Deployments have the same limits once more for themselves. A new site without it has those of its organization (site_limits).",
		"MaintenanceMode.enabled": "Whether the maintenance page is shown.",
		"MaintenanceMode.status":  "The change in progress; null if there is none.",
		"Node.backup":             "Whether the node is only used while all others are unavailable.",
		"Node.down":               "Whether the node gets no requests.",
		"Node.port":               "The port of the node.",
		"Node.weight":             "The node's share of the requests, relative to the others.",
		"start_command": "One line that starts the site's own program, which listens on port $PORT of 127.0.0.1: a shell runs it in " +
			"the directory of the release, as the site's account. For sites of the types other, custom, nextjs and nuxtjs; null for what the type says " +
			"(npm start).",
		"Relationships.tags":  "The tags of the site.",
		"Repository.branch":   "The branch that is deployed; null without a repository.",
		"Repository.provider": "The kind of the repository's provider; custom for any other address.",
		"Repository.status":   "Whether the code is on the server; null without a repository.",
		"Repository.url":      "The repository: owner/name at a provider, or the address for custom; null for none.",
		"runtime": "What runs the site's programs, processes, jobs, commands and deploy scripts: system is the Node.js of the " +
			"server's distribution, node, bun and deno are a version of the site's own; python, ruby and go are what the server's distribution has " +
			"of these languages, and go with a runtime_version is a version of the site's own. Default system.",
		"runtime_version": "The version of the runtime: 20, 22, 24 or 26 of node, 2 of deno or one like 1.25 of go for the newest release of " +
			"that line, which stays until this field is sent again, or an exact version like 22.11.0. bun has exact versions only.",
		"SiteAttributes.deployment_retention": "How many releases are kept; null without releases.",
		"SiteAttributes.php_version":          "The version of PHP; empty for sites without PHP.",
		"SiteAttributes.repository":           "Where the site's code comes from.",
		"SiteAttributes.status": "What the site serves. It is installed until there is a deployment, never-deployed while none has succeeded, and " +
			"deployed after that, whatever fails later.",
		"SiteRelationships.tags":        "The tags of the site.",
		"aliases":                       "Further domain names of the site.",
		"allow_wildcard_subdomains":     "Whether all subdomains are served as well.",
		"app_type":                      "The kind of the application, for people.",
		"branch":                        "The branch to deploy; null for the default.",
		"database":                      "The name of the site's database; null if there is none.",
		"database_id":                   "A database of the server that the site uses.",
		"database_user_id":              "The user with which the site opens the database.",
		"deployment_retention":          "How many releases are kept, 1 to 100.",
		"deployment_script":             "The deploy script; null if there is none.",
		"deployment_url":                "The address whose call deploys the site. It contains a secret, which only those who may manage deployments see.",
		"domain_mode":                   "Always custom: an installation has no domain for sites.",
		"frontend_build_command":        "The command that builds the frontend: one line of at most 1000 characters.",
		"frontend_package_manager":      "The package manager of the frontend, with which deployments install and build.",
		"generate_deploy_key":           "Whether the site gets an SSH key of its own to read the repository.",
		"healthcheck_url":               "The URL that is requested after a deployment; null for none.",
		"https":                         "Whether the site is served over HTTPS.",
		"install_composer_dependencies": "Whether deployments install the packages of composer.lock.",
		"isolated":                      "Whether the site has an account of its own.",
		"isolated_user":                 "The account of an isolated site, of at most 32 characters: lower case, digits, - and _.",
		"keepalive_max_connections":     "How many idle connections to the nodes are kept open.",
		"latestDeployment":              "The newest deployment; null if there is none.",
		"maintenance_mode":              "Whether the site shows its maintenance page.",
		"method":                        "How a node is chosen: round_robin, least_conn or ip_hash.",
		"name":                          "The domain that names the site.",
		"nginx_template_id":             "The nginx template of the site's configuration. Without it, the built-in one is used.",
		"nuxt_next_mode":                "For nextjs and nuxtjs: whether the application runs as a program (server) or is served as files (static).",
		"nuxt_next_port":                "The port on which the application's program listens. Without it, a free one is chosen.",
		"php_version":                   "The version of PHP. Without it, new sites get the server's.",
		"private_deploy_key":            "The private key of a deploy key of your own. It is never returned.",
		"public_deploy_key":             "The public key of a deploy key of your own; it must match the private key.",
		"push_to_deploy":                "Whether a push to the branch deploys the site.",
		"quick_deploy":                  "Whether a push to the branch deploys the site; null without a repository.",
		"redirectRules":                 "The redirect rules of the site.",
		"root_directory":                "The directory of the application in the repository; null for its top.",
		"root_path":                     "The directory of the application in the repository; null for its top.",
		"securityRules":                 "The security rules of the site.",
		"server":                        "The server of the site.",
		"shared_paths":                  "The paths of a release that all releases share, at most 50.",
		"source_control_provider":       "The kind of the repository's provider; custom for any other address.",
		"source_control_provider_id":    "The id of the connection to the provider.",
		"statamic_setup":                "It has no effect.",
		"statamic_starter_kit":          "It has no effect.",
		"statamic_super_user_email":     "It has no effect.",
		"statamic_super_user_password":  "It has no effect.",
		"tags":                          "The names of the site's tags. Missing ones are created.",
		"type":                          "The kind of the application, which decides the nginx configuration and the first deploy script.",
		"url":                           "The address of the site.",
		"user":                          "The account that the site runs as.",
		"uses_envoyer":                  "Always false.",
		"web_directory":                 "The directory, below the root directory, whose files visitors can open.",
		"wildcards":                     "Whether all subdomains are served as well.",
		"www_redirect_type":             "Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither. Default none.",
		"zero_downtime_deployments":     "Whether each deployment gets a directory of its own, which is served once it is complete.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"CreateSiteRequest.php_version": value.PHPVersionNames(),
		"SiteAttributes.app_type": {
			"Statamic", "WordPress", "phpMyAdmin", "Laravel", "Symfony", "PHP", "Next.js", "Nuxt.js", "Static HTML", "Custom", "Craft", "Minecraft",
		},
		"SiteAttributes.status": {
			"installed", "creating", "removing", "installing", "uninstalling", "deployed", "never-deployed", "deploying", "failed", "maintenance",
		},
		"UpdateSiteRequest.php_version": value.PHPVersionNames(),
	}
}
