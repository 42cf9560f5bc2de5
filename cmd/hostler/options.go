package main

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/retention"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
)

// options are the settings of an installation as they are written.
type options struct {
	c                                     app.Config
	metricsToken, acmeRoots, challengeDNS string
	runtimeKeys                           map[string]string
	proxies                               []string
}

// storeFlags are the flags of every command that opens the database.
func storeFlags(cmd *cobra.Command, c *app.Config) { addStoreFlags(cmd.Flags(), c) }

func addStoreFlags(f *pflag.FlagSet, c *app.Config) {
	f.String(settingsFlag, "", "settings file (default: "+settingsFile+", if there is one)")
	f.StringVar(&c.DataDir, "data-dir", "hostler-data", "directory for the master key and the embedded database")
	f.StringVar(&c.DatabaseURL, "database-url", "", "PostgreSQL instead of the embedded database: postgres://user@host/name")
	f.StringVar(&c.MasterKeyFile, "master-key-file", "", "master key file (default: master.key in the data directory)")
	markSettings(f)
}

// flags adds a flag for each setting.
func (o *options) flags(f *pflag.FlagSet) {
	c := &o.c
	addStoreFlags(f, c)
	f.StringVar(&c.Listen, "listen", "127.0.0.1:8080", "address to listen on")
	f.StringVar(&c.HTTPListen, "http-listen", "",
		"second address, for plain HTTP: redirects to the base URL, and answers the certificate authority's challenges (with TLS)")
	f.StringVar(&c.TLSCertificateFile, "tls-certificate-file", "", "PEM file with the panel's certificate and its intermediates; enables HTTPS")
	f.StringVar(&c.TLSKeyFile, "tls-key-file", "", "PEM file with the certificate's key")
	f.BoolVar(&c.TLSACME, "tls-acme", false, "serve HTTPS with a certificate for the base URL from the authority of acme-directory, whose terms you accept")
	f.StringVar(&c.BaseURL, "base-url", "", "public URL (default: http:// or, with TLS, https:// and the listen address)")
	f.StringVar(&c.AuthURL, "auth-url", "", "URL that serves OAuth (default: the base URL)")
	f.StringVar(&c.DashboardOrigin, "dashboard-origin", "",
		"origin of a dashboard served elsewhere on the same site: https://dash.example.com")
	f.StringVar(&c.SMTP.URL, "smtp-url", "", "mail server: smtp://user@mail.example.com:587, or smtps://; without it, links are written to the log")
	f.StringVar(&c.SMTP.From, "smtp-from", "", "sender address of mail")
	f.StringVar(&c.SMTP.PasswordFile, "smtp-password-file", "", "file with the password of the mail server's user")
	f.StringSliceVar(&o.proxies, "trusted-proxy", nil, "trusted proxy networks for X-Forwarded-For: 10.0.0.0/8")
	f.DurationVar(&c.AccessTokenLife, "access-token-life", oauth.DefaultAccessLife, "lifetime of OAuth access tokens")
	f.DurationVar(&c.RefreshTokenLife, "refresh-token-life", oauth.DefaultRefreshLife, "lifetime of OAuth refresh tokens")
	f.IntVar(&c.RateLimit, "rate-limit", api.DefaultRateLimit, "requests per minute for each token, user or address (minimum 60)")
	f.StringVar(&c.LocalStorage, "local-storage", "", "directory on this machine for backups (endpoint file:///)")
	f.Int64Var(&c.BackupStorage, "backup-storage", 0, "ID of the storage configuration that Hostler backs itself up to; 0 for none")
	f.DurationVar(&c.BackupEvery, "backup-every", 24*time.Hour, "how often Hostler backs itself up to backup-storage")
	days(f, &c.BackupKeep, "backup-keep-days", 30*24*time.Hour, "days to keep backups of Hostler in backup-storage")
	f.BoolVar(&c.AllowPrivateEndpoints, "allow-private-endpoints", false, "allow storage on this machine and in private networks")
	f.BoolVar(&c.AllowLocalServers, "allow-local-servers", false, "allow servers with loopback and link-local addresses (for tests only)")
	f.DurationVar(&c.CloudEvery, "cloud-every", 10*time.Second, "how often a server provider is polled about a server being created or destroyed (for tests only)")
	f.StringToStringVar(&c.Clouds, "cloud-endpoint", nil,
		"address of a server provider's API instead of the real one (for tests only): hetzner=http://127.0.0.1:9000")
	f.StringVar(&c.ACMEDirectory, "acme-directory", certificate.LetsEncryptDirectory, "directory URL of the certificate authority")
	f.StringVar(&o.acmeRoots, "acme-ca-file", "", "PEM certificates to trust for the authority's directory instead of the system's")
	f.StringToStringVar(&c.RuntimeMirrors, "runtime-mirror", nil,
		"where servers fetch versions of a runtime from, instead of its project: node=https://mirror.example.com/dist")
	f.StringToStringVar(&o.runtimeKeys, "runtime-keys", nil,
		"file of the public keys that may sign a runtime, instead of those of its project: node=FILE")
	f.StringVar(&c.ChallengeZone, "challenge-zone", "", "zone that domains delegate their DNS challenges to with one CNAME: acme.example.com")
	f.StringVar(&o.challengeDNS, "challenge-dns-file", "", "JSON file that describes how to publish records in that zone (docs/sites.md)")
	f.StringSliceVar(&c.Nameservers, "nameserver", nil, "nameservers for DNS lookups, instead of this machine's: 192.0.2.53:53")
	f.StringVar(&o.metricsToken, "metrics-token", "", "token for access to /metrics from other machines")
	f.StringVar(&c.OTLPEndpoint, "otlp-endpoint", "", "collector of OpenTelemetry traces over OTLP/HTTP: http://127.0.0.1:4318 (default: none)")
	f.StringVar(&c.UpdateURL, "update-url", releaseIndex, "signed index of releases")
	f.BoolVar(&c.UpdateCheck, "update-check", true, "check for a newer release once a day, and report it in attention")
	f.BoolVar(&c.HoldRollout, "hold-rollout", false, "after an update, do not apply what the new version sets up to existing servers; repairs do")
	keep := retention.Defaults()
	days(f, &c.Keep.Events, "keep-events-days", keep.Events, "days to keep events and their operations, except the newest operation of an existing resource")
	days(f, &c.Keep.Output, "keep-output-days", keep.Output, "days to keep the output of events")
	days(f, &c.Keep.Audit, "keep-audit-days", keep.Audit, "days to keep the audit log")
	days(f, &c.Keep.Deliveries, "keep-deliveries-days", keep.Deliveries, "days to keep sent webhooks and notifications")
	days(f, &c.Keep.Jobs, "keep-jobs-days", keep.Jobs, "days to keep ended jobs and runs")
	c.Keep.Answers, c.Keep.Minutes, c.Keep.Metrics = keep.Answers, keep.Minutes, keep.Metrics
	markSettings(f)
}

