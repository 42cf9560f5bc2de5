package contract

import (
	"encoding/json"
	"fmt"
	"slices"
)

// seed is seed.json: the tables of the document that takes precedence over the contract, as data.
type seed struct {
	Resources map[string]struct {
		Type          string                  `json:"type"`
		SelfRequired  bool                    `json:"self_required"`
		Attributes    map[string]seedField    `json:"attributes"`
		Relationships map[string]seedRelation `json:"relationships"`
	} `json:"resources"`
	Enums      map[string][]string `json:"enums"`
	Operations map[string]struct {
		Method       string               `json:"method"`
		Path         string               `json:"path"`
		Mode         string               `json:"mode"`
		Parameters   map[string]string    `json:"parameters"`
		Scopes       []string             `json:"scopes"`
		Errors       []int                `json:"errors"`
		BodyRequired bool                 `json:"body_required"`
		Body         map[string]seedField `json:"body"`
		Success      struct {
			Code     int      `json:"code"`
			Type     string   `json:"type"`
			Data     string   `json:"data"`
			Included []string `json:"included"`
		} `json:"success"`
	} `json:"operations"`
	Scopes []string `json:"scopes"`

	byType map[string]*schema // resources by the value of type
}

type seedField struct {
	Type     string               `json:"type"`
	Nullable bool                 `json:"nullable"`
	Format   string               `json:"format"`
	Enum     string               `json:"enum"`
	Keys     map[string]seedField `json:"keys"`   // of an object; all present
	Values   string               `json:"values"` // type of an object's values
	Items    map[string]seedField `json:"items"`  // of a list of objects; none required
	Required bool                 `json:"required"`
	Minimum  *int                 `json:"minimum"`
	Maximum  *int                 `json:"maximum"`
	MinItems *int                 `json:"minItems"`
}

type seedRelation struct {
	To       string `json:"to"`
	Many     bool   `json:"many"`
	Nullable bool   `json:"nullable"`
}

func readSeed(data []byte) (seed, error) {
	var s seed
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read seed: %w", err)
	}
	s.byType = map[string]*schema{}
	for name := range s.Resources {
		s.byType[s.Resources[name].Type] = (&reader{}).read(s.resource(name))
	}
	return s, nil
}

// resource writes a resource of the seed as JSON schema.
func (s seed) resource(name string) map[string]any {
	res := s.Resources[name]
	props := map[string]any{
		"id":         map[string]any{"type": "string"},
		"type":       map[string]any{"type": "string", "enum": []any{res.Type}},
		"attributes": s.fields(res.Attributes, true),
	}
	required := []any{"id", "type"}
	if res.SelfRequired {
		required = append(required, "links")
		props["links"] = objectOf(map[string]any{"self": linkSchema()}, "self")
	}
	props["relationships"] = map[string]any{} // what the seed leaves to the contract
	if len(res.Relationships) > 0 {
		rels := map[string]any{}
		for rel, to := range res.Relationships {
			id := objectOf(map[string]any{
				"type": map[string]any{"type": "string", "enum": []any{s.Resources[to.To].Type}},
				"id":   map[string]any{"type": "string"},
			}, "type", "id")
			if to.Many {
				id = map[string]any{"type": "array", "items": id}
			}
			if to.Nullable {
				id = map[string]any{"anyOf": []any{id, map[string]any{"type": "null"}}}
			}
			rels[rel] = objectOf(map[string]any{"data": id}, "data")
		}
		props["relationships"] = objectOf(rels)
	}
	m := objectOf(props)
	m["required"] = required
	return m
}

func (s seed) fields(fields map[string]seedField, all bool) map[string]any {
	props, required := map[string]any{}, []string{}
	for name, f := range fields {
		props[name] = s.field(f)
		if all || f.Required {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	return objectOf(props, required...)
}

func (s seed) field(f seedField) map[string]any {
	m := map[string]any{"type": f.Type}
	if f.Enum != "" {
		m["type"] = "string"
		values := []any{}
		for _, v := range s.Enums[f.Enum] {
			values = append(values, v)
		}
		m["enum"] = values
	}
	if f.Format != "" {
		m["format"] = f.Format
	}
	if f.Keys != nil {
		m = s.fields(f.Keys, true)
	}
	if f.Values != "" {
		m["additionalProperties"] = map[string]any{"type": f.Values}
	}
	if f.Items != nil {
		m["items"] = s.fields(f.Items, false)
	}
	for word, v := range map[string]*int{"minimum": f.Minimum, "maximum": f.Maximum, "minItems": f.MinItems} {
		if v != nil {
			m[word] = *v
		}
	}
	if f.Nullable {
		return map[string]any{"anyOf": []any{m, map[string]any{"type": "null"}}}
	}
	return m
}

// linkSchema returns the seed's link object.
func linkSchema() map[string]any {
	str := func() map[string]any { return map[string]any{"type": "string"} }
	return objectOf(map[string]any{
		"href": map[string]any{"type": "string", "format": "uri"},
		"rel":  str(), "describedby": str(), "title": str(), "type": str(),
		"hreflang": map[string]any{"anyOf": []any{str(), map[string]any{"type": "array", "items": str()}}},
		"meta":     map[string]any{"type": "object"},
	}, "href")
}

func objectOf(props map[string]any, required ...string) map[string]any {
	list := []any{}
	for _, r := range required {
		list = append(list, r)
	}
	return map[string]any{"type": "object", "properties": props, "required": list}
}
