package description

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What people write becomes what the API takes, or an error with the name of the flag.
func TestValuesOfFields(t *testing.T) {
	t.Parallel()
	balancing := Field{Flag: "balancing", Items: []Field{
		{Name: "server_id", Flag: "server", Type: Integer, Of: &Reference{}}, {Name: "weight", Flag: "weight", Type: Integer, Default: "1"},
		{Name: "backup", Flag: "backup", Type: Boolean},
	}}
	for _, c := range []struct {
		field Field
		texts []string
		want  any
		err   string
	}{
		{field: Field{Flag: "port", Type: Integer}, texts: []string{"22"}, want: int64(22)},
		{field: Field{Flag: "port", Type: Integer}, texts: []string{"ssh"}, err: `--port must be a whole number, not "ssh"`},
		{field: Field{Flag: "port", Type: Integer, Null: true}, texts: []string{"null"}},
		{field: Field{Flag: "share", Type: Number}, texts: []string{"0.5"}, want: 0.5},
		{field: Field{Flag: "share", Type: Number}, texts: []string{"half"}, err: `--share must be a number`},
		{field: Field{Flag: "force", Type: Boolean}, texts: []string{"true"}, want: true},
		{field: Field{Flag: "tags", Type: Strings}, texts: []string{"a", "b"}, want: []string{"a", "b"}},
		{field: Field{Flag: "days", Type: Numbers}, texts: []string{"1", " 2"}, want: []int64{1, 2}},
		{field: Field{Flag: "days", Type: Numbers}, texts: []string{"1", "x"}, err: `--days must be whole numbers, not "1,x"`},
		{field: Field{Flag: "servers", Type: Numbers, Of: &Reference{}}, texts: []string{"web-1"}, want: []string{"web-1"}},
		{field: Field{Flag: "server", Type: Integer, Of: &Reference{}}, texts: []string{"web-1"}, want: "web-1"},
		{field: Field{Flag: "limits", Type: JSON}, texts: []string{`{"a":1}`}, want: map[string]any{"a": 1.0}},
		{field: Field{Flag: "limits", Type: JSON}, texts: []string{"{"}, err: "--limits must be JSON"},
		{field: balancing, texts: []string{"server=web-1", "server=lb,weight=3,backup", `{"server_id":4}`}, want: []any{
			map[string]any{"server_id": "web-1", "weight": int64(1)}, map[string]any{"server_id": "lb", "weight": int64(3), "backup": true},
			map[string]any{"server_id": 4.0},
		}},
		{field: balancing, texts: []string{"[]"}, want: []any{}},
		{field: balancing, texts: []string{"[{]"}, err: `--balancing: "[{]" is no JSON`},
		{field: balancing, texts: []string{"backup=true"}, err: `"backup=true" is none of server=SERVER,weight=WEIGHT,backup`},
		{field: balancing, texts: []string{"weight=high"}, err: `weight must be a whole number, not "high"`},
	} {
		got, err := c.field.Value(c.texts)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("--%s %q: %v, want %s", c.field.Flag, c.texts, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("--%s %q: %v\n%s", c.field.Flag, c.texts, err, diff)
		}
	}
}
