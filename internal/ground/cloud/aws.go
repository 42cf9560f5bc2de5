package cloud

import (
	"context"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

type amazon struct{ options ec2.Options }

func newAWS(client *http.Client, base string, a Account) (driver, error) {
	o := ec2.Options{HTTPClient: client, Retryer: aws.NopRetryer{}, Credentials: credentials.NewStaticCredentialsProvider(a.Key.Reveal(), a.Secret.Reveal(), "")}
	if base != "" {
		o.BaseEndpoint = &base
	}
	return amazon{o}, nil
}

// in returns a client for a region, each of which has an address of its own.
func (d amazon) in(region string) *ec2.Client {
	o := d.options
	o.Region = region
	return ec2.New(o)
}

// home is a region that every account has.
const home = "us-east-1"

func (d amazon) check(ctx context.Context) error {
	_, err := d.in(home).DescribeVpcs(ctx, &ec2.DescribeVpcsInput{})
	return err
}

func (d amazon) regions(ctx context.Context) ([]string, error) {
	list, err := d.in(home).DescribeRegions(ctx, &ec2.DescribeRegionsInput{}) // those that are enabled for the account
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range list.Regions {
		out = append(out, aws.ToString(r.RegionName))
	}
	return out, nil
}

// pages calls list for each page of a list, until there is no next one. The client has paginators, but they take it as an interface, and with it the linker may
// keep all of its 800 operations.
func (amazon) pages(list func(token *string) (next *string, err error)) error {
	var token *string
	for range maxPages {
		next, err := list(token)
		if err != nil || aws.ToString(next) == "" {
			return err
		}
		token = next
	}
	return fmt.Errorf("more than %d pages", maxPages)
}

func (d amazon) networks(ctx context.Context, region string) ([]Network, error) {
	c := d.in(region)
	var out []Network
	err := d.pages(func(token *string) (*string, error) {
		page, err := c.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{NextToken: token})
		if err != nil {
			return nil, err
		}
		for _, v := range page.Vpcs {
			out = append(out, d.network(v, region))
		}
		return page.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	err = d.pages(func(token *string) (*string, error) {
		page, err := c.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{NextToken: token})
		if err != nil {
			return nil, err
		}
		for _, s := range page.Subnets {
			for i := range out {
				if out[i].ID == aws.ToString(s.VpcId) {
					out[i].Subnets = append(out[i].Subnets, Subnet{ID: aws.ToString(s.SubnetId), Name: nameOf(s.Tags, s.SubnetId), CIDR: aws.ToString(s.CidrBlock)})
				}
			}
		}
		return page.NextToken, nil
	})
	return out, err
}

// createNetwork creates a VPC alone: one call creates it, with its name, or nothing. It has no subnet and no way out yet.
func (d amazon) createNetwork(ctx context.Context, region, name string) (Network, error) {
	made, err := d.in(region).CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16"), TagSpecifications: []types.TagSpecification{
		{ResourceType: types.ResourceTypeVpc, Tags: []types.Tag{{Key: aws.String("Name"), Value: aws.String(name)}}},
	}})
	if err != nil {
		return Network{}, err
	}
	if made.Vpc == nil {
		return Network{}, fmt.Errorf("an answer without a VPC")
	}
	return d.network(*made.Vpc, region), nil
}

func (amazon) network(v types.Vpc, region string) Network {
	return Network{ID: aws.ToString(v.VpcId), Name: nameOf(v.Tags, v.VpcId), CIDR: aws.ToString(v.CidrBlock), Region: region}
}

// nameOf returns the tag that AWS's console shows as a name, or the id.
func nameOf(tags []types.Tag, id *string) string {
	for _, t := range tags {
		if aws.ToString(t.Key) == "Name" && aws.ToString(t.Value) != "" {
			return *t.Value
		}
	}
	return aws.ToString(id)
}
