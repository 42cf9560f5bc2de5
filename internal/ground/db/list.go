package db

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// ErrCursor is returned for a cursor that does not belong to the list.
var ErrCursor = errors.New("the cursor is not valid for this list")

// List is a page of a table: fixed conditions, filters, an order, and a start. Names in it come from code, values are bound.
type List struct {
	Table string
	Where []Cond
	Sort  []Order
	// Cursor is Next or Prev of an earlier page; empty starts at the beginning.
	Cursor string
	Limit  int
}

// Cond is one condition; every ? in SQL takes the next of Args.
type Cond struct {
	SQL  string
	Args []any
}

// Order is one column to sort by.
type Order struct {
	Column string
	Desc   bool
}

// Equal returns column = value, or any of several values.
func Equal(column string, values ...any) Cond {
	if len(values) == 0 {
		return Cond{SQL: "1 = 0"}
	}
	// The number of values is rounded up to a power of two by repeating the last one, so that few statements are prepared.
	args := slices.Clone(values)
	for n := len(args); n&(n-1) != 0; n++ {
		args = append(args, args[len(args)-1])
	}
	return Cond{SQL: column + " IN (?" + strings.Repeat(", ?", len(args)-1) + ")", Args: args}
}

// byBytes makes PostgreSQL compare texts as SQLite does, whatever the collation of the database: by their bytes, with A to Z as
// the only letters that have a lower case. Conditions contain it; it is removed for SQLite.
const byBytes = ` COLLATE "C"`

