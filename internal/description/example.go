package description

import (
	"slices"
	"strings"
)

// exampleNames are what examples call resources, by the parameter of the path. Other resources go by an id.
var exampleNames = map[string]string{
	"server": "web-1", "site": "shop.example.com", "domainRecord": "www.example.com", "database": "shop", "recipe": "uptime",
	"role": "developer", "team": "agency",
	"phpVersion": "php84", "region": "fra1", "key": "nginx-error", "repository": "packages.example.com", "registry": "npm.example.com",
}

// exampleWords are what examples give for fields that are named so.
var exampleWords = map[string]string{
	"name": "example", "domain": "www.example.com", "url": "https://example.com/hook", "email": "ada@example.com",
	"version": "php84", "command": "'php artisan about'",
	"path": "/admin", "from": "/old", "to": "/new", "branch": "main", "repository": "acme/shop", "ip_address": "203.0.113.5",
}

// exampleID is the id of a resource in examples.
const exampleID = "7"

// IsWord reports whether a shell reads a text as one word without quotes.
func IsWord(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@,=+") == ""
}

// Examples returns lines that call a command: with what it requires, and with what is often wanted beside that.
func (o Operation) Examples() []string {
	line := "hostler " + o.Noun + " " + o.Verb
	for _, a := range o.Arguments {
		i := slices.IndexFunc(o.Fields, func(f Field) bool { return a.Field && f.Name == a.Name })
		if i >= 0 {
			line += " " + o.Fields[i].example()
		} else if name := exampleNames[a.Name]; name != "" {
			line += " " + name
		} else {
			line += " " + exampleID
		}
	}
	if o.File != "" {
		line += " redirects.csv"
	}
	for _, f := range o.Fields {
		switch {
		case !f.Required || f.Default != "" || o.IsArgument(f):
		case f.Long || f.Secret && f.Type == JSON:
			line += " --" + f.Flag + "-file " + f.Flag + ".txt"
		case f.Secret:
			line += " --" + f.Flag + "-stdin"
		case f.Type == Boolean:
			line += " --" + f.Flag
		default:
			line += " --" + f.Flag + " " + f.example()
		}
	}
	out := []string{line}
	switch {
	case o.Plans:
		out = append(out, line+" --dry-run")
	case o.Waits:
		out = append(out, line+" --wait")
	case o.Answer == List && !o.Changes():
		out = append(out, line+" --output json")
	}
	return out
}

// example returns a value of a field as it stands in a line.
func (f Field) example() string {
	word := exampleWords[last(f.Name)]
	switch {
	case f.Of != nil:
		for parameter, name := range exampleNames {
			if strings.TrimSuffix(strings.TrimSuffix(f.Flag, "s"), "-id") == parameter {
				return name
			}
		}
		return exampleID
	case f.Example != "":
		return f.Example
	case len(f.Enum) > 0:
		return f.Enum[0]
	case len(f.Items) > 0:
		return "'[]'"
	case f.Type == Integer || f.Type == Number || f.Type == Numbers:
		return "1"
	case f.Type == JSON:
		return "'{}'"
	case word != "":
		return word
	}
	return strings.ToUpper(strings.ReplaceAll(f.Flag, "-", "_"))
}
