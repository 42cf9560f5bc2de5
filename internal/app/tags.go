package app

// tags are the groups of the contract's operations, in its order. Those of others follow.
func tags() []string {
	return []string{
		"Roles", "Sites", "Organizations", "Storage Providers", "Recipes", "Servers", "Background Processes", "Nginx", "Databases", "Backups", "Monitors",
		"Firewall Rules", "Logs", "SSH Keys", "Scheduled Jobs", "Security Rules", "Redirect Rules", "Integrations", "Deployments", "Commands", "Teams",
		"Server Credentials", "User", "Providers",
	}
}
