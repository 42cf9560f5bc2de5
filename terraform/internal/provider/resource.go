package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// thing is a resource.
type thing struct {
	noun noun
	api  *api
}

const (
	noOrganization       = "No organization is named"
	noOrganizationDetail = "Set organization here or in the provider's block, or set HOSTLER_ORG."
)

func (r *thing) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.noun.Name
}

func (r *thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.noun.schema()
}

func (r *thing) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.api, _ = req.ProviderData.(*api)
}

// parameters returns those of the paths.
func (r *thing) parameters(of map[string]tftypes.Value) map[string]string {
	out := map[string]string{}
	for _, p := range r.noun.Parents {
		out[p.In] = asText(of[p.Name])
	}
	if r.noun.ID != "" {
		out[r.noun.ID] = asText(of["id"])
	}
	return out
}

// Keys of what is kept beside the state.
const (
	// keyAnswered is what the API answered for attributes that it writes otherwise than the configuration: as long as it does, they have not changed.
	keyAnswered = "answered"
	// keyImported is set until the first change after an import: what the API does not answer is unknown until then.
	keyImported = "imported"
)

// keeper is what the framework keeps beside the state.
type keeper interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func (r *thing) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	plan, config, state := values(req.Plan.Raw), values(req.Config.Raw), values(req.State.Raw)
	if len(r.noun.Parents) > 0 && r.noun.Parents[0].Name == organization && config[organization].IsNull() && r.api != nil {
		if r.api.organization == "" {
			resp.Diagnostics.AddAttributeError(path.Root(organization), noOrganization, noOrganizationDetail)
			return
		}
		plan[organization] = tftypes.NewValue(tftypes.String, r.api.organization)
	}
	if len(state) > 0 {
		r.planChange(ctx, req, resp, plan, config, state)
	}
	resp.Plan.Raw = tftypes.NewValue(req.Plan.Raw.Type(), plan)
}

// planChange plans what stays, and whether the resource is replaced.
func (r *thing) planChange(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, config, state map[string]tftypes.Value,
) {
	stays := func(name string) {
		if v, ok := state[name]; ok && !v.IsNull() && config[name].IsNull() {
			plan[name] = v
		}
	}
	replaces := func(name string) {
		if plan[name].IsFullyKnown() && !plan[name].Equal(state[name]) || !plan[name].IsFullyKnown() && !config[name].IsNull() {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
		}
	}
	for _, p := range r.noun.Parents {
		replaces(p.Name)
	}
	if r.noun.ID != "" {
		stays("id")
	}
	imported, wrong := req.Private.GetKey(ctx, keyImported)
	resp.Diagnostics.Append(wrong...)
	for _, a := range r.noun.Attributes {
		name := a.Name
		if a.Secret {
			name += version_
		} else if a.sent() || a.Name == "created_at" {
			stays(name)
		}
		if a.Replace && (a.Answer != "" && !a.Secret || string(imported) != "true" || !state[name].IsNull()) {
			replaces(name)
		}
	}
}

// The calls that take a body: late is the change that follows a creation, with what only a change takes.
const (
	creating = iota
	late
	changing
)

// body returns what a call sends, and whether any of it is new.
func (r *thing) body(to int, plan, config, state map[string]tftypes.Value) (body map[string]any, changes bool) {
	body = map[string]any{}
	for _, a := range r.noun.Attributes {
		field := a.Field
		if to != creating && a.Change != "" {
			field = a.Change
		}
		if to == creating && !a.Create || to != creating && !a.Update || to == late && a.Create && !a.Needed {
			continue
		}
		v, at := plan[a.Name], a.Name
		if a.Secret {
			v, at = config[a.Name], a.Name+version_
		}
		changed := to == creating || to == late && !a.Create || to == changing && !plan[at].Equal(state[at])
		if a.Secret && !changed && !a.Needed || !given(v) {
			continue
		}
		if changed || a.Needed || !config[a.Name].IsNull() {
			body[field] = a.encode(v)
			changes = changes || changed
		}
	}
	return body, changes
}

// merged returns the state after a call: what was planned, and what the API says of the rest. answered is for keyAnswered.
func (r *thing) merged(plan map[string]tftypes.Value, d *document) (state map[string]tftypes.Value, answered map[string]any) {
	state, answered = map[string]tftypes.Value{}, map[string]any{}
	for name, v := range plan {
		state[name] = known(v)
	}
	for _, a := range r.noun.Attributes {
		if a.Secret || a.Answer == "" || d == nil {
			continue
		}
		raw := a.of(d)
		v := a.decode(raw)
		if p := plan[a.Name]; !p.IsFullyKnown() || p.IsNull() && !a.sent() {
			state[a.Name] = v
		} else if !p.Equal(v) {
			answered[a.Name] = raw
		}
	}
	return state, answered
}

// of returns an attribute's member of an answer.
func (a attribute) of(d *document) any {
	switch {
	case a.Answer == "id":
		return d.id
	case a.From != "":
		return d.beside[a.From]
	}
	var at any = d.attributes
	path := strings.Split(a.Answer, ".")
	if path[0] == "meta" {
		at, path = d.meta, path[1:]
	}
	for _, name := range path {
		of, _ := at.(map[string]any)
		at = of[name]
	}
	return at
}

func keep(ctx context.Context, in keeper, key string, value any) diag.Diagnostics {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = []byte("null")
	}
	return in.SetKey(ctx, key, raw)
}

