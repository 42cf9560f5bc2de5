package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
)

// detailsOf are the columns of an operation's resource.
func detailsOf(op description.Operation) []column {
	out := []column{columnID}
	for _, name := range op.Columns {
		out = append(out, attribute(strings.ToUpper(strings.ReplaceAll(name, "_", " ")), name))
	}
	return append(out, columnWork)
}

// read prints the answer of a call that changes nothing.
func (s *session) read(ctx context.Context, op description.Operation, path string) error {
	switch op.Answer {
	case description.List:
		rows, err := s.client.All(ctx, path)
		if err != nil {
			return err
		}
		columns := detailsOf(op)
		if !slices.ContainsFunc(rows, func(r client.Resource) bool { return r.Meta.Operation != nil }) {
			columns = columns[:len(columns)-1]
		}
		if slices.Contains(listsOfPeople, op.ID) {
			role, err := s.roleColumn(ctx)
			if err != nil {
				return err
			}
			columns = append(columns, role)
		}
		return s.list(rows, columns...)
	case description.One:
		r, err := s.client.One(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		if text := textOf(r); text != "" && !s.json {
			_, err = fmt.Fprint(s.out, printable(text))
			return err
		}
		return s.one(r, everyAttribute(r)...)
	}
	answer, err := s.client.Call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, printable(string(answer.Body)))
	return err
}

// textOf returns the text that a resource consists of, "" for one with other attributes that say more.
func textOf(r client.Resource) string {
	for _, name := range []string{"content", "output", "configuration", "environment"} {
		if text, ok := r.Value(name).(string); ok {
			return strings.TrimSuffix(text, "\n") + "\n"
		}
	}
	return ""
}

// everyAttribute are the columns of all attributes that a resource has.
func everyAttribute(r client.Resource) []column {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(r.Attributes, &all) // a resource without attributes shows its id
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	out := []column{{"id", columnID.of}}
	for _, name := range names {
		out = append(out, column{strings.ReplaceAll(name, "_", " "), func(r client.Resource) string { return shownValue(r.Value(name)) }})
	}
	return append(out, column{"operation", columnWork.of})
}

// shownValue returns a value on one line: lists and objects as JSON.
func shownValue(v any) string {
	switch v.(type) {
	case nil:
		return ""
	case []any, map[string]any:
		raw, _ := json.Marshal(v) // of decoded JSON
		return string(raw)
	}
	return fmt.Sprint(v)
}
