package cli

import (
	"encoding/json"
	"io"
	"os"
	"slices"
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
	if flags.Lookup(name) != nil { // of another variant
		return func(io.Reader) error { return setFlag(flags, f, into) }
	}
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
	case len(f.Items) > 0:
		flags.StringArray(name, nil, words+": "+itemForm(f.Items)+" (repeatable), or `JSON`")
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
		flags.String(name, f.Default, words+choices(f.Enum))
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

// setFlag puts the value of a flag into the fields, if it was given.
func setFlag(flags *pflag.FlagSet, f description.Field, into map[string]any) error {
	flag := flags.Lookup(f.Flag)
	if !flag.Changed {
		return nil
	}
	v, err := valueOf(flags, flag, f)
	if err == nil {
		into[f.Name] = v
	}
	return err
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

// itemForm is how an object of a list is written.
func itemForm(fields []description.Field) string {
	words := make([]string, len(fields))
	for i, f := range fields {
		if words[i] = f.Flag; f.Type != description.Boolean {
			words[i] += "=" + strings.ToUpper(f.Flag)
		}
	}
	return strings.Join(words, ",")
}

// items reads the objects of a list: each text is one, as its members or as JSON, or the only one is the whole list.
func items(f description.Field, texts []string) ([]any, error) {
	out := []any{}
	for _, text := range texts {
		if strings.HasPrefix(text, "[") && len(texts) == 1 {
			return out, json.Unmarshal([]byte(text), &out)
		}
		item := map[string]any{}
		if strings.HasPrefix(text, "{") {
			if err := json.Unmarshal([]byte(text), &item); err != nil {
				return nil, usage("--%s: %q is no JSON: %s", f.Flag, text, err)
			}
			out = append(out, item)
			continue
		}
		for _, of := range f.Items {
			if of.Default != "" {
				text = of.Flag + "=" + of.Default + "," + text
			}
		}
		for member := range strings.SplitSeq(text, ",") {
			name, value, hasValue := strings.Cut(member, "=")
			i := slices.IndexFunc(f.Items, func(of description.Field) bool {
				return of.Flag == name && hasValue == (of.Type != description.Boolean)
			})
			if i < 0 {
				return nil, usage("--%s: %q is none of %s", f.Flag, member, itemForm(f.Items))
			}
			of := f.Items[i]
			item[of.Name] = value
			switch {
			case of.Type == description.Boolean:
				item[of.Name] = true
			case of.Type == description.Integer && of.Of == nil:
				n, err := strconv.ParseInt(value, 10, 64)
				if err != nil {
					return nil, usage("--%s: %s must be a whole number, not %q", f.Flag, name, value)
				}
				item[of.Name] = n
			}
		}
		out = append(out, item)
	}
	return out, nil
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
	if len(f.Items) > 0 {
		texts, err := flags.GetStringArray(flag.Name)
		if err != nil {
			return nil, err
		}
		return items(f, texts)
	}
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
