package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Page sizes: the contract's default and our maximum.
const (
	DefaultPageSize = 30
	MaxPageSize     = 200
)

// Limits of one filter. Databases limit the terms and the patterns of a statement, and every number of values is a separate statement.
const (
	maxFilterValues = 50
	maxFilterLength = 2048
)

// The parameters of a page. Clients also send its size and cursor under the names that an answer's meta has.
const (
	pageSize    = "page[size]"
	pageCursor  = "page[cursor]"
	perPage     = "per_page"
	cursorAlone = "cursor"
)

// ListQuery is the list parameters of a request.
type ListQuery struct {
	Size    int
	Cursor  string
	Where   []db.Cond
	Sort    []db.Order
	include map[string]bool
	whole   bool
	// as Operation.Numbered
	numbered bool
}

// Of returns the page of a table: the operation's own conditions and those of the request.
func (q ListQuery) Of(table string, where ...db.Cond) db.List {
	return db.List{Table: table, Where: append(where, q.Where...), Sort: q.Sort, Cursor: q.Cursor, Limit: q.Size}
}

// Paged returns a page of rows as documents, which are made together: there is no query per row.
func Paged[R, T any](ctx context.Context, q query.DBTX, l db.List, documents func(rows ...R) ([]T, error)) (Collection[T], error) {
	page, err := db.Select[R](ctx, q, l)
	if err != nil {
		return Collection[T]{}, err
	}
	data, err := documents(page.Rows...)
	return Collection[T]{Data: data, Next: page.Next, Prev: page.Prev}, err
}

// PagedFrom returns a page of rows that are in memory, each as a document.
func PagedFrom[R, T any](q ListQuery, rows []R, id func(R) int64, document func(R) T) (Collection[T], error) {
	page, err := db.SelectFrom(rows, q.Of(""), id)
	if err != nil {
		return Collection[T]{}, err
	}
	data, err := Each(document)(page.Rows...)
	return Collection[T]{Data: data, Next: page.Next, Prev: page.Prev}, err
}

// Each makes documents from rows without further queries.
func Each[R, T any](document func(R) T) func(rows ...R) ([]T, error) {
	return TryEach(func(row R) (T, error) { return document(row), nil })
}