// inWords translates a statement for the database that q reads.
func inWords(q query.DBTX, text string) string {
	switch q := q.(type) {
	case *sql.Conn: // a transaction on PostgreSQL
		return text
	case *statements:
		if q.db.Dialect == PostgreSQL {
			return text
		}
	}
	return strings.ReplaceAll(text, byBytes, "")
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// Contains returns a substring condition that ignores the case of A to Z, for any of the values.
func Contains(column string, values ...string) Cond {
	if len(values) == 0 {
		return Cond{SQL: "1 = 0"}
	}
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	c := Cond{}
	for i, v := range values {
		if i > 0 {
			c.SQL += " OR "
		}
		c.SQL += "LOWER(COALESCE(" + column + ", '')" + byBytes + `) LIKE ? ESCAPE '\'`
		c.Args = append(c.Args, "%"+escape.Replace(lowerASCII(v))+"%")
	}
	c.SQL = "(" + c.SQL + ")"
	return c
}

// Any returns a condition that is met if one of conds is; without any it is never met.
func Any(conds ...Cond) Cond {
	if len(conds) == 0 {
		return Cond{SQL: "1 = 0"}
	}
	var c Cond
	var parts []string
	for _, one := range conds {
		parts, c.Args = append(parts, "("+one.SQL+")"), append(c.Args, one.Args...)
	}
	c.SQL = "(" + strings.Join(parts, " OR ") + ")"
	return c
}

// Both returns a condition that is met if all of conds are.
func Both(conds ...Cond) Cond {
	var c Cond
	var parts []string
	for _, one := range conds {
		parts, c.Args = append(parts, "("+one.SQL+")"), append(c.Args, one.Args...)
	}
	c.SQL = "(" + strings.Join(parts, " AND ") + ")"
	return c
}

// In returns a condition that column contains the id of a row of another table that meets cond.
func In(column, table string, cond Cond) Cond {
	return Cond{SQL: column + " IN (SELECT id FROM " + table + " WHERE " + cond.SQL + ")", Args: cond.Args}
}

// Page is a page of rows and its cursors, nil at the ends.
type Page[T any] struct {
	Rows []T
	Next *string
	Prev *string
}

// cursor is the position of a row in an order. It is not a secret and not trusted: its values are bound like any other.
type cursor struct {
	Order    string   `json:"o"`
	Values   []string `json:"v"`
	ID       int64    `json:"i"`
	Backward bool     `json:"b,omitempty"`
}

// order names the list that a cursor belongs to: its table and sort columns.
func (l List) order() string {
	var b strings.Builder
	b.WriteString(l.Table + ":")
	for _, o := range l.Sort {
		b.WriteString(o.Column)
		if o.Desc {
			b.WriteByte('-')
		}
		b.WriteByte(',')
	}
	return b.String()
}

func (l List) decodeCursor() (*cursor, error) {
	if l.Cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(l.Cursor)
	if err != nil {
		return nil, ErrCursor
	}
	var c cursor
	if err := json.Unmarshal(raw, &c); err != nil || c.Order != l.order() || len(c.Values) != len(l.Sort) {
		return nil, ErrCursor
	}
	return &c, nil
}

func (c cursor) encode() *string {
	raw, _ := json.Marshal(c) // strings and numbers only
	s := base64.RawURLEncoding.EncodeToString(raw)
	return &s
}

// Select reads a page. T is a generated row type of the table.
func Select[T any](ctx context.Context, q query.DBTX, l List) (Page[T], error) {
	var page Page[T]
	at, err := l.decodeCursor()
	if err != nil {
		return page, err
	}
	shape := shapeOf(reflect.TypeFor[T]())
	backward := at != nil && at.Backward
	text, args, err := l.text(shape, at)
	if err != nil {
		return page, err
	}
	rows, err := query1[T](ctx, q, text, args)
	if err != nil {
		return page, fmt.Errorf("list %s: %w", l.Table, err)
	}
	more := len(rows) > l.Limit
	if more {
		rows = rows[:l.Limit]
	}
	if backward {
		slices.Reverse(rows)
	}
	page.Rows = rows
	if len(rows) == 0 {
		return page, nil
	}
	if more || backward {
		page.Next = l.cursorAt(shape, rows[len(rows)-1], false).encode()
	}
	if (backward && more) || (!backward && at != nil) {
		page.Prev = l.cursorAt(shape, rows[0], true).encode()
	}
	return page, nil
}

// SelectFrom is Select over rows that are defined in code, ordered by id.
func SelectFrom[T any](rows []T, l List, id func(T) int64) (Page[T], error) {
	var page Page[T]
	at, err := l.decodeCursor()
	if err != nil {
		return page, err
	}
	first, last := 0, len(rows)
	if at != nil && at.Backward {
		for last > 0 && id(rows[last-1]) >= at.ID {
			last--
		}
		first = max(0, last-l.Limit)
	} else {
		for at != nil && first < last && id(rows[first]) <= at.ID {
			first++
		}
		last = min(last, first+l.Limit)
	}
	if page.Rows = rows[first:last]; len(page.Rows) == 0 {
		return page, nil
	}
	if last < len(rows) {
		page.Next = cursor{Order: l.order(), Values: []string{}, ID: id(rows[last-1])}.encode()
	}
	if first > 0 {
		page.Prev = cursor{Order: l.order(), Values: []string{}, ID: id(rows[first]), Backward: true}.encode()
	}
	return page, nil
}

// All reads every row that meets the conditions, ordered by id: for a parent's children, not for unbounded tables.
func All[T any](ctx context.Context, q query.DBTX, table string, where ...Cond) ([]T, error) {
	shape := shapeOf(reflect.TypeFor[T]())
	b := &builder{}
	b.write("SELECT " + shape.columns + " FROM " + table)
	b.where(where)
	if _, ok := shape.fields["id"]; ok {
		b.write(" ORDER BY id")
	}
	rows, err := query1[T](ctx, q, b.text.String(), b.args)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", table, err)
	}
	return rows, nil
}

// Held reports for each id of rows whether a column of another table contains it.
func Held[T any](ctx context.Context, q query.DBTX, table, column string, rows []T, id func(T) int64) (map[int64]bool, error) {
	ids := make([]any, len(rows))
	for i, row := range rows {
		ids[i] = id(row)
	}
	b := &builder{}
	b.write("SELECT DISTINCT " + column + " FROM " + table)
	b.where([]Cond{Equal(column, ids...)})
	found, err := query1[struct{ ID int64 }](ctx, q, b.text.String(), b.args)
	if err != nil {
		return nil, fmt.Errorf("look for %s of %s: %w", column, table, err)
	}
	out := make(map[int64]bool, len(found))
	for _, row := range found {
		out[row.ID] = true
	}
	return out, nil
}

