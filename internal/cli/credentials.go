package cli

import (
	"context"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var credentialColumns = []column{columnID, attribute("NAME", "name"), attribute("PROVIDER", "provider"), attribute("USED", "in_use")}

var credentialDetails = []column{{"id", columnID.of}, attribute("name", "name"), attribute("provider", "provider"), attribute("used", "in_use")}

func newCredentials(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "credentials", Short: "Manage server provider credentials"}
	c.AddCommand(newCredentialsList(g, nil), newCredentialsAdd(g, nil), newCredentialsUpdate(g, nil), newCredentialsDelete(g, nil), newCredentialsSizes(g, nil))
	return c
}

// credential returns a credential with this id or name.
func (s *session) credential(ctx context.Context, what string) (client.Resource, error) {
	list, err := s.path("/server-credentials")
	if err != nil {
		return client.Resource{}, err
	}
	return s.pick(ctx, list, "credential", "name", what)
}

func newCredentialsList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = credentialsList
	}
	return command(g, &cobra.Command{Use: "list", Short: "List credentials"}, &none{}, nil, run)
}

func credentialsList(ctx context.Context, s *session, _ none) error {
	path, err := s.path("/server-credentials")
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path)
	if err != nil {
		return err
	}
	return s.list(rows, credentialColumns...)
}

// offerColumns show a size with its price of a month, which not every provider says.
var offerColumns = []column{columnID, attribute("NAME", "name"), {"PRICE A MONTH", func(r client.Resource) string {
	price, currency := attribute("", "price_monthly").of(r), attribute("", "currency").of(r)
	if price == "" {
		return "not known"
	}
	return price + " " + currency
}}}

type credentialsSizesOptions struct{ Credential, Region string }

func newCredentialsSizes(g *globals, run func(context.Context, *session, credentialsSizesOptions) error) *cobra.Command {
	if run == nil {
		run = credentialsSizes
	}
	var o credentialsSizesOptions
	return command(g, &cobra.Command{
		Use: "sizes CREDENTIAL REGION", Short: "List the sizes available in a region, with their prices",
		Args: cobra.ExactArgs(2),
	},
		&o, func(args []string) { o.Credential, o.Region = args[0], args[1] }, run)
}

func credentialsSizes(ctx context.Context, s *session, o credentialsSizesOptions) error {
	credential, err := s.credential(ctx, o.Credential)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, credential.Path()+"/regions/"+url.PathEscape(o.Region)+"/sizes")
	if err != nil {
		return err
	}
	return s.list(rows, offerColumns...)
}

type credentialsWriteOptions struct {
	What, Name, Provider, Key string
	// Secret is set if a new secret is to be read.
	Secret bool
}

func newCredentialsAdd(g *globals, run func(context.Context, *session, credentialsWriteOptions) error) *cobra.Command {
	if run == nil {
		run = credentialsAdd
	}
	var o credentialsWriteOptions
	c := command(g, &cobra.Command{
		Use: "add NAME --provider PROVIDER", Short: "Add a credential", Args: cobra.ExactArgs(1),
		Long: "The secret (an API token or secret key) is read from a prompt or standard input. It is never shown again.",
	}, &o, func(args []string) { o.Name, o.Secret = args[0], true }, run)
	c.Flags().StringVar(&o.Provider, "provider", "", "aws, ocean2, hetzner, vultr or akamai")
	c.Flags().StringVar(&o.Key, "key", "", "access key ID, if the provider uses one")
	_ = c.MarkFlagRequired("provider")
	_ = c.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions([]string{"aws", "ocean2", "hetzner", "vultr", "akamai"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

func credentialsAdd(ctx context.Context, s *session, o credentialsWriteOptions) error {
	path, err := s.path("/server-credentials")
	if err != nil {
		return err
	}
	return s.writeCredential(ctx, http.MethodPost, path, o)
}

func (s *session) writeCredential(ctx context.Context, method, path string, o credentialsWriteOptions) error {
	body := map[string]any{}
	for key, value := range map[string]string{"name": o.Name, "provider": o.Provider, "key": o.Key} {
		if value != "" {
			body[key] = value
		}
	}
	if o.Secret {
		secret, err := s.readSecret(ctx, "Secret: ")
		if err != nil || secret == "" {
			return usage("no secret provided")
		}
		body["secret"] = secret
	}
	r, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	return s.one(r, credentialDetails...)
}

func newCredentialsUpdate(g *globals, run func(context.Context, *session, credentialsWriteOptions) error) *cobra.Command {
	if run == nil {
		run = credentialsUpdate
	}
	var o credentialsWriteOptions
	c := command(g, &cobra.Command{
		Use: "update CREDENTIAL", Short: "Edit a credential", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.What = args[0] }, run)
	c.Flags().StringVar(&o.Name, "name", "", "new name")
	c.Flags().StringVar(&o.Key, "key", "", "new access key ID")
	c.Flags().BoolVar(&o.Secret, "secret", false, "replace the secret, read from a prompt or standard input")
	c.MarkFlagsOneRequired("name", "key", "secret")
	return c
}

func credentialsUpdate(ctx context.Context, s *session, o credentialsWriteOptions) error {
	r, err := s.credential(ctx, o.What)
	if err != nil {
		return err
	}
	return s.writeCredential(ctx, http.MethodPut, r.Path(), o)
}

func newCredentialsDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = credentialsDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{
		Use: "delete CREDENTIAL", Short: "Delete a credential", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.What = args[0] }, run)
	o.yesFlag(c)
	return c
}

func credentialsDelete(ctx context.Context, s *session, o deleteOptions) error {
	r, err := s.credential(ctx, o.What)
	if err != nil {
		return err
	}
	return s.remove(ctx, o, "credential", r, "It can no longer be used. Servers at the provider are not affected.")
}
