package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	ephemeral "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// noun is what a resource is made from.
type noun struct {
	Name, About string
	// Parents are the parameters of the paths, without the id, in the order of an import.
	Parents []parameter
	// ID is the parameter that is the id, "" for what there is only one of.
	ID string
	// Key is the attribute by which what was created is found in the list, for calls that answer nothing.
	Key string
	// Absent is the attribute of the answer that is false or null if there is none.
	Absent string
	// Create is also Update for what is always there, which has no Delete. Listed is set if Read is a list.
	Create, Read, Update, Delete *call
	Listed                       bool
	Attributes                   []attribute
}

// source is what a data source or an ephemeral resource is made from.
type source struct {
	Name, About string
	Parents     []parameter
	ID          string
	Read        call
	// Listed is set for a list, whose Filters are the names that its filter takes.
	Listed     bool
	Filters    []string
	Attributes []attribute
}

// parameter is one of a path: Name is the attribute's, In the path's.
type parameter struct{ Name, In, About string }

type call struct{ Method, Path string }

// attribute is a member of a body, of an answer, or of both.
type attribute struct {
	// Name is the attribute's, Field that of a body, Change that of a change if it has another one, and Answer that of an answer: below its attributes, below
	// meta, or "id". They are "" for none.
	Name, Field, Change, Answer, About string
	Kind, Elem                         kind
	// Of are the members of an object, or of the objects in a list.
	Of []attribute
	// Create and Update are set if these calls take it. Required is set if Create must have it, Needed if Update must.
	Create, Update, Required, Needed bool
	// From is the path of a list whose Answer is this one's values.
	From string
	// Values are the known ones of a text that is sent: answers write some of them otherwise.
	Values []string
	// Secret is set for a secret, Replace if it can't be changed.
	Secret, Replace bool
}

type kind byte

const (
	text kind = iota + 1
	whole
	number
	boolean
	list
	dictionary
	object
	objects
	anything // as JSON
)

func (a attribute) sent() bool { return a.Create || a.Update }

const (
	organization = "organization"
	version_     = "_version"
)

// kindType returns the type of a value.
func (a attribute) kindType() attr.Type {
	scalar := map[kind]attr.Type{text: types.StringType, whole: types.Int64Type, number: types.Float64Type, boolean: types.BoolType, anything: types.StringType}
	of := func() attr.Type {
		all := map[string]attr.Type{}
		for _, m := range a.Of {
			all[m.Name] = m.kindType()
		}
		return types.ObjectType{AttrTypes: all}
	}
	switch a.Kind {
	case list:
		return types.ListType{ElemType: scalar[a.Elem]}
	case dictionary:
		return types.MapType{ElemType: scalar[a.Elem]}
	case object:
		return of()
	case objects:
		return types.ListType{ElemType: of()}
	}
	return scalar[a.Kind]
}

// resourceAttribute returns the schema of an attribute of a resource.
func (a attribute) resourceAttribute() schema.Attribute {
	required, optional := a.Required, a.sent() && !a.Required
	computed, hidden := a.Answer != "" && !a.Required && !a.Secret, a.Secret
	var members map[string]schema.Attribute
	if a.sent() {
		members = map[string]schema.Attribute{}
		for _, m := range a.Of {
			m.Create, m.Secret = true, a.Secret
			members[m.Name] = m.resourceAttribute()
		}
	}
	about := a.about()
	switch a.Kind {
	case whole:
		return schema.Int64Attribute{Required: required, Optional: optional, Computed: computed, WriteOnly: hidden, MarkdownDescription: about}
	case number:
		return schema.Float64Attribute{Required: required, Optional: optional, Computed: computed, WriteOnly: hidden, MarkdownDescription: about}
	case boolean:
		return schema.BoolAttribute{Required: required, Optional: optional, Computed: computed, WriteOnly: hidden, MarkdownDescription: about}
	case list:
		return schema.ListAttribute{
			Required: required, Optional: optional, Computed: computed, WriteOnly: hidden, MarkdownDescription: about,
			ElementType: attribute{Kind: a.Elem}.kindType(),
		}
	case dictionary:
		return schema.MapAttribute{
			Required: required, Optional: optional, Computed: computed, WriteOnly: hidden, MarkdownDescription: about,
			ElementType: attribute{Kind: a.Elem}.kindType(),
		}
	case object:
		if members == nil {
			return schema.ObjectAttribute{Computed: true, MarkdownDescription: about, AttributeTypes: a.kindType().(types.ObjectType).AttrTypes}
		}
		return schema.SingleNestedAttribute{Required: required, Optional: optional, WriteOnly: hidden, MarkdownDescription: about, Attributes: members}
	case objects:
		if members == nil {
			return schema.ListAttribute{Computed: true, MarkdownDescription: about, ElementType: a.kindType().(types.ListType).ElemType}
		}
		return schema.ListNestedAttribute{
			Required: required, Optional: optional, WriteOnly: hidden, MarkdownDescription: about, NestedObject: schema.NestedAttributeObject{Attributes: members},
		}
	}
	return schema.StringAttribute{Required: required, Optional: optional, Computed: computed, WriteOnly: hidden, MarkdownDescription: about}
}

