package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Parameters of each provider.

// AWSServer is a machine at AWS.
type AWSServer struct {
	RegionID   string `json:"region_id,omitempty"`
	SizeID     string `json:"size_id,omitempty"`
	VPCUUID    string `json:"vpc_uuid,omitempty"`
	SubnetUUID string `json:"subnet_uuid,omitempty"`
	DiskSize   int64  `json:"disk_size,omitempty" minimum:"20" maximum:"2000" doc:"In gigabytes."`
}

// Ocean2Server is a machine at DigitalOcean.
type Ocean2Server struct {
	RegionID            string `json:"region_id,omitempty"`
	SizeID              string `json:"size_id,omitempty"`
	VPCUUID             string `json:"vpc_uuid,omitempty"`
	EnableWeeklyBackups bool   `json:"enable_weekly_backups,omitempty"`
}

// HetznerServer is a machine at Hetzner.
type HetznerServer struct {
	RegionID           string `json:"region_id,omitempty"`
	SizeID             string `json:"size_id,omitempty"`
	NetworkID          int64  `json:"network_id,omitempty"`
	EnableDailyBackups bool   `json:"enable_daily_backups,omitempty"`
	// EnableWeeklyBackups is in the contract in addition to the daily ones.
	EnableWeeklyBackups bool `json:"enable_weekly_backups,omitempty" default:"false"`
}

// VultrServer is a machine at Vultr.
type VultrServer struct {
	RegionID  string `json:"region_id,omitempty"`
	SizeID    string `json:"size_id,omitempty"`
	NetworkID string `json:"network_id,omitempty" format:"uuid"`
}

// AkamaiServer is a machine at Akamai.
type AkamaiServer struct {
	RegionID string `json:"region_id,omitempty"`
	SizeID   string `json:"size_id,omitempty"`
}

// LaravelServer is a machine at the provider of that name in the contract, for compatibility.
type LaravelServer struct {
	RegionID string `json:"region_id,omitempty"`
	SizeID   string `json:"size_id,omitempty"`
	VPCUUID  string `json:"vpc_uuid,omitempty"`
}

// wanted is what a request says about a server at a provider, in the same words for all of them.
type wanted struct {
	region, size, network, subnet string
	disk                          int64
	backups                       bool
	// networkField and subnetField are what the request calls the two.
	networkField, subnetField string
}

// wants returns what a request says about the server at its provider; ok is false if it says nothing.
func (b CreateServerRequest) wants() (w wanted, ok bool) {
	switch {
	case b.Provider == cloud.AWS && b.AWS != nil:
		return wanted{
			region: b.AWS.RegionID, size: b.AWS.SizeID, network: b.AWS.VPCUUID, subnet: b.AWS.SubnetUUID, disk: b.AWS.DiskSize,
			networkField: "vpc_uuid", subnetField: "subnet_uuid",
		}, true
	case b.Provider == cloud.DigitalOcean && b.Ocean2 != nil:
		return wanted{
			region: b.Ocean2.RegionID, size: b.Ocean2.SizeID, network: b.Ocean2.VPCUUID, backups: b.Ocean2.EnableWeeklyBackups,
			networkField: "vpc_uuid",
		}, true
	case b.Provider == cloud.Hetzner && b.Hetzner != nil:
		w = wanted{region: b.Hetzner.RegionID, size: b.Hetzner.SizeID, backups: b.Hetzner.EnableDailyBackups, networkField: "network_id"}
		if b.Hetzner.NetworkID != 0 {
			w.network = strconv.FormatInt(b.Hetzner.NetworkID, 10)
		}
		return w, true
	case b.Provider == cloud.Vultr && b.Vultr != nil:
		return wanted{region: b.Vultr.RegionID, size: b.Vultr.SizeID, network: b.Vultr.NetworkID, networkField: "network_id"}, true
	case b.Provider == cloud.Akamai && b.Akamai != nil:
		return wanted{region: b.Akamai.RegionID, size: b.Akamai.SizeID}, true
	}
	return w, false
}

