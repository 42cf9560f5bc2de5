package cli

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/internal/description"
)

// fieldFlag adds the flag of a field, and returns what puts its value into the fields, if it was given; in is for
// values that are read from the standard input. A secret is never a flag's value: its flag asks for it.
func fieldFlag(c *cobra.Command, f description.Field, into map[string]any, secrets *[]string) func(in io.Reader) error {
	flags, name := c.Flags(), f.Flag
	if flags.Lookup(name) != nil { // of another variant
		return func(io.Reader) error { return setFlag(flags, f, into) }
	}
	words := f.Help()
	switch {
	case f.Secret && secrets != nil && !f.Long:
		asked := flags.Bool(name+"-stdin", false, "read this field from a line of the standard input, or ask for it: "+words)
		flags.String(name+"-file", "", "`file` with this field: "+words)
		return func(in io.Reader) error {
			if *asked {
				*secrets = append(*secrets, f.Name)
			}
			return setFile(flags, name, f, into, in)
		}
	case f.Type == description.Boolean:
		flags.Bool(name, false, words)
	case f.Type == description.Strings || f.Type == description.Numbers:
		flags.StringSlice(name, nil, words)
	case len(f.Items) > 0:
		flags.StringArray(name, nil, words+": "+f.ItemForm()+" (repeatable), or `JSON`")
	case f.Type == description.JSON && !f.Secret:
		flags.String(name, "", words+" (as `JSON`)")
	case f.Long:
		if f.Type == description.JSON {
			words += " (as JSON)"
		}
		flags.String(name+"-file", "", "`file` with this field, - for the standard input: "+words)
		if f.Secret {
			return func(in io.Reader) error { return setFile(flags, name, f, into, in) }
		}
		fallthrough
	default:
		flags.String(name, f.Default, words+f.Choices())
		if kind := f.Kind(); kind != "" {
			flag := flags.Lookup(name)
			flag.Value = &kindOfText{flag.Value, kind}
		}
	}
	if len(f.Enum) > 0 {
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp))
	}
	return func(in io.Reader) error {
		if f.Long {
			if err := setFile(flags, name, f, into, in); err != nil || into[f.Name] != nil {
				return err
			}
		}
		return setFlag(flags, f, into)
	}
}

// kindOfText is a flag whose text is of a kind, which help shows.
type kindOfText struct {
	pflag.Value
	kind string
}

func (v *kindOfText) Type() string { return v.kind }

// setFlag puts the value of a flag into the fields, if it was given.
func setFlag(flags *pflag.FlagSet, f description.Field, into map[string]any) error {
	flag := flags.Lookup(f.Flag)
	if !flag.Changed {
		return nil
	}
	texts := []string{flag.Value.String()}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		texts = list.GetSlice()
	}
	v, err := f.Value(texts)
	if err != nil {
		return usage("%s", err)
	}
	into[f.Name] = v
	return nil
}

// ofVariant sets a field if it is one of the variant that the call is for. A flag that no field of that variant has is refused.
func (o *operationOptions) ofVariant(c *cobra.Command, f description.Field, set func(in io.Reader) error) func(in io.Reader) error {
	return func(in io.Reader) error {
		variant := ""
		if i := slices.IndexFunc(o.op.Arguments, func(a description.Argument) bool { return a.Field && a.Name == f.Variant }); i >= 0 {
			variant = o.arguments[i]
		} else if flag := c.Flags().Lookup(strings.ReplaceAll(f.Variant, "_", "-")); flag != nil {
			variant = flag.Value.String()
		}
		if strings.HasPrefix(f.Name, variant+".") {
			return set(in)
		}
		given := slices.ContainsFunc([]string{f.Flag, f.Flag + "-file"}, c.Flags().Changed)
		other := slices.ContainsFunc(o.op.Fields, func(of description.Field) bool { return of.Flag == f.Flag && strings.HasPrefix(of.Name, variant+".") })
		if given && !other && o.bodyFile == "" {
			return usage("--%s can't be used with the %s %s", f.Flag, f.Variant, variant)
		}
		return nil
	}
}

func setFile(flags *pflag.FlagSet, name string, f description.Field, into map[string]any, in io.Reader) error {
	flag := flags.Lookup(name + "-file")
	if !flag.Changed {
		return nil
	}
	raw, err := readInput(flag.Value.String(), in)
	if err != nil {
		return usage("--%s-file: %s", name, err)
	}
	if f.Type != description.JSON {
		text := string(raw)
		if line := strings.TrimRight(text, "\r\n"); f.Secret && !strings.Contains(line, "\n") { // an editor ended the line
			text = line
		}
		into[f.Name] = text
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return usage("--%s-file: the file must contain JSON", name)
	}
	into[f.Name] = v
	return nil
}

// openInput opens a file, or the standard input for -.
func openInput(file string, in io.Reader) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(in), nil
	}
	return os.Open(file) //nolint:gosec // the caller's file
}

func readInput(file string, in io.Reader) ([]byte, error) {
	f, err := openInput(file, in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it is only read
	return io.ReadAll(f)
}
