package api

import (
	"encoding/json"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// Identifier refers to a resource.
type Identifier[A Attributes] struct{ ID string }

// MarshalJSON prints type and id.
func (i Identifier[A]) MarshalJSON() ([]byte, error) {
	var a A
	return json.Marshal(struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}{a.ResourceType(), i.ID})
}

// Schema describes the identifier.
func (i Identifier[A]) Schema(huma.Registry) *huma.Schema { return identifierSchema[A]() }

func identifierSchema[A Attributes]() *huma.Schema {
	var a A
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"type", "id"}, Properties: map[string]*huma.Schema{
		"type": {Type: huma.TypeString, Enum: []any{a.ResourceType()}, Description: typeWords},
		"id":   {Type: huma.TypeString, Description: idWords},
	}}
}

// ToOne is a relationship to one resource, or none.
type ToOne[A Attributes] struct{ Data *Identifier[A] }

// One returns a relationship to the resource with this id; zero is none.
func One[A Attributes](id int64) ToOne[A] {
	if id == 0 {
		return ToOne[A]{}
	}
	return ToOne[A]{&Identifier[A]{strconv.FormatInt(id, 10)}}
}

// MarshalJSON prints the member data.
func (t ToOne[A]) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Data *Identifier[A] `json:"data"`
	}{t.Data})
}

// Schema describes the relationship.
func (ToOne[A]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"data"}, Properties: map[string]*huma.Schema{
		"data": {Description: "The related resource; null if there is none.", AnyOf: []*huma.Schema{identifierSchema[A](), {Type: "null"}}},
	}}
}

// ToMany is a relationship to any number of resources.
type ToMany[A Attributes] struct{ Data []Identifier[A] }

// Many returns a relationship to the resources with these ids.
func Many[A Attributes](ids []int64) ToMany[A] {
	t := ToMany[A]{Data: make([]Identifier[A], len(ids))}
	for i, id := range ids {
		t.Data[i].ID = strconv.FormatInt(id, 10)
	}
	return t
}

// MarshalJSON prints the member data.
func (t ToMany[A]) MarshalJSON() ([]byte, error) {
	if t.Data == nil {
		t.Data = []Identifier[A]{}
	}
	return json.Marshal(struct {
		Data []Identifier[A] `json:"data"`
	}{t.Data})
}

// Schema describes the relationship.
func (ToMany[A]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"data"}, Properties: map[string]*huma.Schema{
		"data": {Type: huma.TypeArray, Items: identifierSchema[A](), Description: "The related resources."},
	}}
}
