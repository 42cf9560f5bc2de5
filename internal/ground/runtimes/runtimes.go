// Package runtimes knows the programs whose versions sites can choose, where they are published, and who signs them.
package runtimes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Kind is a runtime that is published in versions.
type Kind struct {
	// Name is that in the API, and Title that for people.
	Name, Title string
	// Programs are what a version brings for the PATH. A version without one of them has a link that leads nowhere, which shells pass over.
	Programs []string
	// Interpret is the command line that runs a file, nil for a language that is compiled, and Start that of a package's start script.
	Interpret []string
	Start     []string
	// Optional is for a language that the distribution has too: a site without a version runs that one.
	Optional bool
	// OpenPGP reports whether its releases are signed with OpenPGP keys, which gpgv verifies on hosts.
	OpenPGP bool
	// DefaultMirror is where its project publishes its releases.
	DefaultMirror string
	// Choices says in words what can be asked for.
	Choices string

	// parts is how many numbers of a version name its release line.
	parts int
	// accept is the media type of its lists, "" for any.
	accept string
	// ends are the last days with security updates, like "2027-04-30", by release line.
	ends map[string]string
	// keys are those of who signs its releases, as their publisher writes them. read returns keys of that form as hosts get them.
	keys []byte
	read func(keys []byte) ([]byte, error)
	// check reports whether a version can be asked for.
	check func(version string) error
	// list is where the mirror lists what there is for a requested version, and find returns the exact version that the list offers for
	// it. It returns ErrNone if there is none.
	list func(version string) string
	find func(list, asked string) (version string, err error)
}

// Kinds are all runtimes that are published in versions.
func Kinds() []*Kind { return []*Kind{Node, Bun, Deno, Go} }

// Named returns a runtime by its name, nil if there are no versions of it.
func Named(name string) *Kind {
	for _, k := range Kinds() {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Programs are what versions bring for the PATH, of all runtimes.
func Programs() []string {
	var out []string
	for _, k := range Kinds() {
		out = append(out, k.Programs...)
	}
	return out
}

// Bin returns the directory of a version's programs on a host. It belongs to root, and no other account may write there.
func (k *Kind) Bin(version string) string {
	return wire.RuntimeDirectory + "/" + k.Name + "/" + version + "/bin"
}

// EndsOn returns the last day with security updates for the release line of a version, like "2027-04-30"; "" if it is not known.
func EndsOn(name, version string) string {
	k := Named(name)
	if k == nil {
		return ""
	}
	return k.ends[k.Line(version)]
}

// Check reports whether a version can be asked for.
func (k *Kind) Check(version string) error {
	if err := k.check(version); err != nil {
		return fmt.Errorf("%w: it must be %s", err, k.Choices)
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

// Line returns the release line of a version: "22" of Node's "22.11.0", "1.25" of Go's "1.25.3".
func (k *Kind) Line(version string) string {
	words := strings.Split(version, ".")
	return strings.Join(words[:min(k.parts, len(words))], ".")
}
