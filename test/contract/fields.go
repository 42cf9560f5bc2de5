package contract

import (
	"fmt"
	"maps"
	"slices"
)

// Fields returns the fields of the requests of all operations of a description, and the parameters of their queries.
func Fields(description []byte) (map[string][]string, error) {
	v, err := decode(description)
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	doc := object(v)
	r := newReader(doc)
	out := map[string][]string{}
	for _, item := range object(doc["paths"]) {
		for _, raw := range object(item) {
			op := object(raw)
			id, ok := op["operationId"].(string)
			if !ok {
				continue
			}
			var names []string
			for _, media := range object(r.resolve(op["requestBody"])["content"]) {
				names = slices.AppendSeq(names, maps.Keys(object(r.resolve(object(media)["schema"])["properties"])))
			}
			for _, p := range readParams(r, nil, op) {
				if p.in == "query" {
					names = append(names, p.name)
				}
			}
			out[id] = names
		}
	}
	return out, nil
}
