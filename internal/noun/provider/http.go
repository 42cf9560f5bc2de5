// Package provider lists what servers can be rented: providers, their regions and their sizes, as the program was shipped with them.
package provider

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
)

// ProviderAttributes are the attributes of a provider.
type ProviderAttributes struct {
	Name              string  `json:"name"`
	Slug              string  `json:"slug"`
	SimpleName        *string `json:"simple_name"`
	Currency          string  `json:"currency"`
	CurrencySymbol    string  `json:"currency_symbol"`
	DefaultSizeCode   *string `json:"default_size_code"`
	DefaultRegionCode *string `json:"default_region_code"`
}

// ResourceType returns providers.
func (ProviderAttributes) ResourceType() string { return "providers" }

// Metas are what the meta of these resources has besides.
func (ProviderAttributes) Metas() []any { return []any{Meta{}} }

// ProviderRegionAttributes are the attributes of a region.
type ProviderRegionAttributes struct {
	Name          string  `json:"name"`
	Code          string  `json:"code"`
	AlternateCode *string `json:"alternate_code"`
}

// ResourceType returns providerRegions.
func (ProviderRegionAttributes) ResourceType() string { return "providerRegions" }

// Metas are what the meta of these resources has besides.
func (ProviderRegionAttributes) Metas() []any { return []any{Meta{}} }

// ProviderSizeAttributes are the attributes of a size.
type ProviderSizeAttributes struct {
	Name         string `json:"name"`
	Code         string `json:"code"`
	Series       string `json:"series"`
	Category     string `json:"category"`
	CPUs         int    `json:"cpus"`
	DiskType     string `json:"disk_type"`
	Architecture string `json:"architecture"`
	RAM          int    `json:"ram" doc:"In MB."`
	Disk         int    `json:"disk" doc:"In GB; 0 if it is chosen when the server is ordered."`
}

// ResourceType returns providerSizes.
func (ProviderSizeAttributes) ResourceType() string { return "providerSizes" }

// Metas are what the meta of these resources has besides.
func (ProviderSizeAttributes) Metas() []any { return []any{Meta{}} }

// ProviderRegionSizeAttributes are the attributes of a size that a region has.
type ProviderRegionSizeAttributes struct {
	Name string `json:"name"`
}

// ResourceType returns providerSizes.
func (ProviderRegionSizeAttributes) ResourceType() string { return "providerSizes" }

// Metas are what the meta of these resources has besides.
func (ProviderRegionSizeAttributes) Metas() []any { return []any{Meta{}} }

// Providers, regions and sizes in documents.
type (
	Resource           = api.Resource[ProviderAttributes, api.NoRelationships]
	RegionResource     = api.Resource[ProviderRegionAttributes, api.NoRelationships]
	SizeResource       = api.Resource[ProviderSizeAttributes, api.NoRelationships]
	RegionSizeResource = api.Resource[ProviderRegionSizeAttributes, api.NoRelationships]
)

// Meta is what providers, regions and sizes add to meta.
type Meta struct {
	Snapshot SnapshotMeta `json:"snapshot"`
}

// SnapshotMeta says how old a shipped list is.
type SnapshotMeta struct {
	AsOf string `json:"as_of" format:"date" doc:"The date of the built-in list. The provider may have changed it since."`
}

// Path is a provider, and a region or a size of it, whichever the path names.
type Path struct {
	access.Actor
	provider cloud.Provider
	region   *cloud.Region
	size     *cloud.Size
}

// Operations are the operations on providers.
type Operations struct {
	Catalog *cloud.Catalog
	Router  *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const single = "/providers/{provider}"
	op := func(noun, id, path, summary string, texts ...string) api.Operation {
		return api.Operation{
			ID: id, Method: http.MethodGet, Path: path, Tag: "Providers", Mode: api.Sync, Noun: noun, Summary: summary, Texts: texts,
			Description: "The list is built into Hostler; meta.snapshot gives its date.",
		}
	}
	api.Index(o.Router, op("providers", "providers.index", "/providers", "List server providers"), api.Self, o.index)
	api.Show(o.Router, op("providers", "providers.show", single, "Get a server provider"), o.inPath, o.show)
	sizes := op("sizes", "providers.sizes.index", single+"/sizes", "List the sizes of a server provider")
	sizes.Formerly = "providers sizes"
	api.Index(o.Router, sizes, o.inPath, o.sizes)
	api.Show(o.Router, op("sizes", "providers.sizes.show", single+"/sizes/{providerSize}", "Get a size of a server provider", "providerSize"),
		o.sizeInPath, o.size)
	regions := op("regions", "providers.regions.index", single+"/regions", "List the regions of a server provider")
	regions.Formerly = "providers regions"
	api.Index(o.Router, regions, o.inPath, o.regions)
	api.Show(o.Router, op("regions", "providers.regions.show", single+"/regions/{providerRegion}", "Get a region of a server provider"), o.regionInPath, o.region)
	api.Index(o.Router, op("region-sizes", "providers.regions.sizes.index", single+"/regions/{providerRegion}/sizes", "List the sizes in a region"),
		o.regionInPath, o.regionSizes)
	regionSize := single + "/regions/{providerRegion}/sizes/{providerSize}"
	api.Show(o.Router, op("region-sizes", "providers.regions.sizes.show", regionSize, "Get a size in a region", "providerSize"),
		o.regionSizeInPath, o.regionSize)
}

func (o *Operations) inPath(_ context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	id, err := path.ID("provider")
	i := slices.IndexFunc(o.Catalog.Providers, func(p cloud.Provider) bool { return p.ID == id })
	if err != nil || i < 0 {
		return Path{}, access.ErrNotFound
	}
	return Path{Actor: actor, provider: o.Catalog.Providers[i]}, nil
}

