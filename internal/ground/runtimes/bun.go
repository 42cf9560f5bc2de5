package runtimes

import (
	_ "embed" // the key of Bun's project
	"errors"
	"regexp"
)

// oven is the OpenPGP key with which Bun's project signs its releases (packages/bun-release of oven-sh/bun). docs/nodejs.md has its
// fingerprint.
//
//go:embed bun.asc
var oven []byte

var (
	bunPattern = regexp.MustCompile(`^1\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$`)
	// bunArchive is a line of SHASUMS256.txt for a system that Hostler knows. It does not say of which version.
	bunArchive = regexp.MustCompile(`(?m)^[0-9a-f]{64}  bun-linux-(?:x64-baseline|aarch64)\.zip$`)
)

// Bun can be asked for by an exact version only: its project publishes no lists of the newest release of a line.
var Bun = &Kind{
	Name: "bun", Title: "Bun", Programs: []string{"bun", "bunx"}, Interpret: []string{"bun"},
	Start: []string{"bun", "run", "--silent", "start"}, OpenPGP: true, parts: 2, read: dearmor,
	DefaultMirror: "https://github.com/oven-sh/bun/releases/download", Choices: "an exact version like 1.3.2", keys: oven,
	check: func(version string) error {
		if !bunPattern.MatchString(version) {
			return errors.New("it is not a version of Bun")
		}
		return nil
	},
	list: func(version string) string { return "bun-v" + version + "/SHASUMS256.txt" },
	find: func(list, asked string) (string, error) {
		if bunArchive.MatchString(list) {
			return asked, nil
		}
		return "", errNoLinux
	},
}
