// Package provider is the Terraform provider for Hostler. What it knows of the API is in nouns.go, which is generated from the API's description; how
// Terraform's calls become the API's is written here.
package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hostlerhq/hostler/client/hostler"
)

// New makes the provider.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &hostlerProvider{version} }
}

type hostlerProvider struct{ version string }

func (p *hostlerProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName, resp.Version = "hostler", p.version
}

func (p *hostlerProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages what a Hostler installation has.",
		Attributes: map[string]schema.Attribute{
			"url": schema.StringAttribute{Optional: true, MarkdownDescription: "The installation, such as https://panel.example.com. Without it, `HOSTLER_URL`."},
			"token": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "A token of your account. Without it, `HOSTLER_TOKEN`, which keeps it out of plans.",
			},
			"organization": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The organization of resources that name none, as in its addresses. Without it, `HOSTLER_ORG`.",
			},
		},
	}
}

func (p *hostlerProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config struct {
		URL          types.String `tfsdk:"url"`
		Token        types.String `tfsdk:"token"`
		Organization types.String `tfsdk:"organization"`
	}
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); resp.Diagnostics.HasError() {
		return
	}
	value := func(name, variable string, v types.String, needed bool) string {
		text := v.ValueString()
		switch {
		case v.IsUnknown():
			resp.Diagnostics.AddAttributeError(path.Root(name), "The "+name+" is not known yet",
				"It depends on what is yet to be applied. Apply that first, or set "+variable+".")
		case text == "":
			text = os.Getenv(variable)
		}
		if text == "" && needed && !v.IsUnknown() {
			resp.Diagnostics.AddAttributeError(path.Root(name), "The "+name+" is missing", "Set it in the provider's block, or set "+variable+".")
		}
		return text
	}
	base, token := value("url", "HOSTLER_URL", config.URL, true), value("token", "HOSTLER_TOKEN", config.Token, true)
	org := value(organization, "HOSTLER_ORG", config.Organization, false)
	if resp.Diagnostics.HasError() {
		return
	}
	a, err := newAPI(base, token, hostler.WithUserAgent("terraform-provider-hostler/"+p.version))
	if err != nil {
		resp.Diagnostics.AddError("The installation can't be called", err.Error())
		return
	}
	a.organization = org
	resp.ResourceData, resp.DataSourceData, resp.EphemeralResourceData = a, a, a
}

func (p *hostlerProvider) Resources(context.Context) []func() resource.Resource {
	var out []func() resource.Resource
	for _, n := range nouns {
		out = append(out, func() resource.Resource { return &thing{noun: n} })
	}
	return out
}

func (p *hostlerProvider) DataSources(context.Context) []func() datasource.DataSource {
	var out []func() datasource.DataSource
	for _, s := range sources {
		out = append(out, func() datasource.DataSource { return &reader{source: s} })
	}
	return out
}

func (p *hostlerProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	var out []func() ephemeral.EphemeralResource
	for _, s := range secrets {
		out = append(out, func() ephemeral.EphemeralResource { return &opener{source: s} })
	}
	return out
}
