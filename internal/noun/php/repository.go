package php

import (
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// archive is where versions are packaged that a distribution does not have: by the maintainer of Debian's own packages, for Debian and Ubuntu.
type archive struct{ uri, key, fingerprint string }

var archives = map[string]archive{
	"debian": {"https://packages.sury.org/php/", "https://packages.sury.org/php/apt.gpg", "15058500A0235D97F5D10063B188E2B695BD4743"},
	"ubuntu": {
		"https://ppa.launchpadcontent.net/ondrej/php/ubuntu/",
		"https://keyserver.ubuntu.com/pks/lookup?op=get&search=0xB8DC7E53946656EFBCE4C1DD71DAEAAB4AD4CAB6", "B8DC7E53946656EFBCE4C1DD71DAEAAB4AD4CAB6",
	},
}

// codenames are the suites of archives, by the system's version.
var codenames = map[string]string{"12": "bookworm", "13": "trixie", "22.04": "jammy", "24.04": "noble", "26.04": "resolute"}

// packaged reports whether a version has packages anywhere. Those of PHP 5 before 5.6 are gone.
func packaged(v value.PHPVersion) bool { return v.String() != "php5" && v.String() != "php56-old" }

const (
	keyring    = "/etc/apt/keyrings/hostler-php.gpg"
	keyHome    = "/var/lib/hostler/php-key"
	sourcePath = "/etc/apt/sources.list.d/hostler-php.sources"
)

// repository returns the steps that add the archive of a host's system. The key comes over TLS, and of what came only the one with the fingerprint is
// trusted, and only for this archive.
func repository(f wire.Facts) ([]wire.Step, error) {
	a, known := archives[f.OS]
	suite := codenames[f.OSVersion]
	if !known || suite == "" {
		return nil, errors.New("no archive has packages of PHP for this system")
	}
	have := []string{"test", "-s", keyring}
	gpg := func(argv ...string) []string {
		return append([]string{"gpg", "--batch", "--quiet", "--no-autostart", "--homedir", keyHome}, argv...)
	}
	fetched := keyHome + "/fetched"
	return []wire.Step{
		{Name: "keys of archives", Dir: &wire.Dir{Path: "/etc/apt/keyrings", Mode: 0o755}},
		{Name: "key of " + a.uri, Dir: &wire.Dir{Path: keyHome, Mode: 0o700}},
		{Name: "fetch the key of " + a.uri, Exec: &wire.Exec{
			Unless: have,
			Argv:   []string{"curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https", "--max-time", "60", "--output", fetched, a.key},
		}},
		{Name: "read the key of " + a.uri, Exec: &wire.Exec{Unless: have, Argv: gpg("--import", fetched)}},
		{Name: "trust the key of " + a.uri, Exec: &wire.Exec{
			Unless: have, Argv: gpg("--yes", "--output", keyring, "--export", a.fingerprint),
			Refuse: []string{"nothing exported"},
		}},
		{Name: "apt reads the key", Exec: &wire.Exec{Argv: []string{"chmod", "0644", keyring}}},
		{Name: "packages of PHP from " + a.uri, File: &wire.File{Path: sourcePath, Mode: 0o644, Content: []byte(fmt.Sprintf(
			"# %s\nTypes: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n", wire.OwnHead, a.uri, suite, keyring))}},
	}, nil
}
