package cloud

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

const (
	// canonical is the account that publishes the images of Ubuntu.
	canonical = "099720109477"
	// hostlerGroup is the security group of all servers in a network. It lets everything in: the firewall is on the servers.
	hostlerGroup = "hostler"
	// leastDisk is the disk of a server that was ordered without one, in GB.
	leastDisk = 20
)

func where(name string, values ...string) types.Filter {
	return types.Filter{Name: &name, Values: values}
}

// sizes have no prices: those are in another API, which few keys may ask.
func (d amazon) sizes(ctx context.Context, region string) ([]Offer, error) {
	c := d.in(region)
	var out []Offer
	err := d.pages(func(token *string) (*string, error) {
		page, err := c.DescribeInstanceTypeOfferings(ctx, &ec2.DescribeInstanceTypeOfferingsInput{NextToken: token})
		if err != nil {
			return nil, err
		}
		for _, o := range page.InstanceTypeOfferings {
			out = append(out, Offer{Code: string(o.InstanceType)})
		}
		return page.NextToken, nil
	})
	return out, err
}

// find looks for the token of an order, which stays with its server.
func (d amazon) find(ctx context.Context, region, name string) ([]Machine, error) {
	return d.instances(ctx, region, ec2.DescribeInstancesInput{Filters: []types.Filter{where("client-token", name)}})
}

func (d amazon) machine(ctx context.Context, region, id string) (Machine, error) {
	list, err := d.instances(ctx, region, ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	if err == nil && len(list) == 0 {
		err = &Problem{Kind: Missing, Reason: "AWS has no instance " + id + "."}
	}
	if err != nil {
		return Machine{}, err
	}
	return list[0], nil
}

// instances lists those that are not being terminated, which can't be undone.
func (d amazon) instances(ctx context.Context, region string, in ec2.DescribeInstancesInput) ([]Machine, error) {
	c := d.in(region)
	var out []Machine
	err := d.pages(func(token *string) (*string, error) {
		in.NextToken = token
		page, err := c.DescribeInstances(ctx, &in)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Reservations {
			for _, i := range r.Instances {
				if i.State == nil || i.State.Name != types.InstanceStateNameShuttingDown && i.State.Name != types.InstanceStateNameTerminated {
					out = append(out, instanceOf(i))
				}
			}
		}
		return page.NextToken, nil
	})
	return out, err
}

func (d amazon) create(ctx context.Context, o Order) (Machine, error) {
	c := d.in(o.Region)
	image, root, err := d.image(ctx, c, o)
	if err != nil {
		return Machine{}, err
	}
	network, subnet, err := d.subnet(ctx, c, o)
	if err != nil {
		return Machine{}, err
	}
	group, err := d.group(ctx, c, network)
	if err != nil {
		return Machine{}, err
	}
	face := types.InstanceNetworkInterfaceSpecification{DeviceIndex: aws.Int32(0), AssociatePublicIpAddress: aws.Bool(true), Groups: []string{group}}
	if subnet != "" {
		face.SubnetId = &subnet
	}
	tags := []types.Tag{{Key: aws.String("Name"), Value: &o.Name}}
	made, err := c.RunInstances(ctx, &ec2.RunInstancesInput{
		ClientToken: &o.Name, MinCount: aws.Int32(1), MaxCount: aws.Int32(1), ImageId: &image,
		InstanceType: types.InstanceType(o.Size), UserData: aws.String(base64.StdEncoding.EncodeToString([]byte(o.UserData))),
		NetworkInterfaces: []types.InstanceNetworkInterfaceSpecification{face},
		MetadataOptions:   &types.InstanceMetadataOptionsRequest{HttpTokens: types.HttpTokensStateRequired, HttpPutResponseHopLimit: aws.Int32(1)},
		BlockDeviceMappings: []types.BlockDeviceMapping{{DeviceName: &root, Ebs: &types.EbsBlockDevice{
			VolumeSize: aws.Int32(int32(max(o.Disk, leastDisk))),
			VolumeType: types.VolumeTypeGp3, DeleteOnTermination: aws.Bool(true),
		}}},
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeInstance, Tags: tags}, {ResourceType: types.ResourceTypeVolume, Tags: tags}},
	})
	if err != nil {
		return Machine{}, err
	}
	if len(made.Instances) == 0 {
		return Machine{}, fmt.Errorf("an answer without an instance")
	}
	return instanceOf(made.Instances[0]), nil
}

