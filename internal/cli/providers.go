package cli

import (
	"context"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var (
	providerColumns = []column{
		attribute("PROVIDER", "slug"), attribute("NAME", "name"), attribute("CURRENCY", "currency"),
		attribute("REGION", "default_region_code"), attribute("SIZE", "default_size_code"),
	}
	regionColumns = []column{attribute("CODE", "code"), attribute("NAME", "name")}
	sizeColumns   = []column{columnID, attribute("NAME", "name")}
	vpcColumns    = []column{columnID, attribute("NAME", "name"), attribute("RANGE", "cidrBlock"), attribute("REGION", "region")}
	vpcDetails    = []column{{"id", columnID.of}, attribute("name", "name"), attribute("range", "cidrBlock"), attribute("region", "region")}
)

func newProviders(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "providers", Short: "Show the built-in list of server providers, their regions and sizes"}
	c.AddCommand(newProvidersList(g, nil), newProvidersRegions(g, nil), newProvidersSizes(g, nil))
	return c
}

// provider returns the provider with this id or slug.
func (s *session) provider(ctx context.Context, what string) (client.Resource, error) {
	return s.pick(ctx, "/providers", "provider", "slug", what)
}

func newProvidersList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = providersList
	}
	return command(g, &cobra.Command{Use: "list", Short: "List providers"}, &none{}, nil, run)
}

func providersList(ctx context.Context, s *session, _ none) error {
	rows, err := s.client.All(ctx, "/providers")
	if err != nil {
		return err
	}
	return s.list(rows, providerColumns...)
}

func newProvidersRegions(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = providersRegions
	}
	var o named
	return command(g, &cobra.Command{Use: "regions PROVIDER", Short: "List the regions of a provider", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func providersRegions(ctx context.Context, s *session, o named) error {
	provider, err := s.provider(ctx, o.What)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, provider.Path()+"/regions")
	if err != nil {
		return err
	}
	return s.list(rows, regionColumns...)
}

type providersSizesOptions struct{ Provider, Region string }

func newProvidersSizes(g *globals, run func(context.Context, *session, providersSizesOptions) error) *cobra.Command {
	if run == nil {
		run = providersSizes
	}
	var o providersSizesOptions
	c := command(g, &cobra.Command{
		Use: "sizes PROVIDER", Short: "List the sizes of a provider, or of one of its regions", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Provider = args[0] }, run)
	c.Flags().StringVar(&o.Region, "region", "", "code of a region")
	return c
}

func providersSizes(ctx context.Context, s *session, o providersSizesOptions) error {
	of, err := s.provider(ctx, o.Provider)
	if err != nil {
		return err
	}
	if o.Region != "" {
		if of, err = s.pick(ctx, of.Path()+"/regions", "region", "code", o.Region); err != nil {
			return err
		}
	}
	rows, err := s.client.All(ctx, of.Path()+"/sizes")
	if err != nil {
		return err
	}
	return s.list(rows, sizeColumns...)
}

func newVPCs(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "vpcs", Short: "Manage private networks at a server provider"}
	c.AddCommand(newVPCsList(g, nil), newVPCsCreate(g, nil))
	return c
}

type vpcsOptions struct{ Credential, Region, Name string }

// vpcs returns the path of the networks of a region.
func (s *session) vpcs(ctx context.Context, o vpcsOptions) (string, error) {
	credential, err := s.credential(ctx, o.Credential)
	if err != nil {
		return "", err
	}
	return credential.Path() + "/regions/" + url.PathEscape(o.Region) + "/vpcs", nil
}

func newVPCsList(g *globals, run func(context.Context, *session, vpcsOptions) error) *cobra.Command {
	if run == nil {
		run = vpcsList
	}
	var o vpcsOptions
	return command(g, &cobra.Command{Use: "list CREDENTIAL REGION", Short: "List the networks of a region", Args: cobra.ExactArgs(2)}, &o,
		func(args []string) { o.Credential, o.Region = args[0], args[1] }, run)
}

func vpcsList(ctx context.Context, s *session, o vpcsOptions) error {
	path, err := s.vpcs(ctx, o)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path)
	if err != nil {
		return err
	}
	return s.list(rows, vpcColumns...)
}

func newVPCsCreate(g *globals, run func(context.Context, *session, vpcsOptions) error) *cobra.Command {
	if run == nil {
		run = vpcsCreate
	}
	var o vpcsOptions
	return command(g, &cobra.Command{Use: "create CREDENTIAL REGION NAME", Short: "Create a network", Args: cobra.ExactArgs(3)}, &o,
		func(args []string) { o.Credential, o.Region, o.Name = args[0], args[1], args[2] }, run)
}

func vpcsCreate(ctx context.Context, s *session, o vpcsOptions) error {
	path, err := s.vpcs(ctx, o)
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodPost, path, map[string]any{"name": o.Name})
	if err != nil {
		return err
	}
	return s.one(r, vpcDetails...)
}
