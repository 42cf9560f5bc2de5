package show

import (
	"encoding/json"
	"fmt"

	"github.com/itchyny/gojq"
)

// Query is a program of jq that JSON is passed through, none as its zero value. It is a flag's value: what does not compile is refused with the flag.
type Query struct {
	text string
	code *gojq.Code
}

// Set compiles a query.
func (q *Query) Set(text string) error {
	parsed, err := gojq.Parse(text)
	if err == nil {
		q.code, err = gojq.Compile(parsed)
	}
	if err != nil {
		return fmt.Errorf("no query of jq: %w", err)
	}
	q.text = text
	return nil
}

// String returns the query as it was given.
func (q *Query) String() string { return q.text }

// Type is what help calls the value.
func (q *Query) Type() string { return "expression" }

// run calls f for each result of the query for a value.
func (q Query) run(v any, f func(any) error) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	in, err := Decode(raw)
	if err != nil {
		return err
	}
	results := q.code.Run(in)
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			return fmt.Errorf("--query: %w", err)
		}
		if err := f(result); err != nil {
			return err
		}
	}
}
