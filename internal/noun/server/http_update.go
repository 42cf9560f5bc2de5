package server

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// UpdateServerRequest changes what is known of a server.
type UpdateServerRequest struct {
	Name             *string  `json:"name,omitempty"`
	IPAddress        *string  `json:"ip_address,omitempty"`
	PrivateIPAddress *string  `json:"private_ip_address,omitempty"`
	Timezone         *string  `json:"timezone,omitempty"`
	Tags             []string `json:"tags,omitempty" nullable:"false"`
	TakeOver         *bool    `json:"take_over,omitempty" ours:"true" doc:"As on creation, for a server that could not be set up. Retry the setup afterwards."`
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateServerRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := o.Balancers.Lock(ctx, tx, c.Parent.Server); err != nil {
		return none, err
	}
	row, err := tx.GetOrganizationServer(ctx, c.Parent, c.Parent.Server.ID) // what the path led to may be older than the last update
	if err != nil {
		return none, fmt.Errorf("update server: %w", err)
	}
	before := row
	if b.Name != nil {
		if _, err := value.ParseServerName(*b.Name); err != nil {
			c.Fields.Add("name", "%s", err)
		}
		row.Name, row.Slug = *b.Name, slugify(*b.Name)
	}
	address := func(field string, text *string, into **string, nullable bool) {
		if text == nil {
			return
		}
		if a, words := addressOf(field, *text, o.AllowLocal); words == "" {
			*into = new(a.String())
		} else if *text == "" && nullable {
			*into = nil
		} else {
			c.Fields.Add(field, "%s", words)
		}
	}
	address("ip_address", b.IPAddress, &row.IPAddress, false)
	address("private_ip_address", b.PrivateIPAddress, &row.PrivateIPAddress, true)
	if b.Timezone != nil {
		if _, err := value.ParseTimezone(*b.Timezone); err != nil {
			c.Fields.Add("timezone", "%s", err)
		}
		row.Timezone = *b.Timezone
	}
	checkTags(c.Fields, b.Tags)
	if !api.SameOrNil(before.PrivateIPAddress, row.PrivateIPAddress) {
		if err := checkPeers(ctx, tx, c.Fields, row); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if err := checkReach(ctx, tx, c, before, row); err != nil {
		return none, err
	}
	row, err = tx.UpdateServerMeta(ctx, query.UpdateServerMetaParams{
		ID: row.ID, Name: row.Name, Slug: row.Slug, IPAddress: row.IPAddress,
		PrivateIPAddress: row.PrivateIPAddress, Timezone: row.Timezone, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("update server: %w", err)
	}
	if b.TakeOver != nil {
		if err := tx.SetServerTakeOver(ctx, row.ID, *b.TakeOver); err != nil {
			return none, fmt.Errorf("update server: %w", err)
		}
	}
	if b.Tags != nil {
		if err := tx.ClearServerTags(ctx, row.ID); err != nil {
			return none, fmt.Errorf("update server: %w", err)
		}
		if err := setTags(ctx, tx, row, b.Tags); err != nil {
			return none, err
		}
	}
	event, err := o.follow(ctx, tx, c.Parent.Grant, before, &row)
	if err != nil {
		return none, err
	}
	doc, err := o.document(ctx, tx.SQL, c.Parent.Slug, row)
	doc.Event = event
	return doc, err
}

// follow accepts the work that changed settings of a server mean on hosts: its time zone, and the balancers that know its address.
func (o *Operations) follow(ctx context.Context, tx *db.Tx, g access.Grant, before query.Server, row *query.Server) (event int64, err error) {
	if !api.SameOrNil(before.IPAddress, row.IPAddress) || !api.SameOrNil(before.PrivateIPAddress, row.PrivateIPAddress) {
		if err := o.Balancers.NodeChanged(ctx, tx, g, *row, "Updating the address of "+row.Name); err != nil {
			return 0, err
		}
	}
	if before.Timezone == row.Timezone || !row.IsReady {
		return 0, nil
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: g, ServerID: row.ID, Ready: true, Aspect: AspectProvision, Resource: "servers", ResourceID: row.ID,
		Action: "update", Description: "Updating settings of " +
			row.Name, RanAs: "root", Request: map[string]string{"timezone": before.Timezone}, Within: ProvisionDeadline,
	})
	if err != nil {
		return 0, err
	}
	row.OperationID = &accepted.OperationID
	return accepted.EventID, tx.SetServerOperation(ctx, row.ID, row.OperationID, tx.Micros())
}

// checkPeers refuses another private address for a server with peers, whose firewalls contain it: changing a server must not change whom its peers admit.
func checkPeers(ctx context.Context, tx *db.Tx, f api.Fields, row query.Server) error {
	peers, err := tx.CountPeersOf(ctx, row)
	if err != nil {
		return fmt.Errorf("count peers of server %d: %w", row.ID, err)
	}
	if peers > 0 {
		f.Add("private_ip_address", "The server's peers admit it by its private address. Remove them from its network first.")
	}
	return nil
}
