package credential

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
)

// VpcAttributes are the attributes of a private network at a provider.
type VpcAttributes struct {
	Name      string      `json:"name"`
	CIDRBlock string      `json:"cidrBlock" doc:"Empty if only subnets have ranges."`
	Subnets   []VpcSubnet `json:"subnets" nullable:"false"`
	Region    string      `json:"region"`
}

// VpcSubnet is a part of a private network.
type VpcSubnet struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CIDRBlock string `json:"cidrBlock"`
}

// ResourceType returns vpcs.
func (VpcAttributes) ResourceType() string { return "vpcs" }

// AnyType marks that the contract leaves the type open.
func (VpcAttributes) AnyType() {}

// VPCResource is a private network in a document.
type VPCResource = api.Resource[VpcAttributes, api.NoRelationships]

// CreateServerProviderNetworkRequest asks for a private network.
type CreateServerProviderNetworkRequest struct {
	Name string `json:"name" maxLength:"255"`
}

// VPCPath is a region at the provider of a credential.
type VPCPath struct {
	Path
	account *cloud.Cloud
	region  string
}

func (o *Operations) registerVPCs() {
	const many, single = "/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs",
		"/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs/{vpcId}"
	const asked = "Queries the provider, for at most half a minute; a 409 says why it did not succeed."
	view := []access.Permission{access.ServerView, access.CredentialView}
	op := func(id, method, path, summary, description string, permissions ...access.Permission) api.Operation {
		return api.Operation{
			ID: id, Method: method, Path: path, Tag: "Organizations", Mode: api.Sync,
			Permissions: permissions,
			Texts:       []string{"region", "vpcId"}, Conflict: true, Noun: "vpcs", Summary: summary, Description: description,
		}
	}
	index := op("organizations.server-credentials.vpcs.index", http.MethodGet, many, "List the private networks of a region", asked, view...)
	index.Whole, index.Numbered = true, true
	store := op("organizations.server-credentials.vpcs.store", http.MethodPost, many, "Create a private network",
		"The range is chosen by the provider, or is 10.0.0.0/16. At AWS the network has no subnets. Names are unique within a region: if a response is lost, look "+
			"for the name in the list.", access.ServerCreate)
	store.Status, store.Failing = http.StatusCreated, true
	api.Index(o.Router, index, o.inRegion, o.vpcs)
	api.Do(o.Router, store, o.inRegion, o.createVPC)
	show := op("organizations.server-credentials.vpcs.show", http.MethodGet, single, "Get a private network", asked, view...)
	api.Show(o.Router, show, o.inRegion, o.vpc)
}

// inRegion loads a credential, and a region that its provider has.
func (o *Operations) inRegion(ctx context.Context, actor access.Actor, path api.PathValues) (VPCPath, error) {
	p, err := o.Store.InPath(ctx, actor, path)
	if err != nil {
		return VPCPath{}, err
	}
	s, err := o.open(p.Credential)
	if err != nil {
		return VPCPath{}, err
	}
	account, err := o.Clouds.Open(s.account(p.Credential.Provider))
	if err != nil {
		return VPCPath{}, err
	}
	region := path.Slug("region")
	has, err := account.HasRegion(ctx, region)
	if err != nil {
		return VPCPath{}, answer(err)
	}
	if !has {
		return VPCPath{}, access.ErrNotFound
	}
	return VPCPath{Path: p, account: account, region: region}, nil
}

// answer says what a provider's problem means for the caller.
func answer(err error) error {
	p := (*cloud.Problem)(nil)
	switch {
	case !errors.As(err, &p):
		return err
	case p.Kind == cloud.Missing:
		return access.ErrNotFound
	case p.Kind == cloud.Limited:
		e := &api.Error{Status: http.StatusTooManyRequests, Message: p.Reason}
		if p.After > 0 {
			e.Header = http.Header{"Retry-After": {strconv.Itoa(int(p.After.Seconds()))}}
		}
		return e
	default:
		return api.Conflict("%s", p.Reason)
	}
}

func (o *Operations) vpcResource(p VPCPath, n cloud.Network) VPCResource {
	a := VpcAttributes{Name: n.Name, CIDRBlock: n.CIDR, Region: n.Region, Subnets: []VpcSubnet{}}
	for _, s := range n.Subnets {
		a.Subnets = append(a.Subnets, VpcSubnet{ID: s.ID, Name: s.Name, CIDRBlock: s.CIDR})
	}
	return VPCResource{ID: n.ID, Attributes: a, Links: o.Router.Links(vpcLink(p, n.ID))}
}

func vpcLink(p VPCPath, id string) string {
	return fmt.Sprintf("/orgs/%s/server-credentials/%d/regions/%s/vpcs/%s", p.Slug, p.Credential.ID, p.region, url.PathEscape(id))
}

func (o *Operations) vpcs(ctx context.Context, c api.Call[VPCPath]) (api.Collection[VPCResource], error) {
	list, err := c.Parent.account.Networks(ctx, c.Parent.region)
	if err != nil {
		return api.Collection[VPCResource]{}, answer(err)
	}
	data, err := api.Each(func(n cloud.Network) VPCResource { return o.vpcResource(c.Parent, n) })(list...)
	return api.Collection[VPCResource]{Data: data}, err
}

// vpc looks a network up in the list: its id, which a caller wrote, is compared and never becomes a part of an address.
func (o *Operations) vpc(ctx context.Context, c api.Call[VPCPath]) (api.Document[VPCResource], error) {
	list, err := c.Parent.account.Networks(ctx, c.Parent.region)
	if err != nil {
		return api.Document[VPCResource]{}, answer(err)
	}
	id := c.Path.Slug("vpcId")
	i := slices.IndexFunc(list, func(n cloud.Network) bool { return n.ID == id })
	if i < 0 {
		return api.Document[VPCResource]{}, access.ErrNotFound
	}
	return api.Document[VPCResource]{Data: o.vpcResource(c.Parent, list[i])}, nil
}

func (o *Operations) createVPC(ctx context.Context, c api.Call[VPCPath], b CreateServerProviderNetworkRequest) (api.Document[VPCResource], error) {
	var none api.Document[VPCResource]
	name := c.Fields.Trimmed("name", b.Name)
	if name != "" {
		c.Fields.Line("name", name, 0)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	made, err := c.Parent.account.CreateNetwork(ctx, c.Parent.region, name)
	if p := (*cloud.Problem)(nil); errors.As(err, &p) && p.Kind == cloud.Invalid {
		return none, api.Invalid("name", "%s", p.Reason)
	}
	if err != nil {
		return none, answer(err)
	}
	return api.Document[VPCResource]{Data: o.vpcResource(c.Parent, made), Location: vpcLink(c.Parent, made.ID)}, nil
}
