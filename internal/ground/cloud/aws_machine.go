package cloud

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// canonical is the account that publishes the images of Ubuntu.
	canonical = "099720109477"
	// hostlerGroup is the security group of all servers in a network. It lets everything in: the firewall is on the servers.
	hostlerGroup = "hostler"
	// leastDisk is the disk of a server that was ordered without one, in GB.
	leastDisk = 20
)

// sizes have no prices: those are in another API, which few keys may ask.
func (d amazon) sizes(ctx context.Context, region string) ([]Offer, error) {
	var out []Offer
	err := eachPage(ctx, d.in(region), "DescribeInstanceTypeOfferings", nil, func(page offeringPage) string {
		for _, code := range page.Types {
			out = append(out, Offer{Code: code})
		}
		return page.Next
	})
	return out, err
}

// find looks for the token of an order, which stays with its server.
func (d amazon) find(ctx context.Context, region, name string) ([]Machine, error) {
	// A list that was not filtered would have others' servers taken for second ones of this order, and destroyed.
	return d.instances(ctx, region, form{}.filter("client-token", name), func(i ec2Instance) bool { return i.Token == name })
}

func (d amazon) machine(ctx context.Context, region, id string) (Machine, error) {
	list, err := d.instances(ctx, region, form{"InstanceId.1": id}, func(i ec2Instance) bool { return i.ID == id })
	if err == nil && len(list) == 0 {
		err = &Problem{Kind: Missing, Reason: "AWS has no instance " + id + "."}
	}
	if err != nil {
		return Machine{}, err
	}
	return list[0], nil
}