func query1[T any](ctx context.Context, q query.DBTX, text string, args []any) ([]T, error) {
	rows, err := q.QueryContext(ctx, inWords(q, text), args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		var row T
		v := reflect.ValueOf(&row).Elem()
		into := make([]any, v.NumField())
		for i := range into {
			into[i] = v.Field(i).Addr().Interface()
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// text returns the statement: rows after (or before) the cursor in the order, one more than requested, to know whether there are more.
func (l List) text(shape *shape, at *cursor) (string, []any, error) {
	b := &builder{}
	b.write("SELECT " + shape.columns + " FROM " + l.Table)
	where := slices.Clone(l.Where)
	if at != nil {
		c, err := l.after(shape, at)
		if err != nil {
			return "", nil, err
		}
		where = append(where, c)
	}
	b.where(where)
	b.write(" ORDER BY ")
	backward := at != nil && at.Backward
	for _, o := range l.Sort {
		b.write(shape.expression(o.Column) + direction(o.Desc != backward) + ", ")
	}
	b.write("id" + direction(l.idDesc() != backward))
	b.args = append(b.args, l.Limit+1)
	b.write(" LIMIT $" + strconv.Itoa(len(b.args)))
	return b.text.String(), b.args, nil
}

// idDesc makes the tie-breaker follow the last named column, so that -created_at shows the newest id first.
func (l List) idDesc() bool { return len(l.Sort) > 0 && l.Sort[len(l.Sort)-1].Desc }

func direction(desc bool) string {
	if desc {
		return " DESC"
	}
	return ""
}

// after returns (a > x) OR (a = x AND b > y) OR …, with each column's own direction. It is preceded by the redundant a >= x: with
// it, databases start at that place of an index, and not at its first row.
func (l List) after(shape *shape, at *cursor) (Cond, error) {
	var terms []string
	var args []any
	var from, equal string
	var equalArgs []any
	add := func(expression string, desc bool, value any) {
		op := " > ?"
		if desc != at.Backward {
			op = " < ?"
		}
		if len(terms) == 0 {
			from, args = expression+strings.Replace(op, " ?", "= ?", 1), append(args, value)
		}
		terms = append(terms, "("+equal+expression+op+")")
		args = append(append(args, equalArgs...), value)
		equal += expression + " = ? AND "
		equalArgs = append(equalArgs, value)
	}
	for i, o := range l.Sort {
		value, err := shape.parse(o.Column, at.Values[i])
		if err != nil {
			return Cond{}, ErrCursor
		}
		add(shape.expression(o.Column), o.Desc, value)
	}
	add("id", l.idDesc(), at.ID)
	return Cond{SQL: "(" + from + " AND (" + strings.Join(terms, " OR ") + "))", Args: args}, nil
}

func (l List) cursorAt(shape *shape, row any, backward bool) cursor {
	v := reflect.ValueOf(row)
	c := cursor{Order: l.order(), Values: []string{}, ID: v.Field(shape.fields["id"]).Int(), Backward: backward}
	for _, o := range l.Sort {
		f := v.Field(shape.fields[o.Column])
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				c.Values = append(c.Values, "")
				continue
			}
			f = f.Elem()
		}
		c.Values = append(c.Values, fmt.Sprint(f.Interface()))
	}
	return c
}

type builder struct {
	text strings.Builder
	args []any
}

func (b *builder) write(s string) { b.text.WriteString(s) }

func (b *builder) where(conds []Cond) {
	for i, c := range conds {
		b.write([]string{" WHERE ", " AND "}[min(i, 1)])
		rest := c.SQL
		for _, arg := range c.Args {
			before, after, _ := strings.Cut(rest, "?")
			b.args = append(b.args, arg)
			b.write(before + "$" + strconv.Itoa(len(b.args)))
			rest = after
		}
		b.write(rest)
	}
}

// shape describes the columns of a generated row type.
type shape struct {
	columns string
	fields  map[string]int
	types   map[string]reflect.Type
}

var shapes sync.Map // reflect.Type to *shape: a cache of immutable values

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{fields: map[string]int{}, types: map[string]reflect.Type{}}
	var names []string
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("db")
		names = append(names, name)
		s.fields[name], s.types[name] = i, t.Field(i).Type
	}
	s.columns = strings.Join(names, ", ")
	shapes.Store(t, s)
	return s
}

// expression sorts texts by their bytes and null as the empty text, on both databases.
func (s *shape) expression(column string) string {
	t := s.types[column]
	switch {
	case t == nil:
		return column
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.String:
		return "COALESCE(" + column + ", '')" + byBytes
	case t.Kind() == reflect.String:
		return column + byBytes
	default:
		return column
	}
}

func (s *shape) parse(column, text string) (any, error) {
	t := s.types[column]
	if t == nil {
		return nil, ErrCursor
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int64:
		return strconv.ParseInt(text, 10, 64)
	case reflect.Bool:
		return strconv.ParseBool(text)
	default:
		if strings.Contains(text, "\x00") { // PostgreSQL can't store it
			return nil, ErrCursor
		}
		return text, nil
	}
}
