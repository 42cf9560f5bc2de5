package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// deviations is deviations.json: every place where we differ from the contract on purpose, each with its reason.
type deviations struct {
	Schemas   []schemaDeviation `json:"schemas"`
	Additions []addition        `json:"additions"`
	Codes     []struct {
		Code    int      `json:"code"`
		Methods []string `json:"methods"`
		// Operations limits it to these.
		Operations []string `json:"operations"`
		Reason     string   `json:"reason"`
	} `json:"codes"`
	// Permissions replaces what an operation asks of roles and of tokens.
	Permissions []struct {
		Operation string   `json:"operation"`
		Is        []string `json:"is"`
		Reason    string   `json:"reason"`
	} `json:"permissions"`
	Documents []struct {
		Operation string `json:"operation"`
		Resource  string `json:"resource"`
		Reason    string `json:"reason"`
	} `json:"documents"`
	Errors []struct {
		Codes  []int  `json:"codes"`
		Reason string `json:"reason"`
	} `json:"errors"`
	Values []valueDeviation `json:"values"`
	Bodies string           `json:"bodies"`
}

// schemaDeviation replaces a property of a component schema, or of the request body of an operation. The contract's own form
// stays right as well: a deviation allows, it does not oblige.
type schemaDeviation struct {
	Schema    string          `json:"schema"`
	Operation string          `json:"operation"`
	At        string          `json:"at"` // property names with dots between; [] steps into a list
	Is        json.RawMessage `json:"is"` // the property's schema; empty leaves it
	Optional  bool            `json:"optional"`
	Reason    string          `json:"reason"`
}

// addition is a property of ours that a schema of the contract does not have.
type addition struct {
	Schema    string          `json:"schema"`
	Operation string          `json:"operation"`
	At        string          `json:"at"`
	Is        json.RawMessage `json:"is"`
	Reason    string          `json:"reason"`
}

func readDeviations(data []byte) (deviations, error) {
	var d deviations
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return d, fmt.Errorf("read deviations: %w", err)
	}
	return d, nil
}

// apply changes the contract's document. The original is kept beside it as x-original.
func (d deviations) apply(doc map[string]any) error {
	for _, dev := range d.Schemas {
		owner, name, err := locate(doc, dev.Schema, dev.Operation, dev.At)
		if err != nil {
			return err
		}
		props := object(owner["properties"])
		was, ok := props[name]
		if !ok || dev.Reason == "" {
			return fmt.Errorf("deviation at %s%s %s: no such property, or no reason given", dev.Schema, dev.Operation, dev.At)
		}
		if len(dev.Is) > 0 {
			v, err := decode(dev.Is)
			if err != nil {
				return err
			}
			is := object(v)
			is["x-original"] = was
			props[name] = is
		}
		if dev.Optional {
			free, _ := owner["x-free-required"].([]any)
			owner["x-free-required"] = append(free, name)
			required, _ := owner["required"].([]any)
			owner["required"] = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == name })
		}
	}
	for _, add := range d.Additions {
		owner, name, err := locate(doc, add.Schema, add.Operation, add.At)
		if err != nil {
			return err
		}
		v, err := decode(add.Is)
		if err != nil {
			return err
		}
		if _, exists := object(owner["properties"])[name]; exists || add.Reason == "" {
			return fmt.Errorf("addition at %s%s %s: the contract has it, or no reason given", add.Schema, add.Operation, add.At)
		}
		is := object(v)
		is["x-hostler-extension"] = true
		object(owner["properties"])[name] = is
	}
	return nil
}

// locate returns the raw object schema that holds the last name of a path, and that name.
func locate(doc map[string]any, schemaName, opID, at string) (map[string]any, string, error) {
	r := newReader(doc)
	var owner map[string]any
	if schemaName != "" {
		owner = object(object(r.components["schemas"])[schemaName])
	} else {
		owner = bodySchema(r, doc, opID)
	}
	names := strings.Split(at, ".")
	for _, name := range names[:len(names)-1] {
		name, inList := strings.CutSuffix(name, "[]")
		owner = r.resolve(object(owner["properties"])[name])
		if inList {
			owner = r.resolve(owner["items"])
		}
	}
	if owner == nil || owner["properties"] == nil {
		return nil, "", fmt.Errorf("deviation at %s%s %s: no such place", schemaName, opID, at)
	}
	return owner, names[len(names)-1], nil
}

// bodySchema returns the raw request body of an operation, merged and copied into it, so that a change stays there.
func bodySchema(r *reader, doc map[string]any, opID string) map[string]any {
	for _, item := range object(doc["paths"]) {
		for _, op := range object(item) {
			if object(op)["operationId"] != opID {
				continue
			}
			for _, media := range object(object(object(op)["requestBody"])["content"]) {
				m := object(media)
				merged := r.merge(map[string]any{"allOf": []any{m["schema"]}})
				props := map[string]any{}
				for k, v := range object(merged["properties"]) {
					props[k] = v
				}
				merged["properties"] = props
				m["schema"] = merged
				return merged
			}
		}
	}
	return nil
}

func (d deviations) document(opID string) (string, bool) {
	for _, doc := range d.Documents {
		if doc.Operation == opID {
			return doc.Resource, true
		}
	}
	return "", false
}

// asks returns what an operation requires of a role and of a token alike: the contract's value, or its replacement. A difference
// between the contract's two columns is always a deviation; TestRoleAndTokenNeedTheSame checks the list.
func (d deviations) asks(e *entry) []string {
	for _, p := range d.Permissions {
		if p.Operation == e.ID {
			return p.Is
		}
	}
	return e.Permissions
}

// allows reports whether our conventions add an error code to an operation.
func (d deviations) allows(opID, method string, code int) bool {
	for _, c := range d.Codes {
		if c.Code == code && slices.Contains(c.Methods, method) && (len(c.Operations) == 0 || slices.Contains(c.Operations, opID)) {
			return true
		}
	}
	return false
}
