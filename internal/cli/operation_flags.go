package cli

import (
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/internal/description"
)

// fieldFlag adds the flag of a field, and returns what puts its value into the fields, if it was given; in is for
// values that are read from the standard input. A secret is never a flag's value: its flag asks for it.
func fieldFlag(c *cobra.Command, f description.Field, into map[string]any, secrets *[]string) func(in io.Reader) error {
	flags, name := c.Flags(), f.Flag
	words := strings.TrimSuffix(firstSentence(f.Description), ".")
	if f.Required {
		words += " (required)"
	}
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
		flags.String(name, "", words+choices(f.Enum))
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
		flag := flags.Lookup(name)
		if !flag.Changed {
			return nil
		}
		v, err := valueOf(flags, flag, f)
		if err == nil {
			into[f.Name] = v
		}
		return err
	}
}

func choices(values []string) string {
	if len(values) == 0 || len(values) > 12 {
		return ""
	}
	return ": " + strings.Join(values, ", ")
}

func firstSentence(words string) string {
	first, _, _ := strings.Cut(words, ". ")
	return first
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

// valueOf returns a flag's value as the field's type.
func valueOf(flags *pflag.FlagSet, flag *pflag.Flag, f description.Field) (any, error) {
	text := flag.Value.String()
	if f.Null && text == "null" {
		return nil, nil
	}
	if f.Of != nil {
		if f.Type == description.Numbers {
			return flags.GetStringSlice(flag.Name)
		}
		return text, nil
	}
	wrong := func(what string) error { return usage("--%s must be %s, not %q", flag.Name, what, text) }
	switch f.Type {
	case description.Boolean:
		return flags.GetBool(flag.Name)
	case description.Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, wrong("a whole number")
		}
		return n, nil
	case description.Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, wrong("a number")
		}
		return n, nil
	case description.Strings:
		return flags.GetStringSlice(flag.Name)
	case description.Numbers:
		list, err := flags.GetStringSlice(flag.Name)
		out := make([]int64, len(list))
		for i, one := range list {
			if out[i], err = strconv.ParseInt(strings.TrimSpace(one), 10, 64); err != nil {
				return nil, wrong("whole numbers")
			}
		}
		return out, err
	case description.JSON:
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return nil, wrong("JSON")
		}
		return v, nil
	}
	return text, nil
}
