package cli

import (
	"context"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"
)

type serversOrderOptions struct {
	changeOptions
	tags
	Name, Type, Credential, Region, Size, Network, Subnet string
	Ubuntu, PHP, Database                                 string
	Disk                                                  int
	Backups                                               bool
}

func newServersOrder(g *globals, run func(context.Context, *session, serversOrderOptions) error) *cobra.Command {
	if run == nil {
		run = serversOrder
	}
	var o serversOrderOptions
	c := command(g, &cobra.Command{
		Use: "order NAME --credential CREDENTIAL --region REGION --size SIZE", Short: "Order a server at a provider",
		Args: cobra.ExactArgs(1),
		Long: `Orders a server with the account of a credential, and sets it up once it has booted. It costs what the provider charges, until it is deleted.
Regions and sizes are those of hostler providers regions and sizes, and networks those of hostler vpcs list.`,
	}, &o,
		func(args []string) { o.Name = args[0] }, run)
	f := c.Flags()
	f.StringVar(&o.Type, "type", "app", "app, web, loadbalancer, database, cache, worker or meilisearch")
	f.StringVar(&o.Credential, "credential", "", "name or ID of a credential")
	f.StringVar(&o.Region, "region", "", "region, for example fsn1")
	f.StringVar(&o.Size, "size", "", "size, for example cx22")
	f.StringVar(&o.Network, "network", "", "ID of a private network of the region")
	f.StringVar(&o.Subnet, "subnet", "", "ID of a subnet of the network (AWS; default: its first)")
	f.IntVar(&o.Disk, "disk", 0, "disk size in GB (AWS; default 20)")
	f.BoolVar(&o.Backups, "backups", false, "backups by the provider (DigitalOcean weekly, Hetzner daily)")
	f.StringVar(&o.Ubuntu, "ubuntu", "", "Ubuntu version: 24.04 or 26.04 (default 24.04)")
	f.StringVar(&o.PHP, "php", "", "PHP version, for example php84 (default: the latest available)")
	f.StringVar(&o.Database, "database", "", "database engine, for example mariadb1011 or postgres15")
	o.tagsFlag(c, "tag (repeatable)")
	o.flags(c)
	for _, name := range []string{"credential", "region", "size"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

// networkFields and backupFields are what requests call them, by provider.
var (
	networkFields = map[string]string{"aws": "vpc_uuid", "ocean2": "vpc_uuid", "hetzner": "network_id", "vultr": "network_id"}
	backupFields  = map[string]string{"ocean2": "enable_weekly_backups", "hetzner": "enable_daily_backups"}
)

// place returns the part of the request that is named as the provider.
func (o serversOrderOptions) place(provider string) (map[string]any, error) {
	place := map[string]any{"region_id": o.Region, "size_id": o.Size}
	if o.Network != "" {
		field := networkFields[provider]
		if field == "" {
			return nil, usage("--network can't be used with the provider %s", provider)
		}
		place[field] = o.Network
		if provider == "hetzner" {
			id, err := strconv.ParseInt(o.Network, 10, 64)
			if err != nil {
				return nil, usage("%q is not the ID of a network", o.Network)
			}
			place[field] = id
		}
	}
	if o.Backups {
		field := backupFields[provider]
		if field == "" {
			return nil, usage("--backups can't be used with the provider %s", provider)
		}
		place[field] = true
	}
	if provider != "aws" && (o.Subnet != "" || o.Disk != 0) {
		return nil, usage("--subnet and --disk can't be used with the provider %s", provider)
	}
	if o.Subnet != "" {
		place["subnet_uuid"] = o.Subnet
	}
	if o.Disk != 0 {
		place["disk_size"] = o.Disk
	}
	return place, nil
}

func serversOrder(ctx context.Context, s *session, o serversOrderOptions) error {
	accounts, err := s.path("/server-credentials")
	if err != nil {
		return err
	}
	credential, err := s.listed(ctx, accounts, "credential", o.Credential)
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(credential.ID, 10, 64)
	if err != nil {
		return exit(CodeError, "the response has the credential ID %q", credential.ID)
	}
	provider := credential.Attribute("provider")
	place, err := o.place(provider)
	if err != nil {
		return err
	}
	body := map[string]any{"name": o.Name, "type": o.Type, "provider": provider, "credential_id": id, provider: place}
	for field, text := range map[string]string{"ubuntu_version": o.Ubuntu, "php_version": o.PHP, "database_type": o.Database} {
		if text != "" {
			body[field] = text
		}
	}
	o.put(body)
	list, err := s.path("/servers")
	if err != nil {
		return err
	}
	r, answer, err := s.client.Send(ctx, http.MethodPost, list, body)
	if err != nil {
		return err
	}
	if o.Wait {
		return s.awaitServer(ctx, o.changeOptions, list, r, answer)
	}
	return s.one(r, serverDetails...)
}
