package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

const (
	// settingsFile is read if no other file is named.
	settingsFile = "/etc/hostler/hostler.yml"
	// settingsFlag names the file; the file itself can't.
	settingsFlag = "config"
)

// Annotations of flags: which are settings, and where a value came from if it is not from the flag.
const (
	isSetting = "setting"
	cameFrom  = "from"
)

// readsSettings annotates a command that reports mistakes in settings instead of ending with them.
const readsSettings = "settings"

// secretText is printed in place of a secret.
const secretText = "(secret)"

// markSettings makes all flags of a set settings: a flag --data-dir is also the variable HOSTLER_DATA_DIR and the key data-dir of the file.
func markSettings(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) { _ = flags.SetAnnotation(f.Name, isSetting, nil) })
}

func variable(name string) string {
	return "HOSTLER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// readSettings gives each setting that is no flag of the command line its value from the environment, or else from the file. An empty variable
// counts as not set. The file is checked as a whole, whichever of its settings the command needs.
func readSettings(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var errs []error
	take := func(f *pflag.Flag, from string, values []string) {
		if err := setValues(flags, f, values); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", from, err))
		}
		_ = flags.SetAnnotation(f.Name, cameFrom, []string{from})
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[isSetting]; !ok || f.Changed {
			return
		}
		if value, _ := lookup(variable(f.Name)); value != "" {
			take(f, variable(f.Name), []string{value})
		}
	})
	path := flags.Lookup(settingsFlag)
	if path == nil || errs != nil {
		return errors.Join(errs...)
	}
	file, err := openSettings(path.Value.String())
	if err != nil {
		return err
	}
	for _, s := range file {
		if f := flags.Lookup(s.name); f != nil && !f.Changed {
			take(f, s.place, s.values)
		}
	}
	return errors.Join(errs...)
}

// settingsOf reads the settings of a command, except for one that does so itself.
func settingsOf(cmd *cobra.Command) error {
	if _, ok := cmd.Annotations[readsSettings]; ok {
		return nil
	}
	return readSettings(cmd.Flags(), os.LookupEnv)
}

// setValues sets a flag to one text, or a flag with several values to those.
func setValues(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	several, ok := f.Value.(pflag.SliceValue)
	switch {
	case ok && len(values) != 1:
		f.Changed = true
		return several.Replace(values)
	case len(values) != 1:
		return fmt.Errorf("%s takes one value, not a list", f.Name)
	default:
		return flags.Set(f.Name, values[0])
	}
}

// fileSetting is one key of the file; place is its file and line.
type fileSetting struct {
	name, place string
	values      []string
}

// openSettings reads the file of settings. The default file may be missing.
func openSettings(path string) ([]fileSetting, error) {
	named := path != ""
	if !named {
		path = settingsFile
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return parseSettings(path, text)
}

// parseSettings reads settings in YAML: a mapping of names to texts, numbers, booleans or lists of those. It reports every mistake with its line.
func parseSettings(path string, text []byte) ([]fileSetting, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: the file contains more than one document", path, more.Line)
	}
	top := document.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: settings are lines such as data-dir: /var/lib/hostler-panel", path, top.Line)
	}
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(options).flags(known)
	var out []fileSetting
	var errs []error
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		s := fileSetting{name: key.Value, place: fmt.Sprintf("%s:%d", path, key.Line)}
		var err error
		switch {
		case s.name == settingsFlag || known.Lookup(s.name) == nil:
			err = fmt.Errorf("unknown setting %q; hostler config lists all", s.name)
		case seen[s.name]:
			err = fmt.Errorf("%s is set twice", s.name)
		default:
			s.values, err = scalars(s.name, value)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.place, err))
		}
		seen[s.name] = true
		out = append(out, s)
	}
	return out, errors.Join(errs...)
}

func scalars(name string, node *yaml.Node) ([]string, error) {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	out := []string{}
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return nil, fmt.Errorf("%s has no plain value", name)
		}
		out = append(out, n.Value)
	}
	return out, nil
}

func newConfigCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "config", Short: "List the settings and where each value comes from", Args: cobra.NoArgs,
		Long: "Lists the settings that hostler serve would use with the same flags, environment and file.\n" +
			"A flag takes precedence over its HOSTLER_ variable, and the variable over the file. Secrets are not printed.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "SETTING\tVALUE\tFROM")
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if _, ok := f.Annotations[isSetting]; ok {
					_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, printable(f), source(f))
				}
			})
			_, err := o.config()
			return errors.Join(w.Flush(), err)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}

func source(f *pflag.Flag) string {
	switch from := f.Annotations[cameFrom]; {
	case from != nil:
		return from[0]
	case f.Changed:
		return "--" + f.Name
	default:
		return "default"
	}
}

// printable returns the value of a setting without what is secret in it.
func printable(f *pflag.Flag) string {
	text := f.Value.String()
	switch {
	case text == "" || text == "[]":
		return "-"
	case f.Name == "metrics-token":
		return secretText
	case f.Name == "database-url" || f.Name == "smtp-url":
		return withoutPassword(text)
	default:
		return text
	}
}

// withoutPassword hides passwords in a URL, also those among its parameters, which PostgreSQL reads too.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return secretText
	}
	params := u.Query()
	for name := range params {
		if strings.Contains(strings.ToLower(name), "pass") {
			params.Set(name, "xxxxx")
		}
	}
	u.RawQuery = params.Encode()
	return u.Redacted()
}