func (o *Operations) regionInPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	p, err := o.inPath(ctx, actor, path)
	if err != nil {
		return p, err
	}
	id, err := path.ID("providerRegion")
	i := slices.IndexFunc(p.provider.Regions, func(r cloud.Region) bool { return r.ID == id })
	if err != nil || i < 0 {
		return Path{}, access.ErrNotFound
	}
	p.region = &p.provider.Regions[i]
	return p, nil
}

func (o *Operations) sizeInPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	p, err := o.inPath(ctx, actor, path)
	return p.ofSize(path, err)
}

func (o *Operations) regionSizeInPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	p, err := o.regionInPath(ctx, actor, path)
	return p.ofSize(path, err)
}

// ofSize adds the size that a path names, which the path's region has to have.
func (p Path) ofSize(path api.PathValues, err error) (Path, error) {
	if err != nil {
		return p, err
	}
	code := path.Slug("providerSize")
	i := slices.IndexFunc(p.provider.Sizes, func(s cloud.Size) bool { return s.Code == code })
	if i < 0 || p.region != nil && !p.provider.Sizes[i].In(p.region.Code) {
		return Path{}, access.ErrNotFound
	}
	p.size = &p.provider.Sizes[i]
	return p, nil
}

// link is the path of a provider, or of what belongs to it.
func link(p cloud.Provider, below string) string {
	return "/providers/" + strconv.FormatInt(p.ID, 10) + below
}

func regionLink(r cloud.Region) string { return "/regions/" + strconv.FormatInt(r.ID, 10) }

func meta() *api.Meta { return &api.Meta{Own: []any{Meta{SnapshotMeta{cloud.AsOf}}}} }

func (o *Operations) resource(p cloud.Provider) Resource {
	return Resource{ID: strconv.FormatInt(p.ID, 10), Links: o.Router.Links(link(p, "")), Meta: meta(), Attributes: ProviderAttributes{
		Name: p.Name, Slug: p.Slug, SimpleName: api.OrNull(p.SimpleName), Currency: p.Currency, CurrencySymbol: p.Symbol,
		DefaultSizeCode: api.OrNull(p.DefaultSize), DefaultRegionCode: api.OrNull(p.DefaultRegion),
	}}
}

func (o *Operations) regionResource(p cloud.Provider, r cloud.Region) RegionResource {
	return RegionResource{ID: strconv.FormatInt(r.ID, 10), Links: o.Router.Links(link(p, regionLink(r))), Meta: meta(), Attributes: ProviderRegionAttributes{
		Name: r.Name, Code: r.Code, AlternateCode: api.OrNull(r.Other),
	}}
}

func (o *Operations) sizeResource(p cloud.Provider, s cloud.Size) SizeResource {
	return SizeResource{ID: s.Code, Links: o.Router.Links(link(p, "/sizes/"+s.Code)), Meta: meta(), Attributes: ProviderSizeAttributes{
		Name: s.Name(), Code: s.Code, Series: s.Series, Category: s.Category, CPUs: s.CPUs, DiskType: s.DiskType, Architecture: s.Architecture, RAM: s.RAM,
		Disk: s.Disk,
	}}
}

func (o *Operations) regionSizeResource(p cloud.Provider, r cloud.Region, s cloud.Size) RegionSizeResource {
	return RegionSizeResource{
		ID: s.Code, Links: o.Router.Links(link(p, regionLink(r)+"/sizes/"+s.Code)), Meta: meta(),
		Attributes: ProviderRegionSizeAttributes{Name: s.Name()},
	}
}

func (o *Operations) index(_ context.Context, c api.Call[access.Actor]) (api.Collection[Resource], error) {
	return api.PagedFrom(c.List, o.Catalog.Providers, func(p cloud.Provider) int64 { return p.ID }, o.resource)
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return api.Document[Resource]{Data: o.resource(c.Parent.provider)}, nil
}

func (o *Operations) regions(_ context.Context, c api.Call[Path]) (api.Collection[RegionResource], error) {
	p := c.Parent.provider
	return api.PagedFrom(c.List, p.Regions, func(r cloud.Region) int64 { return r.ID }, func(r cloud.Region) RegionResource { return o.regionResource(p, r) })
}

func (o *Operations) region(_ context.Context, c api.Call[Path]) (api.Document[RegionResource], error) {
	return api.Document[RegionResource]{Data: o.regionResource(c.Parent.provider, *c.Parent.region)}, nil
}

func number(s cloud.Size) int64 { return s.Number }

func (o *Operations) sizes(_ context.Context, c api.Call[Path]) (api.Collection[SizeResource], error) {
	p := c.Parent.provider
	return api.PagedFrom(c.List, p.Sizes, number, func(s cloud.Size) SizeResource { return o.sizeResource(p, s) })
}

func (o *Operations) size(_ context.Context, c api.Call[Path]) (api.Document[SizeResource], error) {
	return api.Document[SizeResource]{Data: o.sizeResource(c.Parent.provider, *c.Parent.size)}, nil
}

func (o *Operations) regionSizes(_ context.Context, c api.Call[Path]) (api.Collection[RegionSizeResource], error) {
	p, r := c.Parent.provider, *c.Parent.region
	has := slices.DeleteFunc(slices.Clone(p.Sizes), func(s cloud.Size) bool { return !s.In(r.Code) })
	return api.PagedFrom(c.List, has, number, func(s cloud.Size) RegionSizeResource { return o.regionSizeResource(p, r, s) })
}

func (o *Operations) regionSize(_ context.Context, c api.Call[Path]) (api.Document[RegionSizeResource], error) {
	return api.Document[RegionSizeResource]{Data: o.regionSizeResource(c.Parent.provider, *c.Parent.region, *c.Parent.size)}, nil
}
