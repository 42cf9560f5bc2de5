package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/agentbin"
)

func newServeCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{Use: "serve", Short: "Serve the API and the dashboard", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		c, err := o.config()
		if err != nil {
			return err
		}
		return serve(cmd.Context(), c, cmd.OutOrStdout(), slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
	}}
	o.flags(cmd.Flags())
	cmd.Flags().BoolVar(&o.c.UntilReady, "until-ready", false, "exit as soon as requests can be answered")
	_ = cmd.Flags().MarkHidden("until-ready")
	return cmd
}

func serve(ctx context.Context, c app.Config, out io.Writer, log *slog.Logger) error {
	listener, err := (&app.App{Config: c}).Listen(ctx)
	if err != nil {
		return err
	}
	if c.BaseURL == "" {
		c.BaseURL = c.Scheme() + "://" + listener.Addr().String()
	}
	if c.Agents, err = agentbin.Load(); err != nil && !errors.Is(err, agentbin.ErrNotBuilt) {
		_ = listener.Close()
		return err
	}
	return app.Run(ctx, c, listener, log, func(ctx context.Context, a *app.App) error {
		link, err := a.SetupURL(ctx)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "Hostler is running at %s\n", c.BaseURL)
		if err := c.Encrypts(); err != nil {
			_, _ = fmt.Fprintf(out, "Warning: %v. For a certificate of Let's Encrypt, add --tls-acme --listen :443 --http-listen :80; "+
				"behind a proxy, add --trusted-proxy with its address.\n", err)
		}
		if link != "" {
			_, _ = fmt.Fprintf(out, "Create the first account (this link works once): %s\n", link)
		}
		return nil
	})
}

func newMigrateCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "migrate", Short: "Migrate the database schema", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		store, err := app.OpenStore(cmd.Context(), c)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintln(cmd.OutOrStdout(), "The schema is up to date.")
		return store.Close()
	}}
	storeFlags(cmd, &c)
	return cmd
}

func newOpenAPICommand() *cobra.Command {
	var base string
	cmd := &cobra.Command{Use: "openapi", Short: "Print the API description", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		raw, err := app.Description(cmd.Context(), base)
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(append(raw, '\n'))
		return err
	}}
	cmd.Flags().StringVar(&base, "base-url", "http://127.0.0.1:8080", "URL in the description")
	return cmd
}
