package cli

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

// limitOf returns how many rows of a list are shown if the caller doesn't say: not all of one that grows with time. list is false for what is no list.
func limitOf(op description.Operation) (most int, list bool) {
	for _, f := range op.Query {
		if f.Name == "sort" && f.Default == "-created_at" {
			most = 50
		}
	}
	return most, op.Answer == description.List && !op.Changes()
}

// longestLine is the length of the longest line of a log or an export, in bytes.
const longestLine = 4 << 20

// read prints the answer of a call that changes nothing.
func (s *session) read(ctx context.Context, o operationOptions, path string) error {
	switch o.op.Answer {
	case description.List:
		var rows []client.Resource
		err := s.client.Each(ctx, path, func(r client.Resource) bool {
			rows = append(rows, r)
			return o.limit <= 0 || len(rows) < o.limit
		})
		if err != nil {
			return err
		}
		columns := detailsOf(o.op)
		if !slices.ContainsFunc(rows, func(r client.Resource) bool { return r.Meta.Operation != nil }) {
			columns = columns[:len(columns)-1]
		}
		if slices.Contains(listsOfPeople, o.op.ID) {
			role, err := s.roleColumn(ctx)
			if err != nil {
				return err
			}
			columns = append(columns, role)
		}
		if o.op.ID == "organizations.index" {
			columns = append([]show.Column{{Name: "", Of: s.selected}}, columns...)
		}
		return s.List(rows, columns...)
	case description.One:
		r, err := s.client.One(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		if whole, ok := textOf(r); ok && !s.AsSent() {
			_, err = fmt.Fprint(s.Out, text.Visible(whole))
			return err
		}
		return s.One(r, show.Everything(r)...)
	}
	lines, err := s.client.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }() // it is only read
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, longestLine)
	for scanner.Scan() {
		_, _ = fmt.Fprintln(s.Out, text.Visible(scanner.Text()))
	}
	return scanner.Err()
}

// selected marks the organization that commands are about.
func (s *session) selected(r client.Resource) string {
	if r.Attribute("slug") == s.org {
		return "*"
	}
	return " "
}

// textOf returns the text that a resource consists of. It is false for a resource with attributes that say more.
func textOf(r client.Resource) (string, bool) {
	for _, name := range []string{"content", "output", "configuration", "environment"} {
		if text, ok := r.Value(name).(string); ok {
			if text != "" {
				text = strings.TrimSuffix(text, "\n") + "\n"
			}
			return text, true
		}
	}
	return "", false
}

// detailsOf are the columns of an operation's resource.
func detailsOf(op description.Operation) []show.Column { return show.Columns(op.Columns) }
