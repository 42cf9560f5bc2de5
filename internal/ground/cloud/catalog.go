// Package cloud talks to the providers that servers can be rented from.
package cloud

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The providers, by their names in the API.
const (
	DigitalOcean = "ocean2"
	Hetzner      = "hetzner"
	Vultr        = "vultr"
	Akamai       = "akamai"
	AWS          = "aws"
)

// AsOf is the day that the shipped lists of regions and sizes describe.
const AsOf = "2025-06-30"

var (
	//go:embed snapshot/regions.tsv
	regionLines string
	//go:embed snapshot/sizes.tsv
	sizeLines string
)

// Provider is a company that rents servers out.
type Provider struct {
	// ID stays with a provider for good.
	ID         int64
	Slug       string
	Name       string
	SimpleName string
	// Currency is the one of its prices, by ISO 4217.
	Currency, Symbol           string
	DefaultRegion, DefaultSize string
	Regions                    []Region
	Sizes                      []Size
}

// Region is a place that a provider has servers in.
type Region struct {
	// ID stays with a region for good. It is zero for one that is not in the shipped list.
	ID   int64
	Code string
	Name string
	// Other is another code of the region at its provider, or empty.
	Other string
}

// Size is a kind of server that a provider rents out.
type Size struct {
	// Number is the place of the size in its provider's list, from 1.
	Number           int64
	Code             string
	Series, Category string
	CPUs             int
	// RAM is in MB, Disk in GB. The disk of a size without one is ordered with the server.
	RAM, Disk    int
	DiskType     string
	Architecture string
	regions      []string
	except       bool
}

// Name describes a size.
func (s Size) Name() string {
	memory := fmt.Sprintf("%d MB", s.RAM)
	if s.RAM%1024 == 0 {
		memory = fmt.Sprintf("%d GB", s.RAM/1024)
	}
	cpus := "CPUs"
	if s.CPUs == 1 {
		cpus = "CPU"
	}
	name := fmt.Sprintf("%s (%d %s, %s RAM", s.Code, s.CPUs, cpus, memory)
	if s.Disk > 0 {
		name += fmt.Sprintf(", %d GB disk", s.Disk)
	}
	return name + ")"
}

// In reports whether a region has the size.
func (s Size) In(region string) bool { return slices.Contains(s.regions, region) != s.except }

// Catalog is what the shipped lists say.
type Catalog struct{ Providers []Provider }

// NewCatalog reads the shipped lists.
func NewCatalog() (*Catalog, error) {
	c := &Catalog{Providers: []Provider{
		{ID: 1, Slug: DigitalOcean, Name: "DigitalOcean", SimpleName: "Droplet", Currency: "USD", Symbol: "$", DefaultRegion: "nyc3", DefaultSize: "s-1vcpu-2gb"},
		{ID: 2, Slug: Hetzner, Name: "Hetzner Cloud", SimpleName: "Hetzner", Currency: "EUR", Symbol: "€", DefaultRegion: "fsn1", DefaultSize: "cx22"},
		{ID: 3, Slug: Vultr, Name: "Vultr", Currency: "USD", Symbol: "$", DefaultRegion: "ewr", DefaultSize: "vc2-1c-2gb"},
		{ID: 4, Slug: Akamai, Name: "Akamai", SimpleName: "Linode", Currency: "USD", Symbol: "$", DefaultRegion: "us-east", DefaultSize: "g6-standard-1"},
		{ID: 5, Slug: AWS, Name: "Amazon Web Services", SimpleName: "AWS", Currency: "USD", Symbol: "$", DefaultRegion: "us-east-1", DefaultSize: "t3.small"},
	}}
	err := lines(regionLines, 5, func(f []string) error {
		p, id, err := c.provider(f[1]), int64(0), error(nil)
		if id, err = strconv.ParseInt(f[0], 10, 64); err != nil || p == nil {
			return fmt.Errorf("no such id or provider")
		}
		p.Regions = append(p.Regions, Region{ID: id, Code: f[2], Name: f[3], Other: strings.TrimPrefix(f[4], "-")})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the regions of providers: %w", err)
	}
	err = lines(sizeLines, 10, func(f []string) error {
		p := c.provider(f[0])
		var n [3]int
		for i, text := range []string{f[4], f[5], f[6]} {
			var err error
			if n[i], err = strconv.Atoi(text); err != nil || p == nil {
				return fmt.Errorf("no such number or provider")
			}
		}
		s := Size{Number: int64(len(p.Sizes)) + 1, Code: f[1], Series: f[2], Category: f[3], CPUs: n[0], RAM: n[1], Disk: n[2], DiskType: f[7], Architecture: f[8]}
		only, except := strings.CutPrefix(f[9], "!")
		if s.except = except || only == "*"; only != "*" {
			s.regions = strings.Split(only, ",")
		}
		p.Sizes = append(p.Sizes, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the sizes of providers: %w", err)
	}
	return c, nil
}

// lines calls read with the fields of each line that is no comment.
func lines(text string, fields int, read func([]string) error) error {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != fields {
			return fmt.Errorf("%q has %d fields, not %d", line, len(f), fields)
		}
		if err := read(f); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

func (c *Catalog) provider(slug string) *Provider {
	i := slices.IndexFunc(c.Providers, func(p Provider) bool { return p.Slug == slug })
	if i < 0 {
		return nil
	}
	return &c.Providers[i]
}

// Has reports whether there is a provider.
func (c *Catalog) Has(slug string) bool { return c.provider(slug) != nil }

// RegionCode returns the code of a region that is named by its code, or by its id in the shipped list.
func (c *Catalog) RegionCode(slug, region string) string {
	if p := c.provider(slug); p != nil {
		for _, r := range p.Regions {
			if strconv.FormatInt(r.ID, 10) == region {
				return r.Code
			}
		}
	}
	return region
}

// HasRegion reports whether the shipped list of a provider has a region.
func (c *Catalog) HasRegion(slug, region string) bool {
	p := c.provider(slug)
	return p != nil && slices.ContainsFunc(p.Regions, func(r Region) bool { return r.Code == region })
}

// HasSize reports whether the shipped list of a provider has a size in a region.
func (c *Catalog) HasSize(slug, region, size string) bool {
	p := c.provider(slug)
	return p != nil && slices.ContainsFunc(p.Sizes, func(s Size) bool { return s.Code == size && s.In(region) })
}