// days adds a flag for how long something is kept.
func days(f *pflag.FlagSet, to *time.Duration, name string, days time.Duration, usage string) {
	*to = days
	f.Var((*dayCount)(to), name, usage+"; 0 keeps them forever")
}

// dayCount is a duration in whole days.
type dayCount time.Duration

func (d *dayCount) String() string { return strconv.Itoa(int(time.Duration(*d) / (24 * time.Hour))) }
func (d *dayCount) Type() string   { return "days" }
func (d *dayCount) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return errors.New("it must be a number of days from 0 to 65535")
	}
	*d = dayCount(time.Duration(n) * 24 * time.Hour)
	return nil
}

// config returns what the options amount to, with the files that they name read.
func (o *options) config() (app.Config, error) {
	c := o.c
	c.Version, c.ReleaseKey = version, releaseKey
	for _, text := range o.proxies {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return c, fmt.Errorf("trusted-proxy %q is not a network such as 10.0.0.0/8", text)
		}
		c.TrustedProxies = append(c.TrustedProxies, prefix)
	}
	if o.acmeRoots != "" {
		text, err := os.ReadFile(o.acmeRoots)
		if err != nil {
			return c, fmt.Errorf("read acme-ca-file: %w", err)
		}
		c.ACMERoots = x509.NewCertPool()
		if !c.ACMERoots.AppendCertsFromPEM(text) {
			return c, fmt.Errorf("acme-ca-file %s contains no PEM certificate", o.acmeRoots)
		}
	}
	c.RuntimeKeys = map[string][]byte{}
	for name, file := range o.runtimeKeys {
		var err error
		if c.RuntimeKeys[name], err = os.ReadFile(file); err != nil {
			return c, fmt.Errorf("read runtime-keys: %w", err)
		}
	}
	if (o.challengeDNS == "") != (c.ChallengeZone == "") {
		return c, errors.New("challenge-zone and challenge-dns-file must be used together")
	}
	if o.challengeDNS != "" {
		text, err := os.ReadFile(o.challengeDNS)
		if err != nil {
			return c, fmt.Errorf("read challenge-dns-file: %w", err)
		}
		if err := json.Unmarshal(text, &c.ChallengeDNS); err != nil {
			return c, fmt.Errorf("read challenge-dns-file %s: %w", o.challengeDNS, err)
		}
	}
	if c.BackupStorage != 0 && c.BackupEvery < time.Hour {
		return c, errors.New("backup-every must be at least an hour: 24h")
	}
	c.MetricsToken = app.Secret(o.metricsToken)
	return c, nil
}

// secretFiles are the files that contain secrets, among them the file of settings if it has one.
func (o *options) secretFiles(f *pflag.FlagSet) []string {
	var out []string
	for _, path := range []string{o.c.SMTP.PasswordFile, o.challengeDNS, o.c.TLSKeyFile} {
		if path != "" {
			out = append(out, path)
		}
	}
	for _, name := range []string{"metrics-token", "database-url", "smtp-url"} {
		flag := f.Lookup(name)
		path, _, fromFile := strings.Cut(source(flag), ":")
		if fromFile && printable(flag) != flag.Value.String() {
			return append(out, path)
		}
	}
	return out
}
