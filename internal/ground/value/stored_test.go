package value_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"slices"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// column is what a type needs to be that of a column.
type column interface {
	sql.Scanner
	driver.Valuer
	encoding.TextMarshaler
	String() string
	IsZero() bool
	Err() error
}

// What is stored is read as it was, even if it would be refused now; only then is there an error.
func TestStoredValuesAreNotJudged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of   func() column
		good []string
		odd  []string
	}{
		{func() column { return new(value.PortSpec) }, []string{"22", "8000:8010"}, []string{"0", "80;drop", "9:8"}},
		{func() column { return new(value.IPSet) }, []string{"10.0.0.0/8,192.0.2.1"}, []string{"10.0.0.5/8", "any", "10.0.0.1, 10.0.0.2,"}},
		{func() column { return new(value.URLPath) }, []string{"/admin", "/a/b"}, []string{"/a//b", "/../a", "/a;"}},
	} {
		for i, in := range append(append([]string{}, tt.good...), tt.odd...) {
			for _, src := range []any{in, []byte(in)} {
				v := tt.of()
				if err := v.Scan(src); err != nil {
					t.Fatal(err)
				}
				back, err := v.Value()
				if err != nil || back != in || v.String() != in || v.IsZero() {
					t.Errorf("%q is read as %q and written as %v, %v", in, v, back, err)
				}
				if odd := i >= len(tt.good); (v.Err() != nil) != odd {
					t.Errorf("%q: %v", in, v.Err())
				}
				if raw, err := json.Marshal(v); err != nil || string(raw) != `"`+in+`"` {
					t.Errorf("%q in JSON: %s %v", in, raw, err)
				}
			}
		}
		v := tt.of()
		if err := v.Scan(nil); err != nil || !v.IsZero() || v.Err() != nil {
			t.Errorf("null is %q, %v", v, err)
		}
		if back, err := v.Value(); back != nil || err != nil {
			t.Errorf("zero is written as %v, %v", back, err)
		}
		if err := v.Scan(int64(80)); err == nil {
			t.Error("a number was read")
		}
	}
}

// A stored text that is no port or address opens and matches nothing.
func TestOddValuesMatchNothing(t *testing.T) {
	t.Parallel()
	var spec value.PortSpec
	var set value.IPSet
	if err := json.Unmarshal([]byte(`["80;drop","10.0.0.5/8"]`), &[]any{&spec, &set}); err != nil {
		t.Fatal(err)
	}
	if spec.Contains(must[value.Port](t)(value.NewPort(80))) || spec.IsRange() || len(set.List()) > 0 || len(set.Prefixes()) > 0 || len(set.V4()) > 0 {
		t.Errorf("%q and %q match something", spec, set)
	}
}

func TestIDsOfAColumn(t *testing.T) {
	t.Parallel()
	for _, want := range []value.IDs{nil, {7}, {1, 9007199254740993}} {
		text, err := want.Value()
		if err != nil {
			t.Fatal(err)
		}
		var got value.IDs
		if err := got.Scan(text); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v is read as %v", want, got)
		}
	}
	for _, src := range []any{nil, "", "7", `["7"]`, int64(7)} {
		if err := new(value.IDs).Scan(src); err == nil {
			t.Errorf("%#v is read as ids", src)
		}
	}
}
