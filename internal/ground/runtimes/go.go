package runtimes

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// checksumDatabase is the key of Go's checksum database, as cmd/go has it (modfetch/key.go).
const checksumDatabase = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"

var (
	// goPattern allows the lines whose releases all have three numbers. The module proxy has these for each processor.
	goPattern = regexp.MustCompile(`^1\.(2[1-9]|[3-9][0-9])(\.(0|[1-9][0-9]{0,2}))?$`)
	// goListed is a line of the list of toolchains, without betas and release candidates.
	goListed = regexp.MustCompile(`(?m)^v0\.0\.1-go(1\.[0-9]{2}\.[0-9]{1,3})\.linux-amd64$`)
)

// Go is published as modules, whose checksums are in the log of the checksum database.
var Go = &Kind{
	Name: "go", Title: "Go", Programs: []string{"go", "gofmt"}, Optional: true,
	DefaultMirror: "https://proxy.golang.org", Choices: "a release line like 1.25, or an exact version like 1.25.3", parts: 2,
	// A line is supported until there are two newer ones (go.dev/doc/devel/release): the days on which those were released.
	ends: map[string]string{"1.21": "2024-08-13", "1.22": "2025-02-11", "1.23": "2025-08-12", "1.24": "2026-02-10", "1.25": "2026-08-18"},
	keys: []byte(checksumDatabase), read: readVerifier,
	check: func(version string) error {
		if !goPattern.MatchString(version) {
			return errors.New("it is not a version of Go that there is to choose")
		}
		return nil
	},
	// A proxy lists what was asked of it, and has the others too: an exact version need not be listed.
	list: func(version string) string {
		if Exact(version) {
			return "golang.org/toolchain/@v/v0.0.1-go" + version + ".linux-amd64.info"
		}
		return "golang.org/toolchain/@v/list"
	},
	find: func(list, asked string) (string, error) {
		if Exact(asked) {
			var info struct{ Version string }
			if json.Unmarshal([]byte(list), &info) != nil || info.Version != "v0.0.1-go"+asked+".linux-amd64" {
				return "", errNoLinux
			}
			return asked, nil
		}
		all := goListed.FindAllStringSubmatch(list, -1)
		if all == nil {
			return "", errNoLinux
		}
		newest := ""
		for _, found := range all {
			if v := found[1]; strings.HasPrefix(v, asked+".") && goPattern.MatchString(v) && (newest == "" || Compare(v, newest) > 0) {
				newest = v
			}
		}
		if newest == "" {
			return "", ErrNone
		}
		return newest, nil
	},
}

// readVerifier returns the line that is the key of a checksum database.
func readVerifier(text []byte) ([]byte, error) {
	line := strings.TrimSpace(string(text))
	if _, err := note.NewVerifier(line); err != nil {
		return nil, fmt.Errorf("it is not the key of a checksum database, NAME+HASH+KEY: %w", err)
	}
	return []byte(line), nil
}
