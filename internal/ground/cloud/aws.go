package cloud

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

type amazon struct{ everywhere ec2 }

func newAWS(client *http.Client, base string, a Account) (driver, error) {
	keys := aws.Credentials{AccessKeyID: a.Key.Reveal(), SecretAccessKey: a.Secret.Reveal()}
	return amazon{ec2{client: client, base: base, keys: keys}}, nil
}

// in returns a client for a region, each of which has an address of its own.
func (d amazon) in(region string) ec2 {
	c := d.everywhere
	c.region = region
	return c
}

// home is a region that every account has.
const home = "us-east-1"

func (d amazon) check(ctx context.Context) error {
	return d.in(home).call(ctx, "DescribeVpcs", nil, &vpcPage{})
}

// regions lists those that are enabled for the account.
func (d amazon) regions(ctx context.Context) ([]string, error) {
	var page regionPage
	err := d.in(home).call(ctx, "DescribeRegions", nil, &page)
	return page.Regions, err
}

func (d amazon) networks(ctx context.Context, region string) ([]Network, error) {
	c := d.in(region)
	var out []Network
	err := eachPage(ctx, c, "DescribeVpcs", nil, func(page vpcPage) string {
		for _, v := range page.VPCs {
			out = append(out, networkOf(v, region))
		}
		return page.Next
	})
	if err != nil {
		return nil, err
	}
	err = eachPage(ctx, c, "DescribeSubnets", nil, func(page subnetPage) string {
		for _, s := range page.Subnets {
			for i := range out {
				if out[i].ID == s.VPC {
					out[i].Subnets = append(out[i].Subnets, Subnet{ID: s.ID, Name: nameOf(s.Tags, s.ID), CIDR: s.CIDR})
				}
			}
		}
		return page.Next
	})
	return out, err
}

// createNetwork creates a VPC alone: one call creates it, with its name, or nothing. It has no subnet and no way out yet.
func (d amazon) createNetwork(ctx context.Context, region, name string) (Network, error) {
	var made vpcAnswer
	if err := d.in(region).call(ctx, "CreateVpc", form{"CidrBlock": "10.0.0.0/16"}.tag(1, "vpc", name), &made); err != nil {
		return Network{}, err
	}
	if made.VPC == nil {
		return Network{}, fmt.Errorf("an answer without a VPC")
	}
	return networkOf(*made.VPC, region), nil
}

func networkOf(v ec2VPC, region string) Network {
	return Network{ID: v.ID, Name: nameOf(v.Tags, v.ID), CIDR: v.CIDR, Region: region}
}

// nameOf returns the tag that AWS's console shows as a name, or the id.
func nameOf(tags []ec2Tag, id string) string {
	for _, t := range tags {
		if t.Key == "Name" {
			return cmp.Or(t.Value, id)
		}
	}
	return id
}
