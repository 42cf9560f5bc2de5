package redirect

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// ImportRedirectsRequest is a form with a file of rules.
type ImportRedirectsRequest struct {
	File api.FormFile `json:"file"`
	Mode string       `json:"mode" enum:"append,replace"`
}

// Imported is what became of a file.
type Imported struct {
	Imported   int         `json:"imported"`
	Invalid    []Invalid   `json:"invalid" nullable:"false"`
	Duplicates []Duplicate `json:"duplicates" nullable:"false"`
}

// Invalid is a line that can't be taken.
type Invalid struct {
	Line   string  `json:"line"`
	Reason *string `json:"reason"`
	From   string  `json:"from"`
	To     string  `json:"to"`
	Type   string  `json:"type"`
}

// Duplicate is a line that was left out.
type Duplicate struct {
	Line   string `json:"line"`
	Reason string `json:"reason"`
	From   string `json:"from"`
	To     string `json:"to"`
	Type   string `json:"type"`
}

// Schema describes the line.
func (Duplicate) Schema(api.Registry) *api.Schema {
	return api.OneReason([]string{"line", "from", "to", "type"}, repeats, exists)
}

// Why a line was left out, in the contract's words.
const (
	repeats = "Repeats an earlier row in the file."
	exists  = "Already exists on this site."
)

const (
	modeReplace = "replace"
	columnFrom  = "from"
)

func (o *Operations) export(ctx context.Context, c api.Call[site.Path]) (string, func(io.Writer) error, error) {
	rows, err := o.DB.Read().ListRedirectRules(ctx, c.Parent.Site)
	if err != nil {
		return "", nil, fmt.Errorf("list redirect rules: %w", err)
	}
	return c.Parent.Site.Name + "-redirects.csv", func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write([]string{columnFrom, "to", "type"})
		for _, r := range staying(rows) {
			_ = out.Write([]string{r.Source, r.Target, r.Type})
		}
		out.Flush()
		return out.Error()
	}, nil
}

func (o *Operations) upload(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b ImportRedirectsRequest) (Imported, int64, error) {
	out := Imported{Invalid: []Invalid{}, Duplicates: []Duplicate{}}
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return out, 0, err
	}
	rows, err := tx.ListRedirectRules(ctx, c.Parent.Site)
	if err != nil {
		return out, 0, fmt.Errorf("list redirect rules: %w", err)
	}
	kept := staying(rows)
	if b.Mode == modeReplace {
		kept = nil
	}
	var rules []parsed
	if len(c.Fields) == 0 {
		if rules, err = read(b.File, c.Parent.Site.Name, kept, &out); err != nil {
			c.Fields.Add("file", "The file is not CSV: %s.", err)
		}
	}
	if len(kept)+len(rules) > maxRules {
		c.Fields.Add("file", "A site can have at most %d redirects.", maxRules)
	}
	if err := c.Fields.Err(); err != nil {
		return out, 0, err
	}
	out.Imported = len(rules)
	if len(rules) == 0 { // an empty file does not take everything away
		return out, 0, nil
	}
	var wishes []ledger.Wish
	for _, p := range rules {
		id, s, err := insert(ctx, tx, c.Parent.Site.ID, p)
		if err != nil {
			return out, 0, err
		}
		wish, err := Rules.Want(id, s)
		if err != nil {
			return out, 0, err
		}
		wishes = append(wishes, wish)
	}
	if b.Mode == modeReplace {
		for _, r := range staying(rows) {
			wishes = append(wishes, Rules.Removal(r.ID))
		}
	}
	description := "Importing " + strconv.Itoa(len(rules)) + " redirects of " + c.Parent.Site.Name
	accepted, err := o.Acceptor.Accept(ctx, tx, c.Parent.Path, c.Parent.Site.ID, "create", description, wishes...)
	return out, accepted.EventID, err
}

// read takes the good lines of a file; the others are noted.
func read(file []byte, name string, kept []query.RedirectRule, out *Imported) ([]parsed, error) {
	in := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(file), "\ufeff")))
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	had, seen := map[string]bool{}, map[string]bool{}
	for _, r := range kept {
		had[r.Source] = true
	}
	var rules []parsed
	for first := true; ; first = false {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rules, nil
		}
		if err != nil {
			return nil, err
		}
		number, _ := in.FieldPos(0)
		line := strconv.Itoa(number)
		cells := append(record, "", "", "")
		from, to, kind := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.ToLower(strings.TrimSpace(cells[2]))
		if first && strings.EqualFold(from, columnFrom) {
			continue
		}
		switch kind {
		case "", "302", "temporary":
			kind = Temporary
		case "301":
			kind = Permanent
		}
		p, reason := parse(from, to, kind, name)
		switch {
		case reason != "":
			out.Invalid = append(out.Invalid, Invalid{Line: line, Reason: &reason, From: valid(from), To: valid(to), Type: valid(kind)})
		case seen[p.From.String()]:
			out.Duplicates = append(out.Duplicates, Duplicate{Line: line, Reason: repeats, From: from, To: to, Type: kind})
		case had[p.From.String()]:
			out.Duplicates = append(out.Duplicates, Duplicate{Line: line, Reason: exists, From: from, To: to, Type: kind})
		default:
			seen[p.From.String()] = true
			rules = append(rules, p)
		}
	}
}

func parse(from, to, kind, name string) (parsed, string) {
	f := api.Fields{}
	p := check(f, CreateRedirectRequest{From: from, To: to, Type: kind}, name)
	for _, field := range []string{columnFrom, "to"} {
		if len(f[field]) > 0 {
			return p, f[field][0].String()
		}
	}
	if kind != Temporary && kind != Permanent {
		return p, "The type must be redirect or permanent."
	}
	return p, ""
}

func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
