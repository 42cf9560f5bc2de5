package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/hostlerhq/hostler/client"
)

// column is a heading and its values.
type column struct {
	name string
	of   func(client.Resource) string
}

func attribute(heading, name string) column {
	return column{heading, func(r client.Resource) string { return r.Attribute(name) }}
}

var columnID = column{"ID", func(r client.Resource) string { return r.ID }}

// columnWork is the newest work on a resource, in a few words.
var columnWork = column{"OPERATION", func(r client.Resource) string {
	op := r.Meta.Operation
	switch {
	case op == nil:
		return ""
	case op.Ended() && op.State != "succeeded" && op.Reason != "":
		return op.State + ": " + op.Reason
	case op.Ended():
		return op.State
	default:
		return strings.TrimSpace(op.State + " " + op.Step)
	}
}}

// list prints resources as a table, or as the API's JSON.
func (s *streams) list(rows []client.Resource, columns ...column) error {
	if s.json {
		if rows == nil {
			rows = []client.Resource{}
		}
		return s.printJSON(rows)
	}
	if s.format == "wide" && len(rows) > 0 {
		columns = everyAttribute(rows[0])
	}
	if s.format == "csv" {
		return s.csv(rows, columns)
	}
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	var heads []string
	for _, c := range columns {
		heads = append(heads, c.name)
	}
	_, _ = fmt.Fprintln(w, strings.Join(heads, "\t"))
	for _, r := range rows {
		var cells []string
		for _, c := range columns {
			text := cell(c.of(r))
			if text == "" && c.name != "" { // an empty cell would shift the columns for tools like cut
				text = "-"
			}
			cells = append(cells, text)
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// csv prints resources as comma-separated values with a heading.
func (s *streams) csv(rows []client.Resource, columns []column) error {
	w := csv.NewWriter(s.out)
	lines := make([][]string, 1, len(rows)+1)
	for _, c := range columns {
		lines[0] = append(lines[0], strings.ToLower(c.name))
	}
	for _, r := range rows {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = plain(c.of(r))
		}
		lines = append(lines, cells)
	}
	return w.WriteAll(lines)
}

// one prints a resource, one attribute per line.
func (s *streams) one(r client.Resource, columns ...column) error {
	if s.json {
		return s.printJSON(r)
	}
	switch s.format {
	case "csv":
		return s.csv([]client.Resource{r}, columns)
	case "wide":
		columns = everyAttribute(r)
	}
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, c := range columns {
		if text := cell(c.of(r)); text != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", strings.ToLower(c.name), text)
		}
	}
	return w.Flush()
}

// printJSON writes JSON that a parser reads back unchanged and that is safe for a terminal: unprintable characters are escaped.
func (s *streams) printJSON(v any) error {
	switch s.format {
	case "yaml":
		return s.printYAML(v)
	case "jsonl":
		if rows, ok := v.([]client.Resource); ok {
			for _, r := range rows {
				if err := s.lineJSON(r); err != nil {
					return err
				}
			}
			return nil
		}
		return s.lineJSON(v)
	}
	return s.writeJSON(v, "  ")
}

// printYAML writes what printJSON does, as YAML.
func (s *streams) printYAML(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	document, err := decoded(raw)
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	out, err := yaml.Marshal(numbered(document))
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	_, err = io.WriteString(s.out, plain(string(out)))
	return err
}

// decoded returns JSON with the digits of its numbers.
func decoded(raw []byte) (document any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&document)
	return document, err
}

// numbered returns decoded JSON with its numbers as YAML writes them: whole ones keep their digits.
func numbered(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // a number of JSON
		return f
	case []any:
		for i := range v {
			v[i] = numbered(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbered(v[name])
		}
	}
	return v
}

// lineJSON is printJSON on one line.
func (s *streams) lineJSON(v any) error { return s.writeJSON(v, "") }

func (s *streams) writeJSON(v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	var out strings.Builder
	for _, r := range b.String() {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out.WriteRune(r)
		case r > 0xffff:
			hi := (r-0x10000)>>10 + 0xd800
			lo := (r-0x10000)&0x3ff + 0xdc00
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		default: // not ASCII, or DEL: only inside a string
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	_, err := s.out.Write([]byte(out.String()))
	return err
}

// plain makes everything visible that a terminal would interpret: text from hosts and people is data. Lines and tabs stay.
func plain(text string) string { return visible(text, "\n\t") }

// cell is plain for one line.
func cell(text string) string { return visible(strings.TrimSpace(text), "") }

func visible(text, keep string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case strings.ContainsRune(keep, r) || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < ' ' || r == 0x7f: // as cat -v and terminal manuals write them
			b.WriteString("^" + string(r^0x40))
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
