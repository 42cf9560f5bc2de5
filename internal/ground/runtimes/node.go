package runtimes

import (
	_ "embed" // the keys of Node's releasers
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// releasers are the OpenPGP keys of those who sign Node's releases, as the project names them in the README.md of nodejs/node and
// nodejs/release-keys. docs/nodejs.md lists their fingerprints.
//
//go:embed releasers.asc
var releasers []byte

// majors are the release lines of Node that can be chosen, oldest first.
var majors = []int{20, 22, 24, 26}

var (
	nodePattern = regexp.MustCompile(`^([1-9][0-9]?)(\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2}))?$`)
	// nodeArchive is a line of SHASUMS256.txt for a system that Hostler knows.
	nodeArchive = regexp.MustCompile(`(?m)^[0-9a-f]{64}  node-v([0-9.]+)-linux-(?:x64|arm64)\.tar\.gz$`)
)

// Node can be asked for by a release line ("22") or an exact version of one ("22.11.0").
var Node = &Kind{
	Name: "node", Title: "Node", Programs: []string{"corepack", "node", "npm", "npx"},
	Interpret: []string{"node"}, Start: []string{"npm", "start", "--silent"}, OpenPGP: true, parts: 1, read: dearmor,
	// The schedule of nodejs/Release, of November 2026.
	ends:          map[string]string{"20": "2026-04-30", "22": "2027-04-30", "24": "2028-04-30", "26": "2029-04-30"},
	DefaultMirror: "https://nodejs.org/dist", Choices: nodeChoices(), keys: releasers,
	check: func(version string) error {
		found := nodePattern.FindStringSubmatch(version)
		if found == nil {
			return errors.New("it is not a version of Node")
		}
		if major, err := strconv.Atoi(found[1]); err != nil || !slices.Contains(majors, major) {
			return fmt.Errorf("there is no Node %s to choose", found[1])
		}
		return nil
	},
	list: func(version string) string {
		if Exact(version) {
			return "v" + version + "/SHASUMS256.txt"
		}
		return "latest-v" + version + ".x/SHASUMS256.txt"
	},
	find: func(list, _ string) (string, error) {
		if found := nodeArchive.FindStringSubmatch(list); found != nil {
			return found[1], nil
		}
		return "", errNoLinux
	},
}

func nodeChoices() string {
	names := make([]string, len(majors))
	for i, m := range majors {
		names[i] = strconv.Itoa(m)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + ", or an exact version like 22.11.0"
}

// NodeLines returns the release lines of Node that can be chosen, oldest first.
func NodeLines() []string {
	out := make([]string, len(majors))
	for i, m := range majors {
		out[i] = strconv.Itoa(m)
	}
	return out
}

// NodeUsual is the release line of Node that something new begins with: the one with long support that most packages were tried with.
const NodeUsual = "24"

// SystemGo returns the release line of Go that a distribution has, "" if that is not known.
func SystemGo(os, version string) string {
	return map[string]string{"debian 12": "1.19", "debian 13": "1.24", "ubuntu 22.04": "1.18", "ubuntu 24.04": "1.22"}[os+" "+version]
}

// SystemNode returns the release line of Node that a distribution has, "" if that is not known.
func SystemNode(os, version string) string {
	return map[string]string{"debian 12": "18", "debian 13": "20", "ubuntu 22.04": "12", "ubuntu 24.04": "18"}[os+" "+version]
}
