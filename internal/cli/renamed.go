package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
