package api

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Meta is what Hostler adds to a resource beyond the contract's attributes.
type Meta struct {
	// Operation is the newest work on the resource, and its state.
	Operation *OperationMeta `json:"operation,omitempty"`
	// ShownOnce is a secret that was just generated, and is in no other answer.
	ShownOnce *ShownOnce `json:"shown_once,omitempty"`
	// SecretShown is set if an answer is repeated whose secret was shown the first time.
	SecretShown bool `json:"secret_shown,omitempty"`
	// Included contains the counts that include=…Count and …Exists requested.
	Included map[string]any `json:"included,omitempty"`
	// Own are the noun's members, printed beside these: structs of the types that the attributes have in their Metas.
	Own []any `json:"-"`
}

// metaName is the component of a Meta without members of a noun, and ends the names of the others.
const metaName = "Meta"

// MarshalJSON prints the members and the noun's own as one object.
func (m Meta) MarshalJSON() ([]byte, error) {
	type common Meta
	out, err := json.Marshal(common(m))
	for _, own := range m.Own {
		more, failed := json.Marshal(own)
		if err = errors.Join(err, failed); err != nil {
			return nil, err
		}
		out = joined(out, more)
	}
	return out, err
}

// joined returns one object with the members of two.
func joined(a, b []byte) []byte {
	switch {
	case string(a) == "{}":
		return b
	case string(b) == "{}":
		return a
	}
	return append(append(a[:len(a)-1], ','), b[1:]...)
}

// Metas is implemented by attributes whose resources have members of the noun in their meta: a zero struct of each type of Meta.Own.
type Metas interface{ Metas() []any }

// metaSchema describes the meta of the resources that a component is for, as a component of its own where the noun adds members.
func metaSchema(reg huma.Registry, of string, a Attributes) *huma.Schema {
	s := huma.SchemaFromType(reg, reflect.TypeFor[Meta]())
	s.Required = nil
	name := metaName
	if nouns, adds := a.(Metas); adds && len(nouns.Metas()) > 0 {
		name = of + metaName
		for _, own := range nouns.Metas() {
			maps.Copy(s.Properties, huma.SchemaFromType(reg, reflect.TypeOf(own)).Properties)
		}
	}
	reg.Map()[name] = s
	return &huma.Schema{Ref: componentRef + name, Description: "What is known about the resource beyond its fields, such as the work on it."}
}

// OperationMeta is the block meta.operation.
type OperationMeta struct {
	ID     string  `json:"id"`
	State  string  `json:"state" enum:"pending,running,succeeded,failed,cancelled"`
	Action string  `json:"action"`
	Step   *string `json:"step"`
	Reason *string `json:"reason"`
	// ReasonCode is Reason for clients, which speak another language or act on it, and ReasonParams what it is about.
	ReasonCode   string         `json:"reason_code,omitempty"`
	ReasonParams map[string]any `json:"reason_params,omitempty"`
	Attempt      int64          `json:"attempt"`
	Deadline     Time           `json:"deadline"`
	EventID      *string        `json:"event_id"`
	// Reversible reports whether the server is rolled back if the work ends early.
	Reversible bool `json:"reversible"`
	// EndedAt is when the work ended, nil if it has not.
	EndedAt *Time `json:"ended_at,omitempty"`
}

// ShownOnce are the secrets of an answer.
type ShownOnce struct {
	// Username is the account that a password is for, where its name was generated as well.
	Username string `json:"username,omitempty"`
	Token    Secret `json:"token,omitzero"`
	Secret   Secret `json:"secret,omitzero"`
	URL      Secret `json:"url,omitzero"`
	// Invitations are the links of invitations, to be handed on where no email reaches the invited people.
	Invitations   []ShownInvitation `json:"invitations,omitempty"`
	RecoveryCodes []Secret          `json:"recovery_codes,omitempty"`
	Password      Secret            `json:"password,omitzero"`
}

// ShownInvitation is the link of an invitation.
type ShownInvitation struct {
	Email string `json:"email"`
	URL   Secret `json:"url"`
}
