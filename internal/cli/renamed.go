package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/internal/description"
)

// split maps the old names of commands that are several now, or take other arguments, to what is said to who uses them.
var split = map[string]string{
	"logs site":     "hostler access-log show SITE, error-log show SITE, application-log show SITE, or clear in place of show",
	"logs server":   "hostler server-logs show SERVER LOG, or clear in place of show",
	"servers order": "hostler servers create NAME --provider PROVIDER --credential CREDENTIAL --region-id REGION --size-id SIZE",
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

// addRenamed adds the renamed commands under their old names, hidden.
func addRenamed(g *globals, nouns map[string]*cobra.Command, wanted func(noun string) bool) {
	for _, op := range description.Operations() {
		words := strings.Fields(op.Formerly)
		if len(words) == 0 || !wanted(words[0]) {
			continue
		}
		c := nouns[words[0]]
		if len(words) == 3 {
			c = hiddenBelow(c, words[1])
		}
		made := newOperation(g, op)
		_, arguments, _ := strings.Cut(made.Use, " ")
		made.Use, made.Aliases, made.Hidden = strings.TrimSpace(words[len(words)-1]+" "+arguments), nil, true
		made.Deprecated = "it is called hostler " + op.Noun + " " + op.Verb + " now"
		c.AddCommand(made)
	}
}

// addSplit adds the old names of commands that have no single new one. Each fails with a line that says the new commands.
func addSplit(g *globals, commands []*cobra.Command, nouns map[string]*cobra.Command) []*cobra.Command {
	for old, now := range split {
		noun, verb, _ := strings.Cut(old, " ")
		if nouns[noun] == nil {
			nouns[noun] = &cobra.Command{Use: noun, Args: unknownCommand, RunE: showHelp, Hidden: true}
			commands = append(commands, nouns[noun])
		}
		gone := offline(g, &cobra.Command{Use: verb, Short: "Is called otherwise", Hidden: true, DisableFlagParsing: true, Args: cobra.ArbitraryArgs},
			func(context.Context, streams, []string) error {
				return usage("hostler %s is called otherwise now: %s", old, now)
			})
		nouns[noun].AddCommand(gone)
	}
	return commands
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
