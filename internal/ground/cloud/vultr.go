package cloud

import (
	"context"
	"fmt"
	"net/http"

	"github.com/vultr/govultr/v3"
)

type vultr struct{ client *govultr.Client }

func newVultr(client *http.Client, base string, _ Account) (driver, error) {
	c := govultr.NewClient(client)
	c.SetRetryLimit(0)
	if base != "" {
		if err := c.SetBaseURL(base); err != nil {
			return nil, err
		}
	}
	return vultr{c}, nil
}

func (d vultr) check(ctx context.Context) error {
	_, _, resp, err := d.client.VPC.List(ctx, &govultr.ListOptions{PerPage: 1})
	if resp != nil {
		_ = resp.Body.Close()
	}
	return err
}

// pages calls list for each page of a list.
func (d vultr) pages(list func(*govultr.ListOptions) (*govultr.Meta, *http.Response, error)) error {
	options := &govultr.ListOptions{PerPage: 500}
	for range maxPages {
		meta, resp, err := list(options)
		if resp != nil {
			_ = resp.Body.Close()
		}
		if err != nil {
			return err
		}
		if meta == nil || meta.Links == nil || meta.Links.Next == "" {
			return nil
		}
		options.Cursor = meta.Links.Next
	}
	return fmt.Errorf("more than %d pages", maxPages)
}

func (d vultr) regions(ctx context.Context) ([]string, error) {
	var out []string
	err := d.pages(func(page *govultr.ListOptions) (*govultr.Meta, *http.Response, error) {
		list, meta, resp, err := d.client.Region.List(ctx, page)
		for _, r := range list {
			out = append(out, r.ID)
		}
		return meta, resp, err
	})
	return out, err
}

func (d vultr) networks(ctx context.Context, region string) ([]Network, error) {
	var out []Network
	err := d.pages(func(page *govultr.ListOptions) (*govultr.Meta, *http.Response, error) {
		list, meta, resp, err := d.client.VPC.List(ctx, page)
		for _, v := range list {
			if v.Region == region {
				out = append(out, d.network(v))
			}
		}
		return meta, resp, err
	})
	return out, err
}

func (d vultr) createNetwork(ctx context.Context, region, name string) (Network, error) {
	v, resp, err := d.client.VPC.Create(ctx, &govultr.VPCReq{Region: region, Description: name}) // it chooses a range that is free
	if resp != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return Network{}, err
	}
	return d.network(*v), nil
}

func (vultr) network(v govultr.VPC) Network {
	n := Network{ID: v.ID, Name: v.Description, Region: v.Region}
	if v.V4Subnet != "" {
		n.CIDR = fmt.Sprintf("%s/%d", v.V4Subnet, v.V4SubnetMask)
	}
	return n
}
