package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// values returns the attributes of a plan, a state or a configuration; null has none.
func values(raw tftypes.Value) map[string]tftypes.Value {
	out := map[string]tftypes.Value{}
	if !raw.IsNull() && raw.IsKnown() {
		_ = raw.As(&out) // an object always can be
	}
	return out
}

// given reports whether a value is there and known.
func given(v tftypes.Value) bool { return v.Type() != nil && v.IsFullyKnown() && !v.IsNull() }

// known returns a value with null for what is not known.
func known(v tftypes.Value) tftypes.Value {
	if v.IsFullyKnown() {
		return v
	}
	return tftypes.NewValue(v.Type(), nil)
}

func asText(v tftypes.Value) string {
	var s string
	if given(v) {
		_ = v.As(&s) // what is no text is none
	}
	return s
}

// typ returns the type that Terraform has for an attribute.
func (a attribute) typ() tftypes.Type { return a.kindType().TerraformType(context.Background()) }

// encode returns a value as a body has it.
func (a attribute) encode(v tftypes.Value) any {
	if !given(v) {
		return nil
	}
	switch a.Kind {
	case whole, number:
		n := new(big.Float)
		_ = v.As(&n)
		return json.Number(n.Text('f', -1))
	case boolean:
		var b bool
		_ = v.As(&b)
		return b
	case list, objects:
		out, one := []any{}, attribute{Kind: a.Elem}
		if a.Kind == objects {
			one = attribute{Kind: object, Of: a.Of}
		}
		var all []tftypes.Value
		_ = v.As(&all)
		for _, e := range all {
			out = append(out, one.encode(e))
		}
		return out
	case dictionary:
		out, all := map[string]any{}, map[string]tftypes.Value{}
		_ = v.As(&all)
		for name, e := range all {
			out[name] = attribute{Kind: a.Elem}.encode(e)
		}
		return out
	case object:
		out, all := map[string]any{}, values(v)
		for _, m := range a.Of {
			if e := m.encode(all[m.Name]); e != nil {
				out[m.field()] = e
			}
		}
		return out
	}
	return asText(v)
}

func (a attribute) field() string {
	if a.Field != "" {
		return a.Field
	}
	if a.Answer != "" {
		return a.Answer
	}
	return a.Name
}

// decode returns the value of an answer's member; null for what has another kind.
func (a attribute) decode(raw any) tftypes.Value {
	null := tftypes.NewValue(a.typ(), nil)
	switch a.Kind {
	case whole, number:
		n, ok := new(big.Float).SetString(fmt.Sprint(raw))
		if raw == nil || !ok {
			return null
		}
		return tftypes.NewValue(tftypes.Number, n)
	case boolean:
		if b, ok := truth(raw); ok {
			return tftypes.NewValue(tftypes.Bool, b)
		}
	case list, objects:
		all, ok := raw.([]any)
		if !ok {
			return null
		}
		out, one := []tftypes.Value{}, attribute{Kind: a.Elem}
		if a.Kind == objects {
			one = attribute{Kind: object, Of: a.Of}
		}
		for _, e := range all {
			out = append(out, one.decode(e))
		}
		return tftypes.NewValue(a.typ(), out)
	case dictionary:
		all, ok := raw.(map[string]any)
		if !ok {
			return null
		}
		out := map[string]tftypes.Value{}
		for name, e := range all {
			out[name] = attribute{Kind: a.Elem}.decode(e)
		}
		return tftypes.NewValue(a.typ(), out)
	case object:
		all, ok := raw.(map[string]any)
		if !ok {
			return null
		}
		out := map[string]tftypes.Value{}
		for _, m := range a.Of {
			out[m.Name] = m.decode(all[m.field()])
		}
		return tftypes.NewValue(a.typ(), out)
	case anything:
		if raw == nil {
			return null
		}
		if s, ok := raw.(string); ok {
			return tftypes.NewValue(tftypes.String, s)
		}
		packed, err := json.Marshal(raw)
		if err != nil {
			return null
		}
		return tftypes.NewValue(tftypes.String, string(packed))
	default:
		switch v := raw.(type) {
		case string:
			return tftypes.NewValue(tftypes.String, a.spelled(v))
		case json.Number, bool:
			return tftypes.NewValue(tftypes.String, fmt.Sprint(v))
		}
	}
	return null
}

// spelled returns a known value as bodies write it: Static HTML is static-html, 8.4 php84.
func (a attribute) spelled(answered string) string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, strings.ToLower(s))
	}
	if answered == "" || slices.Contains(a.Values, answered) {
		return answered
	}
	for _, v := range a.Values {
		if of := plain(answered); plain(v) == of || plain(v) == "php"+of {
			return v
		}
	}
	return answered
}

// truth reads a boolean, which some answers have as a text.
func truth(raw any) (value, ok bool) {
	switch v := raw.(type) {
	case bool:
		return v, true
	case string:
		return v == "true", v == "true" || v == "false"
	}
	return false, false
}
