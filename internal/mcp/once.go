package mcp

// once returns where a person gets at the secret that an operation shows a single time, in the answer that creates it: an assistant is not shown it, so that
// it is lost. It is "" if there is none, such as where the body has a password. The test that an assistant reaches every operation knows which there are.
func (o operation) once(body map[string]any) string {
	given := func(field string) bool { v, is := body[field]; return is && v != nil && v != "" && v != false }
	switch o.ID {
	case "organizations.oauth-clients.store":
		if given("confidential") {
			return "It is the client's secret: under OAuth clients of the organization, a person makes a new one."
		}
	case "organizations.oauth-clients.update":
		if given("new_secret") {
			return "It is the client's secret, and the old one ends: a person makes the new one, under OAuth clients of the organization."
		}
	case "organizations.servers.sites.webhooks.store", "organizations.servers.sites.webhooks.secret.update":
		return "It is the secret that deliveries are signed with: a person makes a new one in the dashboard, with New secret beside the webhook."
	case "organizations.notification-channels.store":
		if body["type"] == "webhook" {
			return "It is the secret that deliveries are signed with, which can't be replaced: a person adds the channel, in the settings of the organization."
		}
	case "organizations.servers.store", "organizations.servers.line.store", "organizations.servers.key.update":
		return "It is the setup command of a server of one's own, or the password of the database account: a person generates a new command on the server's " +
			"page, and sets a new password under Databases."
	case "organizations.servers.database.users.store", "organizations.servers.database.schemas.store":
		if !given("password") && (o.ID != "organizations.servers.database.schemas.store" || given("user")) {
			return "It is the password of the database user: a person sets a new one under Databases. With the field password, none is generated."
		}
	case "organizations.servers.sites.store":
		if body["type"] == "wordpress" && !given("repository") && (!given("wordpress_password") || !given("wordpress_user")) {
			return "It is the account of WordPress's administrator: a person creates the site, or gives wordpress_user and wordpress_password."
		}
	case "organizations.invites.store", "organizations.teams.invites.store", "organizations.teams.store":
		if o.ID != "organizations.teams.store" || given("invites") {
			return "It is the link of the invitation, where the panel has no mail server to send it: a person invites again, in the dashboard."
		}
	case "organizations.backup-keys.export.store":
		return "It is the key of the backups: a person exports it, with Export key."
	}
	return ""
}

// held reports whether a call has to name a plan.
func (r request) held() bool { return r.op.Plans || r.op.destroys() || r.op.once(r.body) != "" }
