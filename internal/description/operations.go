package description

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
)

// described contains the operations of the API as gzipped JSON (RFC 1952), generated from its description by make generate.
//
//go:embed operations.json.gz
var described []byte

// Operations returns the operations of the API that have a command, by noun and verb.
func Operations() []Operation {
	var out []Operation
	r, err := gzip.NewReader(bytes.NewReader(described))
	if err == nil {
		err = json.NewDecoder(r).Decode(&out)
	}
	if err != nil {
		panic(fmt.Sprintf("the description in this program can't be read: %v", err)) // the build's fault; a test reads it
	}
	return out
}
