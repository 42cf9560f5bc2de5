package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
)

// completeWithin is how long a shell may wait for the names of resources.
const completeWithin = 3 * time.Second

// completeArguments completes the names of resources, as the API lists them below what was named before.
func completeArguments(g *globals, op description.Operation) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(op.Arguments) || op.Arguments[len(args)].Field || len(op.Arguments[len(args)].By) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if g.fromEnvironment(cmd) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s, err := g.open(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
		defer cancel()
		a := op.Arguments[len(args)]
		above, _, _ := strings.Cut(op.Path, "/{"+a.Name+"}")
		found, err := s.target(ctx, description.Operation{Path: above, Arguments: op.Arguments[:len(args)]}, args)
		if a.Name == "site" {
			found.path, err = s.path("/sites")
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		_ = s.client.Each(ctx, found.path, func(r client.Resource) bool { // without an answer nothing is completed
			if name := cell(r.Attribute(a.By[0])); strings.HasPrefix(name, begun) {
				out = append(out, name)
			}
			return true
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
