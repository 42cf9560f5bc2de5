package api

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A client that reads no English knows what is wrong, with which field, and within which limit; the messages are the contract's.
func TestProblems(t *testing.T) {
	t.Parallel()
	f := Fields{}
	f.Coded("port", codeMost, limit(65535), "The %s field must be at most %d.", "port", 65535)
	f.Add("database", "The database_type field is required when there is a database.")
	f.Add("key", "The key can't be read.")
	f.Add("key", "The account %s has this key already.", "forge")
	f.Coded("name", CodeTaken, nil, "The name has already been taken.")
	w := httptest.NewRecorder()
	(&Router{}).writeError(w, httptest.NewRequest("POST", "/api/x", nil), f.Err())
	var got struct {
		Errors map[string][]string
		Codes  map[string][]Problem
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Errors["key"][1] != "The account forge has this key already." || len(got.Errors) != 4 {
		t.Errorf("the errors are %v", got.Errors)
	}
	for name, want := range map[string][]Problem{
		"port":     {{Code: codeMost, Params: map[string]any{"limit": 65535.0}, Field: "port", Says: "must be at most 65535."}},
		"database": {{Code: CodeRequired, Field: "database_type", Says: "is required when there is a database."}},
		"key":      {{Code: CodeInvalid, Field: "key", Says: "can't be read."}, {Code: CodeInvalid}},
		"name":     {{Code: CodeTaken, Field: "name", Says: "has already been taken."}},
	} {
		if diff := cmp.Diff(want, got.Codes[name], cmpopts.IgnoreUnexported(Problem{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
