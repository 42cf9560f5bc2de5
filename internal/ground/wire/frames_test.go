package wire_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// frames returns all that crosses the connection or is stored in the directory of a run. A run that one release began may be read by the next one or, after an
// update that was undone, by the one before.
func frames() map[string]any {
	return map[string]any{
		"request": &wire.Request{}, "frame": &wire.Frame{}, "hello": &wire.Hello{}, "run-id": &wire.RunID{}, "attach": &wire.Attach{}, "run": &wire.Run{},
		"event": &wire.Event{}, "result": &wire.Result{}, "runs": &[]wire.RunSummary{}, "drift": &wire.Drift{}, "facts": &wire.Facts{},
		"log-query": &wire.LogQuery{}, "log-page": &wire.LogPage{}, "read-query": &wire.ReadQuery{}, "read-file": &wire.ReadFile{},
		"units": &[]wire.UnitState{}, "file-query": &wire.FileQuery{}, "file-reply": &wire.FileReply{},
		"sample-query": &wire.SampleQuery{},
		"samples":      &[]wire.Sample{}, "site-samples": &[]wire.SiteSample{}, "job": &wire.Job{}, "item-report": &wire.ItemReport{}, "ends": &wire.Ends{},
	}
}

// fill gives every field a value that is not its zero, so that none is left out. Values follow from the field's name: a new field changes no other line.
func fill(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1_700_000_000, 0).UTC()))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"n":1}`))
		return
	}
	switch v.Kind() { //nolint:exhaustive // others fail below
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(t, v.Field(i), f.Name)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), name)
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), name)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, name)
		fill(t, value, name)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("of " + name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(len(name)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(len(name)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(len(name)) + 0.5)
	default:
		t.Fatalf("a %s can't be filled", v.Type())
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw) + "\n"
}

// The golden files have every field of what earlier programs sent and stored. Fields may be added; one that is renamed, removed or read as another type would
// strand runs and agents of the release before, also with -update. Once no release in use knows a field, take it out of its file by hand.
func TestFramesOfBeforeAreRead(t *testing.T) {
	t.Parallel()
	for name, frame := range frames() {
		path := filepath.Join("testdata", "frames", name+".json")
		old, err := os.ReadFile(path)
		if err != nil && !(*update && os.IsNotExist(err)) {
			t.Fatal(err)
		}
		if len(old) > 0 {
			d := json.NewDecoder(bytes.NewReader(old))
			d.DisallowUnknownFields()
			got := reflect.New(reflect.TypeOf(frame).Elem()).Interface()
			if err := d.Decode(got); err != nil {
				t.Errorf("%s of an earlier program can't be read: %v", name, err)
				continue
			}
			if lost := lost(parsed(t, string(old)), parsed(t, text(t, got)), name); len(lost) > 0 {
				t.Errorf("of an earlier program these are not read as they were sent: %q", lost)
				continue
			}
		}
		fill(t, reflect.ValueOf(frame).Elem(), name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text(t, frame)), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(old), text(t, frame)); diff != "" {
			t.Errorf("%s has fields that its golden file has not; -update adds them (-golden +now):\n%s", name, diff)
		}
	}
}

func parsed(t *testing.T, text string) (out any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// lost returns the places where a value of sent is not in read. Fields that sent has not are new.
func lost(sent, read any, at string) (out []string) {
	switch s := sent.(type) {
	case map[string]any:
		r, _ := read.(map[string]any)
		for name, value := range s {
			out = append(out, lost(value, r[name], at+"."+name)...)
		}
	case []any:
		r, _ := read.([]any)
		for i, value := range s {
			if i >= len(r) {
				return append(out, at)
			}
			out = append(out, lost(value, r[i], at)...)
		}
	default:
		if sent != read {
			out = append(out, at)
		}
	}
	return out
}
