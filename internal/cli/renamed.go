package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/internal/description"
)

// renamed maps the old names of renamed commands to their operations. They are hidden, and are removed after the first release that has the new names.
var renamed = map[string]string{
	"servers network list":     "organizations.servers.network.show",
	"servers network set":      "organizations.servers.network.update",
	"servers monitors list":    "organizations.servers.monitors.index",
	"servers monitors add":     "organizations.servers.monitors.store",
	"servers monitors delete":  "organizations.servers.monitors.destroy",
	"servers php list":         "organizations.servers.php.versions.index",
	"servers php install":      "organizations.servers.php.versions.store",
	"servers php upgrade":      "organizations.servers.php.versions.update",
	"servers php remove":       "organizations.servers.php.versions.destroy",
	"databases users list":     "organizations.servers.database.users.index",
	"databases users add":      "organizations.servers.database.users.store",
	"databases users update":   "organizations.servers.database.users.update",
	"databases users delete":   "organizations.servers.database.users.destroy",
	"credentials sizes":        "organizations.server-credentials.sizes.index",
	"providers regions":        "providers.regions.index",
	"providers sizes":          "providers.sizes.index",
	"members invites":          "organizations.invites.index",
	"members invite":           "organizations.invites.store",
	"members uninvite":         "organizations.invites.destroy",
	"members role":             "organizations.members.update",
	"roles permissions":        "permissions.index",
	"teams rename":             "organizations.teams.update",
	"recipes runs":             "organizations.recipes.runs.index",
	"source-control connect":   "organizations.source-control-providers.store",
	"notifications deliveries": "organizations.notification-channels.deliveries.index",
	"webhooks deliveries":      "organizations.servers.sites.webhooks.deliveries.index",
	"webhooks delivery":        "organizations.servers.sites.webhooks.deliveries.show",
	"webhooks redeliver":       "organizations.servers.sites.webhooks.deliveries.redeliver.store",
	"servers archives":         "organizations.servers.archives.index",
	"servers services list":    "organizations.servers.services.index",
	"sites add-balancer":       "organizations.servers.sites.storeOnBalancer",
	"sites nodes list":         "organizations.servers.sites.load-balancing-nodes.index",
	"sites nodes set":          "organizations.servers.sites.load-balancing-nodes.update",
	"backups list":             "organizations.servers.database.backups.index",
	"backups runs":             "organizations.servers.database.backups.instances.index",
	"backups verify":           "organizations.servers.database.backups.instances.proofs.store",
	"backups delete":           "organizations.servers.database.backups.instances.destroy",
	"orgs retention":           "organizations.retention.update",
}

// renamedFlags maps the old names of flags to those that follow from the description.
var renamedFlags = map[string]string{
	"address": "ip-address", "private-address": "private-ip-address", "php": "php-version", "database": "database-type", "tag": "tags", "region": "region-id",
	"size": "size-id", "ubuntu": "ubuntu-version", "disk": "disk-size", "web-directory": "directory", "www": "www-redirect-type", "user": "isolated-user",
	"wildcard": "allow-wildcard-subdomains", "method": "balancer-method", "keepalive": "balancer-keepalive-max-connections", "node": "balancing",
	"security": "security-only", "preserve": "preserve-at-provider", "events": "events-days", "audit": "audit-days", "deliveries": "deliveries-days",
	"last": "limit",
}

// formerFlags gives flags the names that they had before: those of the table, and the whole names of fields and parameters.
func formerFlags(c *cobra.Command, op description.Operation) {
	former := maps.Clone(renamedFlags)
	for _, f := range slices.Concat(op.Fields, op.Query) {
		if strings.HasPrefix(f.Flag, "target-") { // every command has the flag that is called like the field
			continue
		}
		former[strings.NewReplacer("_", "-", ".", "-", "[", "-", "]", "").Replace(f.Name)] = f.Flag
	}
	maps.DeleteFunc(former, func(old, now string) bool { return c.Flags().Lookup(old) != nil || c.Flags().Lookup(now) == nil })
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now := former[name]; now != "" {
			name = now
		}
		return pflag.NormalizedName(name)
	})
}

// addRenamed adds the renamed commands under their old names.
func addRenamed(g *globals, nouns map[string]*cobra.Command, of map[string]description.Operation, wanted func(noun string) bool) {
	for old, id := range renamed {
		words := strings.Fields(old)
		c := nouns[words[0]]
		if !wanted(words[0]) {
			continue
		}
		if len(words) == 3 {
			c = hiddenBelow(c, words[1])
		}
		made := newOperation(g, of[id])
		_, arguments, _ := strings.Cut(made.Use, " ")
		made.Use, made.Aliases, made.Hidden = strings.TrimSpace(words[len(words)-1]+" "+arguments), nil, true
		made.Deprecated = "it is called hostler " + of[id].Noun + " " + of[id].Verb + " now"
		c.AddCommand(made)
	}
}

// hiddenBelow returns a command's hidden command with a name.
func hiddenBelow(c *cobra.Command, name string) *cobra.Command {
	all := c.Commands()
	if i := slices.IndexFunc(all, func(sub *cobra.Command) bool { return sub.Name() == name }); i >= 0 {
		return all[i]
	}
	sub := &cobra.Command{Use: name, Args: unknownCommand, RunE: showHelp, Hidden: true}
	c.AddCommand(sub)
	return sub
}
