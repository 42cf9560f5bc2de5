package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// completeWithin is how long a shell may wait for the names of resources.
const completeWithin = 3 * time.Second

// completeArguments completes the names of resources, as the API lists them below what was named before.
func completeArguments(g *globals, op description.Operation) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(op.Arguments) || op.Arguments[len(args)].Field || len(op.Arguments[len(args)].By) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a := op.Arguments[len(args)]
		return completeNames(g, cmd, a.By[0], begun, func(ctx context.Context, s *session) (string, error) {
			if a.Name == "site" {
				return s.path("/sites")
			}
			above, _, _ := strings.Cut(op.Path, "/{"+a.Name+"}")
			found, err := s.target(ctx, description.Operation{Path: above, Arguments: op.Arguments[:len(args)]}, args)
			return found.path, err
		})
	}
}

// completeField completes the names of what a field refers to.
func completeField(g *globals, c *cobra.Command, op description.Operation, f description.Field) {
	if f.Of == nil {
		return
	}
	_ = c.RegisterFlagCompletionFunc(f.Flag, func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		before, last := "", begun
		if i := strings.LastIndexByte(begun, ','); i >= 0 && f.Type == description.Numbers {
			before, last = begun[:i+1], begun[i+1:]
		}
		names, end := completeNames(g, cmd, f.Of.By[0], last, func(ctx context.Context, s *session) (string, error) {
			n := min(len(args), len(op.Arguments))
			found, err := s.target(ctx, description.Operation{Path: op.Path, Arguments: op.Arguments[:n]}, args[:n])
			return op.Within(f.Of.Lists[0], found.path), err
		})
		for i := range names {
			names[i] = before + names[i]
		}
		return names, end
	})
}

// completeNames completes the names of the resources of a list.
func completeNames(
	g *globals, cmd *cobra.Command, by, begun string, list func(ctx context.Context, s *session) (string, error),
) ([]string, cobra.ShellCompDirective) {
	if g.fromEnvironment(cmd) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	s, err := g.open(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
	defer cancel()
	path, err := list(ctx, s)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	_ = s.client.Each(ctx, path, func(r client.Resource) bool { // without an answer nothing is completed
		if name := text.VisibleLine(r.Text(by)); strings.HasPrefix(name, begun) {
			out = append(out, name)
		}
		return true
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}