// checkPlace says what is missing in a request for a server at a provider. What is there is compared with the provider by checkProvider.
func (o *Operations) checkPlace(f api.Fields, b CreateServerRequest) {
	required := func(field, text string) {
		if text == "" && len(f[field]) == 0 {
			f.Add(field, "The %s field is required for this provider.", field)
		}
	}
	if b.CredentialID == nil {
		required("credential_id", "")
	}
	w, ok := b.wants()
	if !ok {
		required(b.Provider, "")
		return
	}
	required(b.Provider+".region_id", w.region)
	required(b.Provider+".size_id", w.size)
	if b.Hetzner != nil && b.Provider == cloud.Hetzner && b.Hetzner.EnableWeeklyBackups {
		f.Add("hetzner.enable_weekly_backups", "Hetzner Cloud has daily backups only.")
	}
	if o.OutOfReach {
		f.Add("provider", "A server at a provider must be able to reach Hostler's base URL. Set one that is reachable from the internet.")
	}
}

// checkProvider compares a request for a server at a provider with what the provider has. It adds to the call's Fields what is wrong, and leaves the rest of
// the checks to the handler.
func (o *Operations) checkProvider(ctx context.Context, c api.Call[organization.Path], b CreateServerRequest) error {
	w, ok := b.wants()
	if !ok || b.CredentialID == nil || w.region == "" || w.size == "" {
		return nil
	}
	q := o.Store.DB.Read()
	provider, err := o.Credentials.ProviderOf(ctx, q, c.Parent.Grant, *b.CredentialID)
	if errors.Is(err, access.ErrNotFound) || err == nil && provider != b.Provider {
		return nil
	}
	if err != nil {
		return err
	}
	account, err := o.Accounts.Of(ctx, q, query.Server{OrganizationID: c.Parent.OrganizationID, CredentialID: b.CredentialID})
	if err != nil {
		return err
	}
	err = w.compare(ctx, c.Fields, b.Provider, account)
	if p := (*cloud.Problem)(nil); errors.As(err, &p) && ctx.Err() == nil {
		c.Fields.Add("credential_id", "%s", p.Reason)
		return nil
	}
	return err
}

// compare adds what the provider does not have to f.
func (w wanted) compare(ctx context.Context, f api.Fields, provider string, account *cloud.Cloud) error {
	region := account.RegionCode(w.region)
	has, err := account.HasRegion(ctx, region)
	if err != nil {
		return err
	}
	if !has {
		f.Add(provider+".region_id", "The provider has no region %q.", w.region)
		return nil
	}
	if has, err = account.HasSize(ctx, region, w.size); err != nil {
		return err
	}
	if !has {
		f.Add(provider+".size_id", "The provider has no size %q in this region.", w.size)
	}
	if w.network == "" && w.subnet == "" {
		return nil
	}
	networks, err := account.Networks(ctx, region)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(networks, func(n cloud.Network) bool { return n.ID == w.network })
	switch {
	case w.network == "":
		f.Add(provider+"."+w.networkField, "The %s.%s field is required with a subnet.", provider, w.networkField)
	case i < 0:
		f.Add(provider+"."+w.networkField, "The account has no such network in this region.")
	case provider == cloud.AWS && len(networks[i].Subnets) == 0:
		f.Add(provider+"."+w.networkField, "The network has no subnet for a server.")
	case w.subnet != "" && !slices.ContainsFunc(networks[i].Subnets, func(s cloud.Subnet) bool { return s.ID == w.subnet }):
		f.Add(provider+"."+w.subnetField, "The network has no such subnet.")
	}
	return nil
}

// placeOrder records what a new server is to be ordered with.
func (o *Operations) placeOrder(ctx context.Context, tx *db.Tx, row query.Server, b CreateServerRequest) (query.Server, error) {
	w, _ := b.wants()
	in := specification{System: defaultUbuntu, Network: w.network, Subnet: w.subnet, Disk: w.disk, Backups: w.backups}
	if b.UbuntuVersion != "" {
		in.System = b.UbuntuVersion
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return row, fmt.Errorf("record the order: %w", err)
	}
	if err := tx.InsertServerOrder(ctx, row.ID, orderName(row), string(raw)); err != nil {
		return row, fmt.Errorf("record the order: %w", err)
	}
	if row, err = tx.PlaceServer(ctx, row.ID, b.CredentialID, o.Catalog.RegionCode(b.Provider, w.region), w.size); err != nil {
		return row, fmt.Errorf("record the order: %w", err)
	}
	return row, nil
}

// defaultUbuntu is on servers at providers that were ordered without a version.
const defaultUbuntu = "24.04"

// OutOfReach reports whether servers at a provider can't call a base URL: it is one of this machine or of a private network.
func OutOfReach(u *url.URL) bool {
	a, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast())
}
