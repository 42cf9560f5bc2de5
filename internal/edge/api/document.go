package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// ContentType is the media type of documents.
const ContentType = "application/vnd.api+json"

// Link is a link object of JSON:API.
type Link struct {
	Href        string         `json:"href" format:"uri"`
	Rel         string         `json:"rel,omitempty"`
	DescribedBy string         `json:"describedby,omitempty"`
	Title       string         `json:"title,omitempty"`
	Type        string         `json:"type,omitempty"`
	HrefLang    *TextOrList    `json:"hreflang,omitempty"`
	Meta        map[string]any `json:"meta,omitempty"`
}

// SelfLinks are the links of a resource.
type SelfLinks struct {
	Self Link `json:"self"`
}

// Attributes is implemented by every attributes type: it returns the resource's fixed type. A type whose resources have no links
// (tags, deployments) also has a method Unlinked, one whose type the contract leaves open a method AnyType. One of which the first
// attributes say less than others has a method Columns: what a table shows, which are attributes, members of the meta (meta.os.name) and relationships
// (relationships.server).
type Attributes interface{ ResourceType() string }

// NoRelationships is used for a resource without relationships.
type NoRelationships struct{}

// Resource is a resource object. R is NoRelationships if there are none.
type Resource[A Attributes, R any] struct {
	ID            string
	Attributes    A
	Relationships *R
	Links         *SelfLinks
	Meta          *Meta
}

// MarshalJSON prints the resource object.
func (r Resource[A, R]) MarshalJSON() ([]byte, error) { return json.Marshal(r.object()) }

// object returns the printed form of the resource object. Documents contain it instead of the resource, because the result of a
// MarshalJSON is checked and copied once more.
func (r Resource[A, R]) object() any {
	return &struct {
		ID            string     `json:"id"`
		Type          string     `json:"type"`
		Attributes    A          `json:"attributes"`
		Relationships *R         `json:"relationships,omitempty"`
		Links         *SelfLinks `json:"links,omitempty"`
		Meta          *Meta      `json:"meta,omitempty"`
	}{r.ID, r.Attributes.ResourceType(), r.Attributes, r.Relationships, r.Links, r.Meta}
}

// work returns the newest work on the resource.
func (r Resource[A, R]) work() *OperationMeta {
	if r.Meta == nil {
		return nil
	}
	return r.Meta.Operation
}

// printed returns the printed form of v.
func printed(v any) any {
	if r, ok := v.(interface{ object() any }); ok {
		return r.object()
	}
	return v
}

func printedAll(secrets *revealer, list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = secrets.shown(printed(v))
	}
	return out
}

// resourceSuffix ends the names of the components of resources.
const resourceSuffix = "Resource"

// Schema describes the resource object, as a component named after the attributes: SiteAttributes makes SiteResource.
func (r Resource[A, R]) Schema(reg huma.Registry) *huma.Schema {
	var a A
	return resourceSchema(reg, a, reflect.TypeFor[A](), reflect.TypeFor[R]())
}

func resourceSchema(reg huma.Registry, a Attributes, attributes, relationships reflect.Type) *huma.Schema {
	name := strings.TrimSuffix(attributes.Name(), "Attributes") + resourceSuffix
	ref := &huma.Schema{Ref: componentRef + name}
	if reg.Map()[name] != nil {
		return ref
	}
	s := &huma.Schema{Type: huma.TypeObject, Required: []string{"id", "type", "attributes"}, Properties: map[string]*huma.Schema{
		"id":         {Type: huma.TypeString, Description: idWords},
		"type":       {Type: huma.TypeString, Enum: []any{a.ResourceType()}, Description: typeWords},
		"attributes": described(reg.Schema(attributes, true, ""), "The fields of the resource."),
		"meta":       metaSchema(reg, name, a),
	}}
	reg.Map()[name] = s
	markOurs(reg, attributes)
	if relationships != reflect.TypeFor[NoRelationships]() {
		s.Properties["relationships"] = described(reg.Schema(relationships, true, ""), "The ids of related resources.")
	}
	if _, any := a.(interface{ AnyType() }); any {
		s.Properties["type"] = &huma.Schema{Type: huma.TypeString, Description: typeWords}
	}
	if _, unlinked := a.(interface{ Unlinked() }); !unlinked {
		s.Properties["links"] = described(reg.Schema(reflect.TypeFor[SelfLinks](), true, ""), "The address of the resource.")
		s.Required = append(s.Required, "links")
	}
	return ref
}

// Document is an answer with one resource.
type Document[T any] struct {
	Data     T
	Included []any
	// Meta is beside the data: a value of the type of the operation's Meta.
	Meta any
	// Location is the path of a created resource below the API's root; Event the id of the event of its work.
	Location string
	Event    int64
	// Cookies are set by operations registered with Do.
	Cookies []*http.Cookie
}

// any is the same answer without its type: what is done with answers of all types is compiled once.
func (d Document[T]) any() Document[any] {
	return Document[any]{d.Data, d.Included, d.Meta, d.Location, d.Event, d.Cookies}
}

// Empty is an answer without a body.
type Empty struct {
	Event int64
}