func (r *thing) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, config := values(req.Plan.Raw), values(req.Config.Raw)
	kind, at := req.Plan.Raw.Type(), r.parameters(plan)
	const doing = "Creating"
	body, _ := r.body(creating, plan, config, nil)
	d, event, err := r.api.call(ctx, *r.noun.Create, at, body)
	if err != nil {
		explain(&resp.Diagnostics, doing, r.noun.Attributes, err)
		return
	}
	made := func() { // kept before anything else can fail: what exists must be known, and is replaced then
		if d != nil && r.noun.ID != "" {
			plan["id"] = tftypes.NewValue(tftypes.String, d.id)
		}
		state, _ := r.merged(plan, nil)
		resp.State.Raw = tftypes.NewValue(kind, state)
		at = r.parameters(plan)
	}
	if r.noun.Key == "" {
		made()
	}
	if err = r.api.wait(ctx, at[organization], event); err == nil && r.noun.Key != "" {
		d, err = r.find(ctx, plan, at)
		if err == nil {
			made()
		}
	}
	if err == nil && r.noun.Update != nil {
		if body, changes := r.body(late, plan, config, nil); changes {
			_, event, err = r.api.call(ctx, *r.noun.Update, at, body)
			if err == nil {
				err = r.api.wait(ctx, at[organization], event)
			}
		}
	}
	if err == nil {
		d, err = r.api.read(ctx, r.noun, at)
	}
	if err != nil {
		explain(&resp.Diagnostics, doing, r.noun.Attributes, err)
		return
	}
	state, answered := r.merged(plan, d)
	resp.State.Raw = tftypes.NewValue(kind, state)
	resp.Diagnostics.Append(keep(ctx, resp.Private, keyAnswered, answered)...)
}

// find finds what was just created by its key.
func (r *thing) find(ctx context.Context, plan map[string]tftypes.Value, at map[string]string) (*document, error) {
	all, err := r.api.list(ctx, call{http.MethodGet, r.noun.Create.Path}, at, nil)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		for _, a := range r.noun.Attributes {
			if a.Name == r.noun.Key && a.decode(a.of(&d)).Equal(plan[a.Name]) {
				return &d, nil
			}
		}
	}
	return nil, errGone
}

func (r *thing) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := values(req.State.Raw)
	d, err := r.api.read(ctx, r.noun, r.parameters(state))
	if gone(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		explain(&resp.Diagnostics, "Reading", nil, err)
		return
	}
	raw, wrong := req.Private.GetKey(ctx, keyAnswered)
	resp.Diagnostics.Append(wrong...)
	answered := map[string]json.RawMessage{}
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &answered) // written by keep
	}
	for _, a := range r.noun.Attributes {
		if a.Secret || a.Answer == "" {
			continue
		}
		now := a.of(d)
		if before, ok := answered[a.Name]; ok {
			if packed, err := json.Marshal(now); err == nil && string(packed) == string(before) {
				continue // it is what the configuration was written as
			}
		}
		state[a.Name] = a.decode(now)
	}
	resp.State.Raw = tftypes.NewValue(req.State.Raw.Type(), state)
}

func (r *thing) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, config, state := values(req.Plan.Raw), values(req.Config.Raw), values(req.State.Raw)
	at := r.parameters(plan)
	var err error
	if r.noun.Update != nil {
		if body, changes := r.body(changing, plan, config, state); changes {
			var event string
			_, event, err = r.api.call(ctx, *r.noun.Update, at, body)
			if err == nil {
				err = r.api.wait(ctx, at[organization], event)
			}
		}
	}
	var d *document
	if err == nil {
		d, err = r.api.read(ctx, r.noun, at)
	}
	if err != nil {
		explain(&resp.Diagnostics, "Changing", r.noun.Attributes, err)
		return
	}
	after, answered := r.merged(plan, d)
	resp.State.Raw = tftypes.NewValue(req.Plan.Raw.Type(), after)
	resp.Diagnostics.Append(keep(ctx, resp.Private, keyAnswered, answered)...)
	resp.Diagnostics.Append(keep(ctx, resp.Private, keyImported, false)...)
}

func (r *thing) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if r.noun.Delete == nil {
		return // it is always there
	}
	at := r.parameters(values(req.State.Raw))
	_, event, err := r.api.call(ctx, *r.noun.Delete, at, nil)
	if err == nil {
		err = r.api.wait(ctx, at[organization], event)
	}
	if err != nil && !gone(err) {
		if _, now := r.api.read(ctx, r.noun, at); gone(now) { // with its server, the event is gone as well
			return
		}
		explain(&resp.Diagnostics, "Deleting", nil, err)
	}
}

// ImportState takes the ids of the path, with / between them: acme/12/3.
func (r *thing) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var names []string
	for _, p := range r.noun.Parents {
		names = append(names, p.Name)
	}
	if r.noun.ID != "" {
		names = append(names, "id")
	}
	parts := strings.SplitN(req.ID, "/", len(names))
	for _, part := range parts {
		if len(parts) != len(names) || part == "" {
			resp.Diagnostics.AddError("The id to import has the wrong form", fmt.Sprintf("It must be %s, and is %q.", strings.Join(names, "/"), req.ID))
			return
		}
	}
	for i, name := range names {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), parts[i])...)
	}
	resp.Diagnostics.Append(keep(ctx, resp.Private, keyImported, true)...)
}