// instances lists those that are not being terminated, which can't be undone.
func (d amazon) instances(ctx context.Context, region string, which form, is func(ec2Instance) bool) ([]Machine, error) {
	var out []Machine
	err := eachPage(ctx, d.in(region), "DescribeInstances", which, func(page instancePage) string {
		for _, i := range page.Instances {
			if is(i) && i.State != "shutting-down" && i.State != "terminated" {
				out = append(out, machineOf(i))
			}
		}
		return page.Next
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
	order := form{
		"ClientToken": o.Name, "MinCount": "1", "MaxCount": "1", "ImageId": image, "InstanceType": o.Size,
		"UserData": base64.StdEncoding.EncodeToString([]byte(o.UserData)),

		"NetworkInterface.1.DeviceIndex":              "0",
		"NetworkInterface.1.AssociatePublicIpAddress": "true",
		"NetworkInterface.1.SecurityGroupId.1":        group,

		"MetadataOptions.HttpTokens":              "required",
		"MetadataOptions.HttpPutResponseHopLimit": "1",

		"BlockDeviceMapping.1.DeviceName":              root,
		"BlockDeviceMapping.1.Ebs.VolumeSize":          strconv.FormatInt(max(o.Disk, leastDisk), 10),
		"BlockDeviceMapping.1.Ebs.VolumeType":          "gp3",
		"BlockDeviceMapping.1.Ebs.DeleteOnTermination": "true",
	}
	if subnet != "" {
		order["NetworkInterface.1.SubnetId"] = subnet
	}
	var made runAnswer
	if err := c.call(ctx, "RunInstances", order.tag(1, "instance", o.Name).tag(2, "volume", o.Name), &made); err != nil {
		return Machine{}, err
	}
	if len(made.Instances) == 0 {
		return Machine{}, fmt.Errorf("an answer without an instance")
	}
	return machineOf(made.Instances[0]), nil
}

// image returns the newest image of a version of Ubuntu for a size, and the name of its disk.
func (amazon) image(ctx context.Context, c ec2, o Order) (id, root string, err error) {
	var kinds typePage
	if err := c.call(ctx, "DescribeInstanceTypes", form{"InstanceType.1": o.Size}, &kinds); err != nil {
		return "", "", err
	}
	architecture, debian := "x86_64", "amd64"
	for _, k := range kinds.Types {
		if slices.Contains(k.Architectures, "arm64") {
			architecture, debian = "arm64", "arm64"
		}
	}
	var found imagePage
	which := form{"Owner.1": canonical}.filter("name", "ubuntu/images/hvm-ssd-gp3/ubuntu-*-"+o.System+"-"+debian+"-server-*").
		filter("architecture", architecture).filter("state", "available")
	if err := c.call(ctx, "DescribeImages", which, &found); err != nil {
		return "", "", err
	}
	if len(found.Images) == 0 {
		return "", "", &Problem{Kind: Invalid, Reason: "AWS has no image of Ubuntu " + o.System + " for " + debian + " in " + o.Region + "."}
	}
	newest := slices.MaxFunc(found.Images, func(a, b ec2Image) int { return strings.Compare(a.Created, b.Created) })
	return newest.ID, cmp.Or(newest.Root, "/dev/sda1"), nil
}

// subnet returns the network that a server is to be in, and the subnet; an empty one is that of the default network.
func (amazon) subnet(ctx context.Context, c ec2, o Order) (network, subnet string, err error) {
	if o.Network == "" && o.Subnet == "" {
		var page vpcPage
		err := c.call(ctx, "DescribeVpcs", form{}.filter("is-default", "true"), &page)
		if err == nil && len(page.VPCs) == 0 {
			err = &Problem{Kind: Invalid, Reason: "The account has no default network in " + o.Region + ": choose one."}
		}
		if err != nil {
			return "", "", err
		}
		return page.VPCs[0].ID, "", nil
	}
	which := form{"SubnetId.1": o.Subnet}
	if o.Subnet == "" {
		which = form{}.filter("vpc-id", o.Network)
	}
	var page subnetPage
	err = c.call(ctx, "DescribeSubnets", which, &page)
	if err == nil && len(page.Subnets) == 0 {
		err = &Problem{Kind: Invalid, Reason: "The network has no subnet."}
	}
	if err != nil {
		return "", "", err
	}
	first := slices.MinFunc(page.Subnets, func(a, b ec2Subnet) int { return strings.Compare(a.ID, b.ID) })
	return first.VPC, first.ID, nil
}

// group returns the security group of a network, which is made once and belongs to no server. The default group of AWS admits no connection.
func (amazon) group(ctx context.Context, c ec2, network string) (string, error) {
	var page groupPage
	if err := c.call(ctx, "DescribeSecurityGroups", form{}.filter("vpc-id", network).filter("group-name", hostlerGroup), &page); err != nil {
		return "", err
	}
	id, open := "", false
	if len(page.Groups) > 0 {
		id, open = page.Groups[0].ID, len(page.Groups[0].Rules) > 0
	} else {
		var made groupAnswer
		err := c.call(ctx, "CreateSecurityGroup", form{
			"GroupName": hostlerGroup, "VpcId": network, "GroupDescription": "Servers with a firewall of their own, managed by Hostler",
		}, &made)
		if err != nil {
			return "", err
		}
		id = made.ID
	}
	if open {
		return id, nil
	}
	return id, c.call(ctx, "AuthorizeSecurityGroupIngress", form{
		"GroupId":                               id,
		"IpPermissions.1.IpProtocol":            "-1",
		"IpPermissions.1.IpRanges.1.CidrIp":     "0.0.0.0/0",
		"IpPermissions.1.Ipv6Ranges.1.CidrIpv6": "::/0",
	}, &doneAnswer{})
}

func (amazon) backUp(context.Context, string, string) error { return nil } // there is no field for them

func (d amazon) destroy(ctx context.Context, region, id string) error {
	return d.in(region).call(ctx, "TerminateInstances", form{"InstanceId.1": id}, &doneAnswer{})
}

func (d amazon) cycle(ctx context.Context, region, id string) error {
	return d.in(region).call(ctx, "RebootInstances", form{"InstanceId.1": id}, &doneAnswer{})
}

func machineOf(i ec2Instance) Machine {
	return Machine{ID: i.ID, Address: i.Address, Private: i.Private}
}
