package description

import (
	"slices"
	"strings"
)

// mostChoices is how many values of an enumeration a line of help has room for.
const mostChoices = 12

// Help returns what a flag is for, in the style of a command line: a phrase that begins with a small letter.
func (f Field) Help() string {
	words := strings.TrimSuffix(FirstSentence(f.Description), ".")
	if first, _, _ := strings.Cut(words, " "); first != "" && strings.Trim(first[1:], "abcdefghijklmnopqrstuvwxyz") == "" { // no name such as PHP or IPv4
		words = strings.ToLower(first[:1]) + words[1:]
	}
	if f.Required {
		words += " (required)"
	}
	return words
}

// Kind returns what a text for the field is: a number, or the name of a resource; "" for any text.
func (f Field) Kind() string {
	switch {
	case f.Of != nil:
		return "name"
	case f.Type == Integer || f.Type == Number:
		return "number"
	}
	return ""
}

// Choices returns the values of an enumeration as they stand behind its help, "" for none or too many.
func (f Field) Choices() string {
	if len(f.Enum) == 0 || len(f.Enum) > mostChoices {
		return ""
	}
	return ": " + strings.Join(f.Enum, ", ")
}

// FirstSentence returns the first sentence of a description.
func FirstSentence(words string) string {
	first, _, _ := strings.Cut(words, ". ")
	return first
}

// Help returns what a command does, and what its arguments are.
func (o Operation) Help() string {
	out := strings.TrimSuffix(o.Summary, ".") + "."
	if o.Description != "" && o.Description != o.Summary {
		out += "\n\n" + o.Description
	}
	if len(o.Arguments) > 0 {
		out += "\n\nArguments:"
	}
	width := 0
	for _, a := range o.Arguments {
		width = max(width, len(a.Placeholder()))
	}
	for _, a := range o.Arguments {
		out += "\n  " + a.Placeholder() + strings.Repeat(" ", width-len(a.Placeholder())) + "   " + o.argumentHelp(a)
	}
	return out
}

func (o Operation) argumentHelp(a Argument) string {
	if i := slices.IndexFunc(o.Fields, func(f Field) bool { return a.Field && f.Name == a.Name }); i >= 0 {
		f := o.Fields[i]
		f.Required = false // as every argument is
		if f.Of != nil {
			return names(f.Of.By) + " or ID"
		}
		return f.Help() + f.Choices()
	}
	switch {
	case a.Word:
		return "the " + a.Kind()
	case len(a.By) > 0:
		return names(a.By) + " or ID of the " + a.Kind()
	}
	return "ID of the " + a.Kind()
}

// names returns what resources go by, as words.
func names(by []string) string {
	var out []string
	for _, attribute := range by {
		out = append(out, strings.ReplaceAll(last(attribute), "_", " "))
	}
	return strings.Join(out, " or ")
}

// Placeholder is the argument as it stands in a usage: domainRecord is DOMAIN_RECORD.
func (a Argument) Placeholder() string { return strings.TrimSuffix(Placeholder(a.Name), "_ID") }
