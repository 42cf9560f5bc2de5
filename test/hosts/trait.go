package hosts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A Trait is something that servers of people have and fresh practice hosts do not.
type Trait struct {
	// Name is what a person would call it, and its row in docs/servers.md.
	Name string
	// Source is where it was met, or what is set up that way.
	Source string
	// Image is that of the host: "" has every package of an app server.
	Image string
	// Memory makes the host a virtual one, whose kernel is its own, with so many megabytes; 0 is a host like the others.
	Memory int
	// Engine is the type of its database, "" for the one of that image.
	Engine string
	// With names the host that the trait shares with others; "" is one of its own.
	With string
	// Script makes a fresh host have the trait, run as root by sh -eu.
	Script string
	// Kept, run the same way at the end, fails unless what people had is still there.
	Kept string
	// As is the account, with sudo, that runs the setup command over SSH; "" is root on the console.
	As string
	// Port is where sshd listens, if not at the usual port.
	Port int
	// Refused is a part of the reason for which the server is refused before anything is changed; "" if it works.
	Refused string
}

// Group returns the host of a trait.
func (t Trait) Group() string {
	if t.With != "" {
		return t.With
	}
	return t.Name
}

// Asked returns the traits that HOSTLER_TRAITS names, separated by commas: all of them for "all", none without it.
func Asked(t testing.TB) []Trait {
	t.Helper()
	names := os.Getenv("HOSTLER_TRAITS")
	switch names {
	case "":
		return nil
	case "all":
		return Traits()
	}
	var out []Trait
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(Traits(), func(one Trait) bool { return one.Name == name })
		if i < 0 {
			t.Fatalf("there is no trait %q", name)
		}
		out = append(out, Traits()[i])
	}
	return out
}

// The marks around the table of traits in docs/servers.md.
const (
	tableBegins = "<!-- traits -->\n"
	tableEnds   = "<!-- end of traits -->\n"
)

// Rows returns the rows of the table of traits in a document, by their traits.
func Rows(document string) (before, after string, rows map[string]string, err error) {
	before, rest, ok := strings.Cut(document, tableBegins)
	table, after, ended := strings.Cut(rest, tableEnds)
	if !ok || !ended {
		return "", "", nil, fmt.Errorf("there is no table between %q and %q", tableBegins, tableEnds)
	}
	rows = map[string]string{}
	for line := range strings.Lines(table) {
		name, cells, ok := strings.Cut(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if name = strings.TrimSpace(name); ok && name != "trait" && !strings.HasPrefix(name, "--") {
			rows[name] = strings.TrimSpace(cells)
		}
	}
	return before, after, rows, nil
}

// WriteTraits writes the rows of traits that were run into the table of a document, and keeps those of others that there are.
func WriteTraits(file string, steps []string, run map[string]string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, after, rows, err := Rows(string(raw))
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(before + tableBegins)
	fmt.Fprintf(&b, "| trait | %s |\n|%s\n", strings.Join(steps, " | "), strings.Repeat("---|", len(steps)+1))
	for _, trait := range Traits() {
		cells := run[trait.Name]
		if cells == "" {
			cells = rows[trait.Name]
		}
		if cells != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", trait.Name, cells)
		}
	}
	b.WriteString(tableEnds + after)
	return os.WriteFile(file, []byte(b.String()), 0o644)
}
