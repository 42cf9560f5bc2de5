package cloud

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// ec2Version is the version of EC2's API that calls name: the newest, from 2016.
const ec2Version = "2016-11-15"

// ec2 calls EC2 in one region as its query API wants it (docs.aws.amazon.com/AWSEC2/latest/APIReference): a signed form is answered with XML. Amazon's own
// client has 800 operations, which take more time and memory to compile than everything else in this program; of them this one needs fourteen.
type ec2 struct {
	client *http.Client
	base   string // "" for Amazon's own address
	keys   aws.Credentials
	region string
}

// form are the parameters of a call. Items of lists count from 1: InstanceId.1.
type form map[string]string

// filter adds a condition, which any of the values meets.
func (f form) filter(name string, values ...string) form {
	at := "Filter.1"
	for n := 2; f[at+".Name"] != ""; n++ {
		at = "Filter." + strconv.Itoa(n)
	}
	f[at+".Name"] = name
	for i, v := range values {
		f[at+".Value."+strconv.Itoa(i+1)] = v
	}
	return f
}

// tag gives what a call creates of a type a name.
func (f form) tag(n int, resource, name string) form {
	at := "TagSpecification." + strconv.Itoa(n)
	f[at+".ResourceType"], f[at+".Tag.1.Key"], f[at+".Tag.1.Value"] = resource, "Name", name
	return f
}

// address returns where a region answers.
func (c ec2) address() string {
	switch {
	case c.base != "":
		return c.base + "/"
	case strings.HasPrefix(c.region, "cn-"):
		return "https://ec2." + c.region + ".amazonaws.com.cn/"
	}
	return "https://ec2." + c.region + ".amazonaws.com/"
}

// call makes one call, once, and reads the answer into a struct with the elements that are of interest. An error of the API is returned by the transport, which
// reads every refusal.
func (c ec2) call(ctx context.Context, action string, parameters form, answer any) error {
	values := url.Values{"Action": {action}, "Version": {ec2Version}}
	for name, v := range parameters {
		values.Set(name, v)
	}
	body := values.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address(), strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	sum := sha256.Sum256([]byte(body))
	if err := v4.NewSigner().SignHTTP(ctx, c.keys, req, hex.EncodeToString(sum[:]), "ec2", c.region, time.Now()); err != nil {
		return fmt.Errorf("sign %s: %w", action, err)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s: status %d", action, resp.StatusCode)
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("read the answer to %s: %w", action, err)
	}
	if err := xml.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("read the answer to %s: %w", action, err)
	}
	return nil
}

// eachPage calls for each page of a list, until there is no next one. page makes an answer to read into, and its token of the next page; take takes what was
// read.
func eachPage[P any](ctx context.Context, c ec2, action string, parameters form, take func(P) (next string)) error {
	if parameters == nil {
		parameters = form{}
	}
	for range maxPages {
		var page P
		if err := c.call(ctx, action, parameters, &page); err != nil {
			return err
		}
		if parameters["NextToken"] = take(page); parameters["NextToken"] == "" {
			return nil
		}
	}
	return fmt.Errorf("more than %d pages", maxPages)
}

// The elements of answers that are of interest. Lists have an element item for each.

type ec2VPC struct {
	ID   string   `xml:"vpcId"`
	CIDR string   `xml:"cidrBlock"`
	Tags []ec2Tag `xml:"tagSet>item"`
}

type ec2Subnet struct {
	ID   string   `xml:"subnetId"`
	VPC  string   `xml:"vpcId"`
	CIDR string   `xml:"cidrBlock"`
	Tags []ec2Tag `xml:"tagSet>item"`
}

type ec2Tag struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

type ec2Instance struct {
	ID      string `xml:"instanceId"`
	State   string `xml:"instanceState>name"`
	Token   string `xml:"clientToken"`
	Address string `xml:"ipAddress"`
	Private string `xml:"privateIpAddress"`
}

type ec2Image struct {
	ID      string `xml:"imageId"`
	Created string `xml:"creationDate"`
	Root    string `xml:"rootDeviceName"`
}

type ec2Group struct {
	ID    string `xml:"groupId"`
	Rules []struct {
		Protocol string `xml:"ipProtocol"`
	} `xml:"ipPermissions>item"`
}

type (
	regionPage struct {
		Regions []string `xml:"regionInfo>item>regionName"`
	}
	vpcPage struct {
		VPCs []ec2VPC `xml:"vpcSet>item"`
		Next string   `xml:"nextToken"`
	}
	subnetPage struct {
		Subnets []ec2Subnet `xml:"subnetSet>item"`
		Next    string      `xml:"nextToken"`
	}
	offeringPage struct {
		Types []string `xml:"instanceTypeOfferingSet>item>instanceType"`
		Next  string   `xml:"nextToken"`
	}
	typePage struct {
		Types []struct {
			Architectures []string `xml:"processorInfo>supportedArchitectures>item"`
		} `xml:"instanceTypeSet>item"`
	}
	imagePage struct {
		Images []ec2Image `xml:"imagesSet>item"`
	}
	groupPage struct {
		Groups []ec2Group `xml:"securityGroupInfo>item"`
	}
	instancePage struct {
		Instances []ec2Instance `xml:"reservationSet>item>instancesSet>item"`
		Next      string        `xml:"nextToken"`
	}
	runAnswer struct {
		Instances []ec2Instance `xml:"instancesSet>item"`
	}
	vpcAnswer struct {
		VPC *ec2VPC `xml:"vpc"`
	}
	groupAnswer struct {
		ID string `xml:"groupId"`
	}
	// doneAnswer is one in which nothing is of interest.
	doneAnswer struct{}
)
