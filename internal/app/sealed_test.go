package app

import (
	"slices"
	"strings"
	"testing"
)

// Every sealed column says where its value goes: it is sent to an address that a request can change, and then that operation requires the secret again
// (TestASecretGoesOnlyWhereItWasTypedFor tries all of them), or else there is a reason why no request can send it anywhere else.
func TestEverySealedColumnSaysWhereItGoes(t *testing.T) {
	t.Parallel()
	const (
		here    = "read by Hostler alone"
		known   = "sent to whom it was made for, at an address that is sealed with it or never changes"
		host    = "sent to its server alone, which is known by its pinned host key"
		signs   = "signs, and is never sent"
		visitor = "compared with what a visitor sends"
	)
	goes := map[string]string{
		"backup_items.file_key": host, "backup_keys.identity": here, "certificates.next_private_key": host, "certificates.private_key": host,
		"database_users.password": host, "deployment_webhooks.address": known, "deployment_webhooks.secret": signs, "deployments.hook_variables": host,
		"dns_providers.secret": "organizations.dns-providers.update", "environments.content": host, "environments.encryption_key": here,
		"heartbeats.token": host, "idempotency_keys.response": here, "integrations.secret": visitor, "mails.sealed": known,
		"notification_channels.settings":         "organizations.notification-channels.update",
		"organization_acme_accounts.private_key": signs, "package_credentials.secret": "organizations.servers.sites.composer.credentials.update",
		"projects.hook_token": known, "projects.private_key": signs, "runs.run": host, "security_rules.credentials": visitor,
		"server_credentials.secret": "organizations.server-credentials.update", "servers.bootstrap_secret": host, "servers.next_private_key": signs,
		"servers.private_key": signs, "settings.archive": here, "shared_acme_accounts.private_key": signs,
		"source_control_providers.token": "organizations.source-control-providers.update", "storage_providers.secret": "organizations.storage-providers.update",
		"two_factors.secret": here,
	}
	description, err := Description(t.Context(), "https://hostler.example.com")
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range sealedCells {
		columns = append(columns, c.table+"."+c.column)
		switch to := goes[c.table+"."+c.column]; {
		case to == "":
			t.Errorf("nothing says where %s.%s is sent", c.table, c.column)
		case strings.HasPrefix(to, "organizations.") && !strings.Contains(string(description), `"`+to+`"`):
			t.Errorf("%s.%s: there is no operation %s", c.table, c.column, to)
		}
	}
	for column := range goes {
		if !slices.Contains(columns, column) && column != "settings.archive" {
			t.Errorf("%s is not sealed", column)
		}
	}
}
