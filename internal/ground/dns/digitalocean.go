package dns

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// digitalOceanRecords are those of domains at DigitalOcean.
type digitalOceanRecords struct{ caller }

type digitalOceanRecord struct {
	ID   int64  `json:"id,omitempty"`
	Name string `json:"name"`
	Type string `json:"type"`
	Data string `json:"data"`
	TTL  int64  `json:"ttl,omitempty"`
}

// Zone returns the closest enclosing domain.
func (c digitalOceanRecords) Zone(ctx context.Context, name string) (Zone, error) {
	return longest(ctx, c.title, name, func(ctx context.Context, zone string) (Zone, error) {
		return Zone{zone, zone}, c.call(ctx, http.MethodGet, "/domains/"+escape(zone), nil, nil)
	})
}

func (c digitalOceanRecords) in(zone Zone) string { return "/domains/" + escape(zone.ID) + "/records" }

// At returns the records at a name. The API filters by whole names, and by @ for none.
func (c digitalOceanRecords) At(ctx context.Context, zone Zone, name string) ([]Record, error) {
	var out []Record
	for page := 1; page <= maxPages; page++ {
		var got struct {
			Records []digitalOceanRecord `json:"domain_records"`
			Links   struct {
				Pages struct{ Next string }
			}
		}
		query := url.Values{"name": {name}, "per_page": {"200"}, "page": {strconv.Itoa(page)}}
		if err := c.call(ctx, http.MethodGet, c.in(zone)+"?"+query.Encode(), nil, &got); err != nil {
			return nil, c.gone(zone, err)
		}
		for _, r := range got.Records {
			if absolute(r.Name, zone) == name && slices.Contains(Kinds(), r.Type) {
				out = append(out, c.record(r, zone))
			}
		}
		if got.Links.Pages.Next == "" {
			return out, nil
		}
	}
	return nil, &Problem{Invalid, "DigitalOcean has more records at " + name + " than are read."}
}

// record returns a record. An alias to the zone itself is @ there; others are whole, without the dot.
func (c digitalOceanRecords) record(r digitalOceanRecord, zone Zone) Record {
	value := address(r.Data)
	if r.Data == "@" {
		value = zone.Name
	}
	return Record{strconv.FormatInt(r.ID, 10), absolute(r.Name, zone), r.Type, value, r.TTL, false}
}

func (c digitalOceanRecords) gone(zone Zone, err error) error {
	if errors.Is(err, errMissing) {
		return &Problem{NoZone, "The zone " + zone.Name + " is no longer at " + c.title + "."}
	}
	return err
}

// Create makes a record.
func (c digitalOceanRecords) Create(ctx context.Context, zone Zone, r Record) (Record, error) {
	if r.TTL == 0 {
		r.TTL = recordTTL
	}
	var got struct {
		Record digitalOceanRecord `json:"domain_record"`
	}
	in := digitalOceanRecord{Name: relative(r.Name, zone), Type: r.Type, Data: written(r.Type, r.Value), TTL: r.TTL}
	if err := c.call(ctx, http.MethodPost, c.in(zone), in, &got); err != nil {
		return r, c.gone(zone, err)
	}
	r.ID = strconv.FormatInt(got.Record.ID, 10)
	return r, nil
}

// Change sends the type and the value alone: what is left out stays as it is.
func (c digitalOceanRecords) Change(ctx context.Context, zone Zone, r Record, value string) (Record, error) {
	in := map[string]any{"type": r.Type, "data": written(r.Type, value)}
	if err := c.call(ctx, http.MethodPatch, c.in(zone)+"/"+escape(r.ID), in, nil); err != nil {
		return r, changed(r, err)
	}
	r.Value = value
	return r, nil
}

// Delete removes a record.
func (c digitalOceanRecords) Delete(ctx context.Context, zone Zone, r Record) error {
	return unlessMissing(c.call(ctx, http.MethodDelete, c.in(zone)+"/"+escape(r.ID), nil, nil))
}
