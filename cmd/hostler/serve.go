package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/agentbin"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
)

// storeFlags are the flags of every command that opens the database.
func storeFlags(cmd *cobra.Command, c *app.Config) {
	cmd.Flags().StringVar(&c.DataDir, "data-dir", "hostler-data", "directory for the master key and the embedded database")
	cmd.Flags().StringVar(&c.DatabaseURL, "database-url", "", "PostgreSQL instead of the embedded database: postgres://user@host/name")
	cmd.Flags().StringVar(&c.MasterKeyFile, "master-key-file", "", "master key file (default: master.key in the data directory)")
}

func newServeCommand() *cobra.Command {
	var c app.Config
	var metricsToken, acmeRoots, challengeDNS string
	var proxies []string
	cmd := &cobra.Command{Use: "serve", Short: "Serve the API and the dashboard", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		for _, text := range proxies {
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				return fmt.Errorf("--trusted-proxy %q is not a network such as 10.0.0.0/8", text)
			}
			c.TrustedProxies = append(c.TrustedProxies, prefix)
		}
		if acmeRoots != "" {
			text, err := os.ReadFile(acmeRoots)
			if err != nil {
				return fmt.Errorf("read --acme-ca-file: %w", err)
			}
			c.ACMERoots = x509.NewCertPool()
			if !c.ACMERoots.AppendCertsFromPEM(text) {
				return fmt.Errorf("--acme-ca-file %s contains no PEM certificate", acmeRoots)
			}
		}
		if (challengeDNS == "") != (c.ChallengeZone == "") {
			return errors.New("--challenge-zone and --challenge-dns-file must be used together")
		}
		if challengeDNS != "" {
			text, err := os.ReadFile(challengeDNS)
			if err != nil {
				return fmt.Errorf("read --challenge-dns-file: %w", err)
			}
			if err := json.Unmarshal(text, &c.ChallengeDNS); err != nil {
				return fmt.Errorf("read --challenge-dns-file %s: %w", challengeDNS, err)
			}
		}
		c.MetricsToken = app.Secret(metricsToken)
		return serve(cmd.Context(), c, cmd.OutOrStdout(), slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
	}}
	storeFlags(cmd, &c)
	cmd.Flags().StringVar(&c.Listen, "listen", "127.0.0.1:8080", "address to listen on")
	cmd.Flags().StringVar(&c.BaseURL, "base-url", "", "public URL (default: http:// and the listen address)")
	cmd.Flags().StringVar(&c.AuthURL, "auth-url", "", "URL that serves OAuth (default: the base URL)")
	cmd.Flags().StringVar(&c.DashboardOrigin, "dashboard-origin", "",
		"origin of a dashboard served elsewhere on the same site: https://dash.example.com")
	cmd.Flags().StringVar(&c.SMTP.URL, "smtp-url", "", "mail server: smtp://user@mail.example.com:587, or smtps://; without it, links are written to the log")
	cmd.Flags().StringVar(&c.SMTP.From, "smtp-from", "", "sender address of mail")
	cmd.Flags().StringVar(&c.SMTP.PasswordFile, "smtp-password-file", "", "file with the password of the mail server's user")
	cmd.Flags().StringSliceVar(&proxies, "trusted-proxy", nil, "trusted proxy networks for X-Forwarded-For: 10.0.0.0/8")
	cmd.Flags().DurationVar(&c.AccessTokenLife, "access-token-life", oauth.DefaultAccessLife, "lifetime of OAuth access tokens")
	cmd.Flags().DurationVar(&c.RefreshTokenLife, "refresh-token-life", oauth.DefaultRefreshLife, "lifetime of OAuth refresh tokens")
	cmd.Flags().IntVar(&c.RateLimit, "rate-limit", api.DefaultRateLimit, "requests per minute for each token, user or address (minimum 60)")
	cmd.Flags().StringVar(&c.LocalStorage, "local-storage", "", "directory on this machine for backups (endpoint file:///)")
	cmd.Flags().BoolVar(&c.AllowPrivateEndpoints, "allow-private-endpoints", false, "allow storage on this machine and in private networks")
	cmd.Flags().BoolVar(&c.AllowLocalServers, "allow-local-servers", false, "allow servers with loopback and link-local addresses (for tests only)")
	cmd.Flags().StringToStringVar(&c.Clouds, "cloud-endpoint", nil, "address of a server provider's API instead of the real one (for tests only): hetzner=http://127.0.0.1:9000")
	cmd.Flags().StringVar(&c.ACMEDirectory, "acme-directory", certificate.LetsEncryptDirectory, "directory URL of the certificate authority")
	cmd.Flags().StringVar(&acmeRoots, "acme-ca-file", "", "PEM certificates to trust for the authority's directory instead of the system's")
	cmd.Flags().StringVar(&c.ChallengeZone, "challenge-zone", "", "zone that domains delegate their DNS challenges to with one CNAME: acme.example.com")
	cmd.Flags().StringVar(&challengeDNS, "challenge-dns-file", "", "JSON file that describes how to publish records in that zone (docs/sites.md)")
	cmd.Flags().StringSliceVar(&c.Nameservers, "nameserver", nil, "nameservers for DNS lookups, instead of this machine's: 192.0.2.53:53")
	cmd.Flags().StringVar(&metricsToken, "metrics-token", "", "token for access to /metrics from other machines")
	return cmd
}

func serve(ctx context.Context, c app.Config, out io.Writer, log *slog.Logger) error {
	listener, err := (&app.App{Config: c}).Listen(ctx)
	if err != nil {
		return err
	}
	if c.BaseURL == "" {
		c.BaseURL = "http://" + listener.Addr().String()
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

func newDoctorCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "doctor", Short: "Check the installation", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		failed := 0
		for _, finding := range app.Doctor(cmd.Context(), c) {
			mark := "ok  "
			if finding.Err != nil {
				mark, failed = "FAIL", failed+1
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s  %s", mark, finding.Check)
			if finding.Err != nil {
				_, _ = fmt.Fprintf(cmd.OutOrStdout(), ": %v", finding.Err)
			}
			_, _ = fmt.Fprintln(cmd.OutOrStdout())
		}
		if failed > 0 {
			return &exitError{code: 1}
		}
		return nil
	}}
	storeFlags(cmd, &c)
	return cmd
}
