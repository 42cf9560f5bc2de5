package provider

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// reader is a data source.
type reader struct {
	source source
	api    *api
}

func (r *reader) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.source.Name
}

func (r *reader) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = r.source.schema()
}

func (r *reader) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	r.api, _ = req.ProviderData.(*api)
}

func (r *reader) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.State.Raw = r.api.fetch(ctx, r.source, req.Config.Raw, &resp.Diagnostics)
}

// opener is an ephemeral resource: what it reads is kept nowhere.
type opener struct {
	source source
	api    *api
}

func (o *opener) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + o.source.Name
}

func (o *opener) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = o.source.ephemeralSchema()
}

func (o *opener) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	o.api, _ = req.ProviderData.(*api)
}

func (o *opener) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Result.Raw = o.api.fetch(ctx, o.source, req.Config.Raw, &resp.Diagnostics)
}

// fetch reads what a source is about.
func (a *api) fetch(ctx context.Context, s source, config tftypes.Value, wrong *diag.Diagnostics) tftypes.Value {
	all, parameters := values(config), map[string]string{}
	for _, p := range s.inputs() {
		v := asText(all[p.Name])
		if p.Name == organization && v == "" {
			if v = a.organization; v == "" {
				wrong.AddAttributeError(path.Root(organization), noOrganization, noOrganizationDetail)
				return config
			}
			all[p.Name] = tftypes.NewValue(tftypes.String, v)
		}
		parameters[p.In] = v
	}
	if !s.Listed {
		d, _, err := a.call(ctx, s.Read, parameters, nil)
		if err == nil && d == nil {
			err = errGone
		}
		if err != nil {
			explain(wrong, "Reading", nil, err)
			return config
		}
		for _, of := range s.Attributes {
			all[of.Name] = of.decode(d.attributes[of.Answer])
		}
		return tftypes.NewValue(config.Type(), all)
	}
	query, filters := url.Values{}, map[string]tftypes.Value{}
	if f, ok := all["filter"]; ok && given(f) {
		_ = f.As(&filters) // a map always can be
	}
	for name, v := range filters {
		if !slices.Contains(s.Filters, name) {
			wrong.AddAttributeError(path.Root("filter"), "There is no such filter", "The filters are "+strings.Join(s.Filters, ", ")+".")
			return config
		}
		query.Set("filter["+name+"]", asText(v))
	}
	found, err := a.list(ctx, s.Read, parameters, query)
	if err != nil {
		explain(wrong, "Reading", nil, err)
		return config
	}
	items := s.outputs()[0]
	members := []any{}
	for _, d := range found {
		if d.attributes == nil {
			d.attributes = map[string]any{}
		}
		d.attributes["id"] = d.id
		members = append(members, d.attributes)
	}
	all[items.Name] = items.decode(members)
	return tftypes.NewValue(config.Type(), all)
}
