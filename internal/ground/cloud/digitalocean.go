package cloud

import (
	"context"
	"fmt"
	"net/http"

	"github.com/digitalocean/godo"
)

type digitalOcean struct{ client *godo.Client }

func newDigitalOcean(client *http.Client, base string, _ Account) (driver, error) {
	var options []godo.ClientOpt
	if base != "" {
		options = append(options, godo.SetBaseURL(base+"/"))
	}
	c, err := godo.New(client, options...) // tries nothing twice
	return digitalOcean{c}, err
}

func (d digitalOcean) check(ctx context.Context) error {
	_, _, err := d.client.VPCs.List(ctx, &godo.ListOptions{PerPage: 1})
	return err
}

// pages calls list for each page of a list.
func (d digitalOcean) pages(list func(*godo.ListOptions) (*godo.Response, error)) error {
	for page := 1; page <= maxPages; page++ {
		resp, err := list(&godo.ListOptions{Page: page, PerPage: 200})
		if err != nil {
			return err
		}
		if resp.Links == nil || resp.Links.IsLastPage() {
			return nil
		}
	}
	return fmt.Errorf("more than %d pages", maxPages)
}

func (d digitalOcean) regions(ctx context.Context) ([]string, error) {
	var out []string
	err := d.pages(func(page *godo.ListOptions) (*godo.Response, error) {
		list, resp, err := d.client.Regions.List(ctx, page)
		for _, r := range list {
			out = append(out, r.Slug)
		}
		return resp, err
	})
	return out, err
}

func (d digitalOcean) networks(ctx context.Context, region string) ([]Network, error) {
	var out []Network
	err := d.pages(func(page *godo.ListOptions) (*godo.Response, error) {
		list, resp, err := d.client.VPCs.List(ctx, page)
		for _, v := range list {
			if v.RegionSlug == region {
				out = append(out, d.network(v))
			}
		}
		return resp, err
	})
	return out, err
}

func (d digitalOcean) createNetwork(ctx context.Context, region, name string) (Network, error) {
	v, _, err := d.client.VPCs.Create(ctx, &godo.VPCCreateRequest{Name: name, RegionSlug: region}) // it chooses a range that is free
	if err != nil {
		return Network{}, err
	}
	return d.network(v), nil
}

func (digitalOcean) network(v *godo.VPC) Network {
	return Network{ID: v.ID, Name: v.Name, CIDR: v.IPRange, Region: v.RegionSlug}
}
