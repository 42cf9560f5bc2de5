package credential

import (
	"context"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
)

// OfferedSizeAttributes are the attributes of a size that an account can order.
type OfferedSizeAttributes struct {
	Name         string  `json:"name"`
	Code         string  `json:"code"`
	CPUs         *int    `json:"cpus" doc:"Null if neither the provider nor the built-in list has this value."`
	RAM          *int    `json:"ram" doc:"In MB."`
	Disk         *int    `json:"disk" doc:"In GB; null if it is chosen when the server is ordered."`
	PriceMonthly *string `json:"price_monthly" doc:"The provider's current price, a decimal number without taxes; null if the provider does not publish it."`
	Currency     *string `json:"currency" doc:"An ISO 4217 code; null if there is no price."`
}

// ResourceType returns offeredSizes.
func (OfferedSizeAttributes) ResourceType() string { return "offeredSizes" }

// OfferedSizeResource is a size that an account can order, in a document.
type OfferedSizeResource = api.Resource[OfferedSizeAttributes, api.NoRelationships]

func (o *Operations) registerSizes() {
	api.Index(o.Router, api.Operation{
		ID: "organizations.server-credentials.sizes.index", Method: http.MethodGet,
		Path: "/orgs/{organization}/server-credentials/{credential}/regions/{region}/sizes", Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView, access.CredentialView}, Texts: []string{"region"}, Conflict: true, Whole: true, Extension: true,
		Noun: "credential-sizes", Summary: "List the sizes available in a region",
		Description: "Lists sizes and prices from the provider, cheapest first. Waits at most half a minute; a 409 says why the provider did not respond " +
			"with them. AWS prices are not available.",
		Formerly: "credentials sizes",
	},
		o.inRegion, o.sizes)
}

func (o *Operations) sizes(ctx context.Context, c api.Call[VPCPath]) (api.Collection[OfferedSizeResource], error) {
	list, err := c.Parent.account.Offers(ctx, c.Parent.region)
	if err != nil {
		return api.Collection[OfferedSizeResource]{}, answer(err)
	}
	data, err := api.Each(func(s cloud.Offer) OfferedSizeResource {
		return OfferedSizeResource{ID: s.Code, Attributes: OfferedSizeAttributes{
			Name: s.Name(), Code: s.Code, CPUs: api.OrNull(s.CPUs), RAM: api.OrNull(s.RAM),
			Disk: api.OrNull(s.Disk), PriceMonthly: api.OrNull(s.Monthly), Currency: api.OrNull(s.Currency),
		}}
	})(list...)
	return api.Collection[OfferedSizeResource]{Data: data}, err
}
