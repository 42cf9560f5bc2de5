// Package node knows the versions of Node.js that sites can choose, where they are published, and who signs them.
package node

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Name is that of the runtime in the API.
const Name = "node"

// Directory contains the versions on a host, a directory each. It belongs to root, and no other account may write there.
const Directory = wire.RuntimeDirectory + "/" + Name

// Programs are what a version brings for the PATH. A version without one of them has a link that leads nowhere, which shells pass over.
func Programs() []string { return []string{"corepack", "node", "npm", "npx"} }

// Bin returns the directory of a version's programs.
func Bin(version string) string { return Directory + "/" + version + "/bin" }

// majors are the release lines that can be chosen, oldest first.
var majors = []int{20, 22, 24, 26}

// Choices says in words what can be asked for.
func Choices() string {
	names := make([]string, len(majors))
	for i, m := range majors {
		names[i] = strconv.Itoa(m)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + ", or an exact version like 22.11.0"
}

var pattern = regexp.MustCompile(`^([1-9][0-9]?)(\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2}))?$`)

// Check reports whether a version can be asked for: a release line ("22") or an exact version of one ("22.11.0").
func Check(version string) error {
	found := pattern.FindStringSubmatch(version)
	if found == nil {
		return fmt.Errorf("it must be %s", Choices())
	}
	if major, err := strconv.Atoi(found[1]); err != nil || !slices.Contains(majors, major) {
		return fmt.Errorf("there is no Node %s to choose: it must be %s", found[1], Choices())
	}
	return nil
}

// Exact reports whether a version names one release.
func Exact(version string) bool { return strings.Count(version, ".") == 2 }

// Compare orders two exact versions.
func Compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

func numbers(version string) []int {
	var out []int
	for word := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// Line returns the release line of a version: "22" of "22.11.0".
func Line(version string) string {
	line, _, _ := strings.Cut(version, ".")
	return line
}
