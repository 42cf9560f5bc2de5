package app

// tags are the groups of the operations, in the order of the contract.
func tags() []string {
	return []string{
		"Roles", "Sites", "Organizations", "Storage Providers", "Recipes", "Servers", "Background Processes", "Nginx", "Databases", "Backups", "Monitors",
		"Firewall Rules", "Logs", "SSH Keys", "SFTP Users", "Scheduled Jobs", "Security Rules", "Redirect Rules", "Integrations", "Deployments", "Commands", "Teams",
		"Server Credentials", "User", "Providers", "Account", "Source Control", "DNS Providers", "Notifications",
	}
}