// TryEach is Each for documents that may fail, such as those with sealed values.
func TryEach[R, T any](document func(R) (T, error)) func(rows ...R) ([]T, error) {
	return func(rows ...R) ([]T, error) {
		out := make([]T, len(rows))
		for i, row := range rows {
			var err error
			if out[i], err = document(row); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// Single returns the only document of a list.
func Single[T any](data []T, err error) (Document[T], error) {
	if err != nil {
		return Document[T]{}, err
	}
	return Document[T]{Data: data[0]}, nil
}

// Includes reports whether a relationship was requested; name may be in its Count or Exists form.
func (q ListQuery) Includes(name string) bool { return q.include[name] }

// parseList parses page, filter, sort and include. Names that the operation does not have are a 400 that lists all of them.
func parseList(op *Operation, query url.Values) (ListQuery, error) {
	q := ListQuery{Size: DefaultPageSize, include: map[string]bool{}, whole: op.Whole, numbered: op.Whole && op.Numbered}
	var wrong []string // other parameters are ignored, as clients add their own
	for name, values := range query {
		value := values[len(values)-1]
		filter, isFilter := bracketed(name, "filter")
		switch {
		case isFilter:
			i := slices.IndexFunc(op.Filters, func(f Filter) bool { return f.Name == filter })
			if i < 0 {
				wrong = append(wrong, fmt.Sprintf("filter[%s] is not allowed here%s", filter,
					instead(op.Filters, func(f Filter) string { return "filter[" + f.Name + "]" })))
				continue
			}
			if len(value) > maxFilterLength || strings.Count(value, ",") >= maxFilterValues {
				wrong = append(wrong, fmt.Sprintf("filter[%s] can have at most %d values and %d bytes", filter, maxFilterValues, maxFilterLength))
				continue
			}
			q.Where = append(q.Where, op.Filters[i].cond(value))
		case name == pageSize && op.Method == http.MethodGet, name == perPage && op.paged() && !query.Has(pageSize):
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > MaxPageSize {
				wrong = append(wrong, fmt.Sprintf("%s must be between 1 and %d", name, MaxPageSize))
				continue
			}
			q.Size = n
		case name == pageCursor && op.Method == http.MethodGet, name == cursorAlone && op.paged() && !query.Has(pageCursor):
			q.Cursor = value
		case name == "sort":
			var bad string
			if q.Sort, bad = parseSort(op, value); bad != "" {
				wrong = append(wrong, bad)
			}
		case strings.HasPrefix(name, "page"):
			text := name + " is not allowed here"
			if op.paged() {
				text += ": use page[size], and page[cursor] with meta.next_cursor of the page before"
			}
			wrong = append(wrong, text)
		}
	}
	if include := query.Get("include"); include != "" {
		for name := range strings.SplitSeq(include, ",") {
			if !op.includes(name) {
				wrong = append(wrong, fmt.Sprintf("include %q is not allowed here%s", name, instead(op.Includes, func(i Include) string { return i.Name })))
				continue
			}
			q.include[name] = true
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return q, BadRequest("%s.", strings.Join(wrong, "; "))
	}
	return q, nil
}

// instead says what a list allows, "" if that is nothing.
func instead[T any](allowed []T, name func(T) string) string {
	var names []string
	for _, a := range allowed {
		names = append(names, name(a))
	}
	if len(names) == 0 {
		return ""
	}
	return ", only " + strings.Join(names, ", ")
}

func bracketed(name, outer string) (string, bool) {
	inner, ok := strings.CutPrefix(name, outer+"[")
	if !ok {
		return "", name == outer
	}
	return strings.CutSuffix(inner, "]")
}

func (op *Operation) includes(name string) bool {
	return slices.ContainsFunc(op.Includes, func(i Include) bool {
		return name == i.Name || name == i.Name+"Count" || name == i.Name+"Exists"
	})
}

func parseSort(op *Operation, value string) ([]db.Order, string) {
	var sort []db.Order
	for key := range strings.SplitSeq(value, ",") {
		column, desc := strings.CutPrefix(key, "-")
		if !slices.Contains(op.Sorts, column) {
			return nil, fmt.Sprintf("sort %q is not allowed here%s", key, instead(op.Sorts, func(s string) string { return s }))
		}
		if !slices.ContainsFunc(sort, func(o db.Order) bool { return o.Column == column }) {
			sort = append(sort, db.Order{Column: column, Desc: desc})
		}
	}
	return sort, ""
}

func (f Filter) cond(value string) db.Cond {
	column := f.Column
	if column == "" {
		column = f.Name
	}
	// A value that no row can contain matches nothing.
	values := slices.DeleteFunc(strings.Split(value, ","), func(v string) bool { return !storable(v) })
	if f.Where != nil {
		return f.Where(values)
	}
	if f.Text {
		return db.Contains(column, values...)
	}
	var args []any
	for _, v := range values {
		if !f.Number {
			args = append(args, v)
		} else if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			args = append(args, n)
		}
	}
	return db.Equal(column, args...)
}

func encodeCollection(secrets *revealer, req *http.Request, q ListQuery, c Collection[any]) ([]byte, error) {
	link := func(cursor *string) *string {
		if cursor == nil {
			return nil
		}
		v := req.URL.Query()
		v.Del(pageCursor)
		v.Del(cursorAlone)
		if *cursor != "" {
			v.Set(pageCursor, *cursor)
		}
		s := req.URL.Path
		if encoded := v.Encode(); encoded != "" {
			s += "?" + encoded
		}
		return &s
	}
	if q.numbered {
		meta := NumberedMeta{CurrentPage: 1, Path: &req.URL.Path, PerPage: len(c.Data)}
		if len(c.Data) > 0 {
			meta.From, meta.To = new(1), new(len(c.Data))
		}
		return json.Marshal(map[string]any{"data": printedAll(secrets, c.Data), "links": NumberedLinks{}, "meta": meta})
	}
	if q.whole {
		return json.Marshal(map[string]any{"data": printedAll(secrets, c.Data)})
	}
	first := ""
	return json.Marshal(struct {
		Data     []any           `json:"data"`
		Included []any           `json:"included,omitempty"`
		Links    PaginationLinks `json:"links"`
		Meta     PaginationMeta  `json:"meta"`
	}{
		printedAll(secrets, c.Data), printedAll(secrets, c.Included),
		PaginationLinks{First: link(&first), Prev: link(c.Prev), Next: link(c.Next)},
		PaginationMeta{Path: &req.URL.Path, PerPage: q.Size, NextCursor: c.Next, PrevCursor: c.Prev},
	})
}

// encodeDocument encodes a document: with its secrets shown, for the answer to a caller, or redacted if secrets is nil.
func encodeDocument(secrets *revealer, d Document[any]) ([]byte, error) {
	return json.Marshal(struct {
		Data     any   `json:"data"`
		Included []any `json:"included,omitempty"`
		Meta     any   `json:"meta,omitempty"`
	}{secrets.shown(printed(d.Data)), printedAll(secrets, d.Included), secrets.shown(d.Meta)})
}

// Counts returns meta.included of a resource, for include=…Count and …Exists; nil if they were not requested.
func (q ListQuery) Counts(counts map[string]int) map[string]any {
	var out map[string]any
	set := func(name string, v any) {
		if q.include[name] {
			if out == nil {
				out = map[string]any{}
			}
			out[name] = v
		}
	}
	for name, n := range counts {
		set(name+"Count", n)
		set(name+"Exists", n > 0)
	}
	return out
}
