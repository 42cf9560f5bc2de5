package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/cli"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/audit"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// inStore runs f in one transaction of the installation that c names, whether or not a server is running.
func inStore(ctx context.Context, c app.Config, f func(ctx context.Context, tx *db.Tx) error) error {
	store, err := app.OpenStore(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return store.DB.Tx(ctx, f)
}

func newUserCommand() *cobra.Command {
	var c app.Config
	var email, name string
	var fromStdin bool
	create := &cobra.Command{Use: "create", Short: "Create a user", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if !fromStdin {
			return errors.New("pass the password on standard input with --password-stdin; arguments are visible to other users of this machine")
		}
		password, err := readLine(cmd.InOrStdin())
		if err != nil {
			return err
		}
		return inStore(cmd.Context(), c, func(ctx context.Context, tx *db.Tx) error {
			user, err := account.CreateUser(ctx, tx, name, email, secret.String(password))
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Created user %d, %s\n", user.ID, user.Email)
			return nil
		})
	}}
	storeFlags(create, &c)
	create.Flags().StringVar(&email, "email", "", "email address")
	create.Flags().StringVar(&name, "name", "", "name (default: the part of the address before the @)")
	create.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from standard input")
	_ = create.MarkFlagRequired("email")
	cmd := &cobra.Command{Use: "user", Short: "Manage users of this installation"}
	cmd.AddCommand(create)
	return cmd
}

func readLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func newOrgCommand() *cobra.Command {
	var c app.Config
	var owner, name string
	create := &cobra.Command{Use: "create SLUG", Short: "Create an organization", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		return inStore(cmd.Context(), c, func(ctx context.Context, tx *db.Tx) error {
			user, err := account.FindUser(ctx, tx, owner)
			if err != nil {
				return err
			}
			if name == "" {
				name = args[0]
			}
			org, err := organization.Create(ctx, tx, name, args[0], user.ID)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Created organization %d, %s, owned by %s\n", org.ID, org.Slug, user.Email)
			return nil
		})
	}}
	storeFlags(create, &c)
	create.Flags().StringVar(&owner, "owner", "", "owner's email address")
	create.Flags().StringVar(&name, "name", "", "name (default: the slug)")
	_ = create.MarkFlagRequired("owner")
	cmd := &cobra.Command{Use: "org", Short: "Manage organizations of this installation"}
	cmd.AddCommand(create)
	return cmd
}

func newTokenCommand() *cobra.Command {
	var c app.Config
	var user, name, scopes string
	var expires time.Duration
	create := &cobra.Command{
		Use: "create", Short: "Create a personal access token and print it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := parseScopes(scopes)
			if err != nil {
				return err
			}
			return inStore(cmd.Context(), c, func(ctx context.Context, tx *db.Tx) error {
				owner, err := account.FindUser(ctx, tx, user)
				if err != nil {
					return err
				}
				var until *time.Time
				if expires > 0 {
					t := tx.Now.Add(expires)
					until = &t
				}
				token, _, err := account.CreateToken(ctx, tx, owner.ID, name, set, until)
				if err != nil {
					return err
				}
				_, _ = fmt.Fprintln(cmd.OutOrStdout(), token.Reveal())
				return nil
			})
		},
	}
	storeFlags(create, &c)
	create.Flags().StringVar(&user, "user", "", "user's email address")
	create.Flags().StringVar(&name, "name", "cli", "token name")
	create.Flags().StringVar(&scopes, "scope", "", "scopes, comma-separated; * for all")
	create.Flags().DurationVar(&expires, "expires-in", 0, "validity period (default: does not expire)")
	_ = create.MarkFlagRequired("user")
	_ = create.MarkFlagRequired("scope")
	cmd := &cobra.Command{Use: "token", Short: "Manage personal access tokens"}
	cmd.AddCommand(create)
	return cmd
}

func newRegistrationCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{
		Use: "registration [open|closed]", Short: "Open or close registration",
		Args: cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{
			"open",
			"closed",
		}, Long: "Prints the setting if no argument is given. Registration is closed by default.", RunE: func(cmd *cobra.Command, args []string) error {
			return inStore(cmd.Context(), c, func(ctx context.Context, tx *db.Tx) error {
				if len(args) == 1 {
					if err := tx.PutSetting(ctx, account.SettingOpenRegistration, strconv.FormatBool(args[0] == "open")); err != nil {
						return fmt.Errorf("save the setting: %w", err)
					}
				}
				open, err := tx.Ungranted().GetSetting(ctx, account.SettingOpenRegistration)
				if err != nil && !errors.Is(err, db.ErrNotFound) {
					return fmt.Errorf("read the setting: %w", err)
				}
				text := "closed: accounts are created by invitation only"
				if open == "true" {
					text = "open: everyone can create an account"
				}
				_, _ = fmt.Fprintln(cmd.OutOrStdout(), "Registration is "+text)
				return nil
			})
		},
	}
	storeFlags(cmd, &c)
	return cmd
}

func newAuditCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{
		Use: "audit", Short: "Export the installation's audit log as JSON lines, oldest first",
		Long: "Exports the log of the whole installation, for its operator. The subcommands read an organization's log through the API.",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := app.OpenStore(cmd.Context(), c)
			if err != nil {
				return err
			}
			defer func() { _ = store.Close() }()
			return audit.Export(cmd.Context(), store.DB, nil, json.NewEncoder(cmd.OutOrStdout()).Encode)
		},
	}
	storeFlags(cmd, &c)
	cmd.AddCommand(cli.AuditCommands()...)
	return cmd
}

func parseScopes(text string) (access.Set, error) {
	if text == "*" {
		return access.SetOf(access.All()...), nil
	}
	var set access.Set
	for name := range strings.SplitSeq(text, ",") {
		p, err := access.Parse(strings.TrimSpace(name))
		if err != nil {
			return set, err
		}
		set = set.Add(p)
	}
	return set, nil
}