// image returns the newest image of a version of Ubuntu for a size, and the name of its disk.
func (amazon) image(ctx context.Context, c *ec2.Client, o Order) (id, root string, err error) {
	kinds, err := c.DescribeInstanceTypes(ctx, &ec2.DescribeInstanceTypesInput{InstanceTypes: []types.InstanceType{types.InstanceType(o.Size)}})
	if err != nil {
		return "", "", err
	}
	architecture := types.ArchitectureTypeX8664
	for _, k := range kinds.InstanceTypes {
		if k.ProcessorInfo != nil && slices.Contains(k.ProcessorInfo.SupportedArchitectures, types.ArchitectureTypeArm64) {
			architecture = types.ArchitectureTypeArm64
		}
	}
	debian := map[types.ArchitectureType]string{types.ArchitectureTypeX8664: "amd64", types.ArchitectureTypeArm64: "arm64"}[architecture]
	found, err := c.DescribeImages(ctx, &ec2.DescribeImagesInput{Owners: []string{canonical}, Filters: []types.Filter{
		where("name", "ubuntu/images/hvm-ssd-gp3/ubuntu-*-"+o.System+"-"+debian+"-server-*"), where("architecture", string(architecture)), where("state",
			"available"),
	}})
	if err != nil {
		return "", "", err
	}
	if len(found.Images) == 0 {
		return "", "", &Problem{Kind: Invalid, Reason: "AWS has no image of Ubuntu " + o.System + " for " + debian + " in " + o.Region + "."}
	}
	newest := slices.MaxFunc(found.Images, func(a, b types.Image) int {
		return strings.Compare(aws.ToString(a.CreationDate), aws.ToString(b.CreationDate))
	})
	return aws.ToString(newest.ImageId), cmp.Or(aws.ToString(newest.RootDeviceName), "/dev/sda1"), nil
}

// subnet returns the network that a server is to be in, and the subnet; an empty one is that of the default network.
func (amazon) subnet(ctx context.Context, c *ec2.Client, o Order) (network, subnet string, err error) {
	if o.Network == "" && o.Subnet == "" {
		list, err := c.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{Filters: []types.Filter{where("is-default", "true")}})
		if err == nil && len(list.Vpcs) == 0 {
			err = &Problem{Kind: Invalid, Reason: "The account has no default network in " + o.Region + ": choose one."}
		}
		if err != nil {
			return "", "", err
		}
		return aws.ToString(list.Vpcs[0].VpcId), "", nil
	}
	in := &ec2.DescribeSubnetsInput{SubnetIds: []string{o.Subnet}}
	if o.Subnet == "" {
		in = &ec2.DescribeSubnetsInput{Filters: []types.Filter{where("vpc-id", o.Network)}}
	}
	list, err := c.DescribeSubnets(ctx, in)
	if err == nil && len(list.Subnets) == 0 {
		err = &Problem{Kind: Invalid, Reason: "The network has no subnet."}
	}
	if err != nil {
		return "", "", err
	}
	first := slices.MinFunc(list.Subnets, func(a, b types.Subnet) int {
		return strings.Compare(aws.ToString(a.SubnetId), aws.ToString(b.SubnetId))
	})
	return aws.ToString(first.VpcId), aws.ToString(first.SubnetId), nil
}

// group returns the security group of a network, which is made once and belongs to no server. The default group of AWS admits no connection.
func (amazon) group(ctx context.Context, c *ec2.Client, network string) (string, error) {
	list, err := c.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{
		where("vpc-id", network),
		where("group-name", hostlerGroup),
	}})
	if err != nil {
		return "", err
	}
	id, open := "", false
	if len(list.SecurityGroups) > 0 {
		id, open = aws.ToString(list.SecurityGroups[0].GroupId), len(list.SecurityGroups[0].IpPermissions) > 0
	} else {
		made, err := c.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
			GroupName: aws.String(hostlerGroup), VpcId: &network,
			Description: aws.String("Servers with a firewall of their own, managed by Hostler"),
		})
		if err != nil {
			return "", err
		}
		id = aws.ToString(made.GroupId)
	}
	if open {
		return id, nil
	}
	_, err = c.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{
		GroupId: &id,
		IpPermissions: []types.IpPermission{{
			IpProtocol: aws.String("-1"),
			IpRanges:   []types.IpRange{{CidrIp: aws.String("0.0.0.0/0")}}, Ipv6Ranges: []types.Ipv6Range{{CidrIpv6: aws.String("::/0")}},
		}},
	})
	return id, err
}

func (amazon) backUp(context.Context, string, string) error { return nil } // there is no field for them

func (d amazon) destroy(ctx context.Context, region, id string) error {
	_, err := d.in(region).TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
	return err
}

func (d amazon) cycle(ctx context.Context, region, id string) error {
	_, err := d.in(region).RebootInstances(ctx, &ec2.RebootInstancesInput{InstanceIds: []string{id}})
	return err
}

func instanceOf(i types.Instance) Machine {
	return Machine{ID: aws.ToString(i.InstanceId), Address: aws.ToString(i.PublicIpAddress), Private: aws.ToString(i.PrivateIpAddress)}
}
