// Package show prints resources of the API: as tables for people, and as JSON, YAML or CSV for programs. What comes from hosts and people is made visible, so
// that it can't move a terminal's cursor.
package show

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Formats are the formats of a Printer. wide is a table of all attributes.
var Formats = []string{"table", "wide", "json", "jsonl", "yaml", "csv"}

// Printer prints to Out in one of the Formats.
type Printer struct {
	Out    io.Writer
	Format string
	// Query is what JSON is passed through. With one, tables are JSON.
	Query Query
}

// AsSent reports whether a resource is printed as the API sent it: as JSON, lines of JSON, or YAML.
func (p *Printer) AsSent() bool {
	return p.Query.code != nil || slices.Contains([]string{"json", "jsonl", "yaml"}, p.Format)
}

// Column is a heading and its values.
type Column struct {
	Name string
	Of   func(client.Resource) string
}

// Attribute is the column of an attribute.
func Attribute(heading, name string) Column {
	return Column{heading, func(r client.Resource) string { return r.Attribute(name) }}
}

// ID is the column of ids.
var ID = Column{"ID", func(r client.Resource) string { return r.ID }}

// Work is the column of the newest work on a resource, in a few words.
var Work = Column{"OPERATION", func(r client.Resource) string {
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

// List prints resources as a table, or as the API's JSON.
func (p *Printer) List(rows []client.Resource, columns ...Column) error {
	if p.AsSent() {
		if rows == nil {
			rows = []client.Resource{}
		}
		return p.JSON(rows)
	}
	if p.Format == "wide" && len(rows) > 0 {
		columns = everyAttribute(rows[0])
	}
	if p.Format == "csv" {
		return p.csv(rows, columns)
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	var heads []string
	for _, c := range columns {
		heads = append(heads, c.Name)
	}
	_, _ = fmt.Fprintln(w, strings.Join(heads, "\t"))
	for _, r := range rows {
		var cells []string
		for _, c := range columns {
			text := text.VisibleLine(c.Of(r))
			if text == "" && c.Name != "" { // an empty cell would shift the columns for tools like cut
				text = "-"
			}
			cells = append(cells, text)
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// csv prints resources as comma-separated values with a heading.
func (p *Printer) csv(rows []client.Resource, columns []Column) error {
	w := csv.NewWriter(p.Out)
	lines := make([][]string, 1, len(rows)+1)
	for _, c := range columns {
		lines[0] = append(lines[0], strings.ToLower(c.Name))
	}
	for _, r := range rows {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = text.Visible(c.Of(r))
		}
		lines = append(lines, cells)
	}
	return w.WriteAll(lines)
}

// One prints a resource, one attribute per line.
func (p *Printer) One(r client.Resource, columns ...Column) error {
	if p.AsSent() {
		return p.JSON(r)
	}
	switch p.Format {
	case "csv":
		return p.csv([]client.Resource{r}, columns)
	case "wide":
		columns = everyAttribute(r)
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	for _, c := range columns {
		if text := text.VisibleLine(c.Of(r)); text != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", strings.ToLower(c.Name), text)
		}
	}
	return w.Flush()
}

// JSON writes JSON that a parser reads back unchanged and that is safe for a terminal: unprintable characters are escaped.
func (p *Printer) JSON(v any) error {
	if p.Query.code != nil {
		return p.queried(v, (*Printer).JSON)
	}
	switch p.Format {
	case "yaml":
		return p.yaml(v)
	case "jsonl":
		if rows, ok := v.([]client.Resource); ok {
			for _, r := range rows {
				if err := p.JSONLine(r); err != nil {
					return err
				}
			}
			return nil
		}
		return p.JSONLine(v)
	}
	return p.write(v, "  ")
}

// yaml writes what JSON does, as YAML.
func (p *Printer) yaml(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	document, err := Decode(raw)
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	out, err := yaml.Marshal(numbered(document))
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	_, err = io.WriteString(p.Out, text.Visible(string(out)))
	return err
}

// Decode returns JSON with the digits of its numbers.
func Decode(raw []byte) (document any, err error) {
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

// JSONLine is JSON on one line.
func (p *Printer) JSONLine(v any) error {
	if p.Query.code != nil {
		return p.queried(v, (*Printer).JSONLine)
	}
	return p.write(v, "")
}

// queried prints the results of the query for a value: texts as lines, and others as print does.
func (p *Printer) queried(v any, print func(*Printer, any) error) error {
	of := &Printer{Out: p.Out, Format: p.Format}
	return p.Query.run(v, func(result any) error {
		if line, ok := result.(string); ok {
			_, err := fmt.Fprintln(p.Out, text.Visible(line))
			return err
		}
		return print(of, result)
	})
}

func (p *Printer) write(v any, indent string) error {
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
	_, err := p.Out.Write([]byte(out.String()))
	return err
}
