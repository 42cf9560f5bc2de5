package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var credentialColumns = []column{columnID, attribute("NAME", "name"), attribute("PROVIDER", "provider"), attribute("USED", "in_use")}

var credentialDetails = []column{{"id", columnID.of}, attribute("name", "name"), attribute("provider", "provider"), attribute("used", "in_use")}

func newCredentials(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "credentials", Short: "Accounts at server providers"}
	c.AddCommand(newCredentialsList(g, nil), newCredentialsAdd(g, nil), newCredentialsUpdate(g, nil), newCredentialsDelete(g, nil))
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
	c := command(g, &cobra.Command{Use: "add NAME --provider PROVIDER", Short: "Connect an account", Args: cobra.ExactArgs(1),
		Long: "The secret, an API token or secret key, is read from a prompt or from standard input. It is never shown again."}, &o, func(args []string) { o.Name, o.Secret = args[0], true }, run)
	c.Flags().StringVar(&o.Provider, "provider", "", "aws, ocean2, hetzner, vultr or akamai")
	c.Flags().StringVar(&o.Key, "key", "", "access key id, if the provider has one")
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
			return usage("no secret was given")
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
		Use: "update CREDENTIAL", Short: "Change a credential", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.What = args[0] }, run)
	c.Flags().StringVar(&o.Name, "name", "", "a new name")
	c.Flags().StringVar(&o.Key, "key", "", "new access key id")
	c.Flags().BoolVar(&o.Secret, "secret", false, "prompt for a new secret, or read it from standard input")
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
	return s.remove(ctx, o, "credential", r, "It can no longer be used to create servers.")
}