func (a attribute) about() string {
	about := a.About
	if a.Secret {
		about += " It is sent and not kept: change `" + a.Name + version_ + "` to send it again."
	}
	if a.Replace {
		about += " A change replaces the resource."
	}
	return about
}

// schema returns the schema of a resource.
func (n noun) schema() schema.Schema {
	all := map[string]schema.Attribute{}
	for _, p := range n.Parents {
		all[p.Name] = schema.StringAttribute{
			Required: p.Name != organization, Optional: p.Name == organization, Computed: p.Name == organization,
			MarkdownDescription: p.About + " A change replaces the resource.",
		}
	}
	if n.ID != "" {
		all["id"] = schema.StringAttribute{Computed: true, MarkdownDescription: "The id."}
	}
	for _, a := range n.Attributes {
		all[a.Name] = a.resourceAttribute()
		if a.Secret {
			all[a.Name+version_] = schema.Int64Attribute{Optional: true, MarkdownDescription: "Any number. When it changes, `" + a.Name + "` is sent again."}
		}
	}
	return schema.Schema{MarkdownDescription: n.About, Attributes: all}
}

// inputs and outputs are the parts of a source's schema: texts that are given, and what is answered.
func (s source) inputs() (required []parameter) {
	required = append(required, s.Parents...)
	if s.ID != "" {
		required = append(required, parameter{"id", s.ID, "The id."})
	}
	return required
}

// outputs are the attributes of a source's result. Those of a list are members of items.
func (s source) outputs() []attribute {
	if !s.Listed {
		return s.Attributes
	}
	members := append([]attribute{{Name: "id", Answer: "id", Kind: text}}, s.Attributes...)
	return []attribute{{Name: "items", Kind: objects, Of: members, About: "All that match."}}
}

const filterAbout = "Which ones: a value for some of the names of the API's parameters `filter[…]`."

// schema returns the schema of a data source.
func (s source) schema() data.Schema {
	all := map[string]data.Attribute{}
	for _, p := range s.inputs() {
		named := p.Name != organization
		all[p.Name] = data.StringAttribute{Required: named, Optional: !named, Computed: !named, MarkdownDescription: p.About}
	}
	if len(s.Filters) > 0 {
		all["filter"] = data.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: filterAbout}
	}
	for _, a := range s.outputs() {
		switch of := a.kindType().(type) {
		case types.ListType:
			all[a.Name] = data.ListAttribute{Computed: true, ElementType: of.ElemType, MarkdownDescription: a.About}
		case types.MapType:
			all[a.Name] = data.MapAttribute{Computed: true, ElementType: of.ElemType, MarkdownDescription: a.About}
		case types.ObjectType:
			all[a.Name] = data.ObjectAttribute{Computed: true, AttributeTypes: of.AttrTypes, MarkdownDescription: a.About}
		default:
			all[a.Name] = map[kind]data.Attribute{
				whole:   data.Int64Attribute{Computed: true, MarkdownDescription: a.About},
				number:  data.Float64Attribute{Computed: true, MarkdownDescription: a.About},
				boolean: data.BoolAttribute{Computed: true, MarkdownDescription: a.About},
			}[a.Kind]
			if all[a.Name] == nil {
				all[a.Name] = data.StringAttribute{Computed: true, MarkdownDescription: a.About}
			}
		}
	}
	return data.Schema{MarkdownDescription: s.About, Attributes: all}
}

// ephemeralSchema returns the schema of an ephemeral resource.
func (s source) ephemeralSchema() ephemeral.Schema {
	all := map[string]ephemeral.Attribute{}
	for name, a := range s.schema().Attributes {
		switch of := a.(type) {
		case data.StringAttribute:
			all[name] = ephemeral.StringAttribute{Required: of.Required, Optional: of.Optional, Computed: of.Computed, MarkdownDescription: of.MarkdownDescription}
		case data.Int64Attribute:
			all[name] = ephemeral.Int64Attribute{Computed: true, MarkdownDescription: of.MarkdownDescription}
		case data.BoolAttribute:
			all[name] = ephemeral.BoolAttribute{Computed: true, MarkdownDescription: of.MarkdownDescription}
		case data.ListAttribute:
			all[name] = ephemeral.ListAttribute{Computed: true, ElementType: of.ElementType, MarkdownDescription: of.MarkdownDescription}
		case data.MapAttribute:
			all[name] = ephemeral.MapAttribute{Computed: true, ElementType: of.ElementType, MarkdownDescription: of.MarkdownDescription}
		case data.ObjectAttribute:
			all[name] = ephemeral.ObjectAttribute{Computed: true, AttributeTypes: maps.Clone(of.AttributeTypes), MarkdownDescription: of.MarkdownDescription}
		}
	}
	return ephemeral.Schema{MarkdownDescription: s.About, Attributes: all}
}
