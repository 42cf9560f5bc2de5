package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// IgnoredHeader names what a request has that its operation does not know. The contract's clients send fields of later versions and of their own, so they are
// no errors; but a rule without the protocol that it was to be limited to is wider than was meant.
const IgnoredHeader = "X-Hostler-Ignored"

// maxIgnored is how many names an answer has, and maxIgnoredName how long one is: proxies refuse answers with large headers.
const (
	maxIgnored     = 20
	maxIgnoredName = 100
)

// sayIgnored adds names to the answer's IgnoredHeader.
func sayIgnored(h http.Header, names []string) {
	var said []string
	if before := h.Get(IgnoredHeader); before != "" {
		said = strings.Split(before, ", ")
	}
	slices.Sort(names)
	for _, name := range names {
		if len(said) == maxIgnored {
			break
		}
		said = append(said, headerName(name))
	}
	if len(said) > 0 {
		h.Set(IgnoredHeader, strings.Join(said, ", "))
	}
}

// headerName returns a name as a part of a list in a header (RFC 9110, 5.6.1): in quotes where it has other characters than names of fields have.
func headerName(name string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-.?[]", c)
	}
	if len(name) > maxIgnoredName {
		name = strings.ToValidUTF8(name[:maxIgnoredName], "") + "..."
	}
	if name != "" && !strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) {
		return name
	}
	return strings.ReplaceAll(strconv.QuoteToASCII(name), ",", `\x2c`)
}

// unknown returns the paths of the names in a value that its schema does not have.
func (c checker) unknown(s *huma.Schema, path string, v any) []string {
	for s.Ref != "" {
		s = c.registry.SchemaFromRef(s.Ref)
	}
	var out []string
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if s.Items != nil {
				out = append(out, c.unknown(s.Items, below(path, strconv.Itoa(i)), item)...)
			}
		}
	case map[string]any:
		if s.Type != huma.TypeObject { // it takes any value, or another than an object, which is an error
			return nil
		}
		others, _ := s.AdditionalProperties.(*huma.Schema)
		for name, value := range v {
			switch at := below(path, name); {
			case s.Properties[name] != nil:
				out = append(out, c.unknown(s.Properties[name], at, value)...)
			case others != nil:
				out = append(out, c.unknown(others, at, value)...)
			default:
				out = append(out, at)
			}
		}
	}
	return out
}

// unread returns the names of a body that an operation without one does not read.
func unread(raw []byte) []string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	return names
}

// unknownQuery returns the names in a query that an operation does not have, as "?name". Those that look like lists' are refused by parseList.
func unknownQuery(op *Operation, query url.Values) []string {
	known := []string{"dry_run", "include", "sort"}
	for _, p := range op.Query {
		known = append(known, p.Name)
	}
	var out []string
	for name := range query {
		_, filter := bracketed(name, "filter")
		if !filter && !strings.HasPrefix(name, "page") && !slices.Contains(known, name) {
			out = append(out, "?"+name)
		}
	}
	return out
}

// dryRunMeant returns a name in a query that spells dry_run otherwise, "" if there is none: what was to be shown only would be done.
func dryRunMeant(query url.Values) string {
	for name := range query {
		letters := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
		if name != "dry_run" && letters == "dryrun" {
			return name
		}
	}
	return ""
}

// nearest returns the name of fields that a schema does not know and that is closest to one that it does, "" if none is close: ipAddress and ip_addres for
// ip_address.
func nearest(known map[string]*huma.Schema, fields map[string]any, wanted string) string {
	best, distance := "", 3
	for name := range fields {
		if known[name] != nil {
			continue
		}
		d := edits(bare(name), bare(wanted))
		if d*3 > len(bare(wanted)) { // two edits make another word of a short one
			continue
		}
		if d < distance || d == distance && name < best {
			best, distance = name, d
		}
	}
	return best
}

// bare returns a name without what separates its words, in lower case.
func bare(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// edits returns the number of letters to add, remove or change to make one text of another (Levenshtein's distance).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := before
			if a[i] != b[j] {
				changed++
			}
			before = row[j+1]
			row[j+1] = min(changed, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
