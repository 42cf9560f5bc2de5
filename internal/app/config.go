package app

import (
	"crypto/x509"
	"net/netip"
	"path/filepath"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/retention"
	"github.com/hostlerhq/hostler/internal/engine/update"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Config is what an operator sets.
type Config struct {
	// Listen is the address of the HTTP server.
	Listen string
	// HTTPListen is the address of a second server, which sends plain HTTP to the first; "" for none.
	HTTPListen string
	// TLSCertificateFile and TLSKeyFile make the panel serve HTTPS with a certificate of the operator's, and TLSACME with one of the authority's. Without
	// either it serves plain HTTP, behind a proxy.
	TLSCertificateFile, TLSKeyFile string
	TLSACME                        bool
	// HostKeys is the directory with the SSH host keys of this machine, by which it is recognized as a server; default /etc/ssh.
	HostKeys string
	// DataDir holds the master key and, without DatabaseURL, the database.
	DataDir string
	// DatabaseURL is postgres://… ; empty means SQLite in DataDir.
	DatabaseURL string
	// MasterKeyFile stands elsewhere than in DataDir, when not empty.
	MasterKeyFile string
	// BaseURL is what callers and servers see.
	BaseURL string
	// AuthURL is where OAuth lives, default BaseURL: another name of the same installation.
	AuthURL string
	// DashboardOrigin is the origin of a dashboard that is served elsewhere, below the same site as BaseURL; default none.
	DashboardOrigin string
	// Agents are the programs for hosts; without them no host can be worked on.
	Agents host.Binaries
	// SMTP is where mail goes; without it links are logged.
	SMTP mail.SMTP
	// Mail is another way to send, for tests.
	Mail mail.Sender
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// AccessTokenLife and RefreshTokenLife are those of OAuth, default an hour and 30 days.
	AccessTokenLife  time.Duration
	RefreshTokenLife time.Duration
	// ACMEDirectory is the certificate authority, default Let's Encrypt; ACMERoots are trusted for it in place of the system's.
	ACMEDirectory string
	ACMERoots     *x509.CertPool
	// RuntimeMirrors are where servers fetch runtimes of sites from, and RuntimeKeys the keys that may have signed them, by
	// name of a runtime; default those of its project.
	RuntimeMirrors map[string]string
	RuntimeKeys    map[string][]byte
	// ChallengeZone is the zone that domains delegate dns-01 challenges to, and ChallengeDNS what publishes in it. Without them dns-01 needs a DNS
	// provider of the organization's.
	ChallengeZone string
	ChallengeDNS  dns.Settings
	// Nameservers are asked in place of this machine's when it is looked what the DNS shows, as host:port.
	Nameservers []string
	// RateLimit is how many requests a minute a token may make, default 600.
	RateLimit int
	// AllowPrivateEndpoints lets people name storage, webhooks and the like on this machine and in private networks.
	AllowPrivateEndpoints bool
	// AllowLocalServers lets servers have loopback and link-local addresses, for tests.
	AllowLocalServers bool
	// LocalStorage is a directory for backups on this machine; "" keeps none here.
	LocalStorage string
	// BackupStorage is the storage configuration that the panel backs itself up to, every BackupEvery, and where archives stay for BackupKeep; 0 for none.
	BackupStorage           int64
	BackupEvery, BackupKeep time.Duration
	// SourceControl are addresses of public source control providers' APIs in the place of the real ones, for tests.
	SourceControl map[string]string
	// Keep is how long old rows are kept, default retention.Defaults.
	Keep retention.Keep
	// DNSProviders are addresses of DNS providers' APIs in the place of the real ones, for tests.
	DNSProviders map[string]string
	// Clouds are addresses of server providers' APIs in the place of the real ones, for tests.
	Clouds map[string]string
	// Version is the program's, and ReleaseKey verifies releases; "" for a program that is no release.
	Version    string
	ReleaseKey string
	// UpdateURL is the index of releases. UpdateCheck makes the panel look once a day whether there is a newer one.
	UpdateURL   string
	UpdateCheck bool
	// HoldRollout keeps what a newer version sets up from servers that an older one set up, until they are repaired.
	HoldRollout bool
	// UntilReady makes Serve return once the panel could serve, without having served anything.
	UntilReady bool
	// OTLPEndpoint is the base URL of the collector that traces are sent to; "" for none.
	OTLPEndpoint string
	// CloudEvery is how often a provider is asked about a server that comes or goes, default 10 seconds.
	CloudEvery time.Duration
	// MetricsToken opens /metrics to others than this machine.
	MetricsToken secret.String
}

// Releases returns where releases come from.
func (c Config) Releases() update.Source {
	return update.Source{URL: c.UpdateURL, Key: c.ReleaseKey, Version: c.Version}
}

// looksForReleases reports whether the panel looks for newer releases.
func (c Config) looksForReleases() bool {
	return c.UpdateCheck && c.UpdateURL != "" && c.ReleaseKey != ""
}

// KeyFile returns where the master key is.
func (c Config) KeyFile() string {
	if c.MasterKeyFile != "" {
		return c.MasterKeyFile
	}
	return filepath.Join(c.DataDir, "master.key")
}
