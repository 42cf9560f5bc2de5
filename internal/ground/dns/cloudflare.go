package dns

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// cloudflareRecords are those of zones at Cloudflare.
type cloudflareRecords struct{ caller }

type cloudflareRecord struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Content string `json:"content"`
	TTL     int64  `json:"ttl"`
	Proxied bool   `json:"proxied"`
}

// maxPages is how many pages of a list are read. A name has fewer records than fit on one.
const maxPages = 50

// Zone returns the closest enclosing zone. Of several with one name, which a token for several accounts can see, it is the one that is in use.
func (c cloudflareRecords) Zone(ctx context.Context, name string) (Zone, error) {
	return longest(ctx, c.title, name, func(ctx context.Context, zone string) (Zone, error) {
		var got struct {
			Result []struct{ ID, Name, Status string }
		}
		if err := c.call(ctx, http.MethodGet, "/zones?"+url.Values{"name": {zone}, "per_page": {"50"}}.Encode(), nil, &got); err != nil {
			return Zone{}, err
		}
		out, err := Zone{}, errMissing
		for _, z := range got.Result {
			if Name(z.Name) == zone && (err != nil || z.Status == "active") {
				out, err = Zone{z.ID, zone}, nil
			}
		}
		return out, err
	})
}

// At returns the records at a name.
func (c cloudflareRecords) At(ctx context.Context, zone Zone, name string) ([]Record, error) {
	var out []Record
	for page := 1; page <= maxPages; page++ {
		var got struct {
			Result     []cloudflareRecord
			ResultInfo struct {
				TotalPages int `json:"total_pages"`
			} `json:"result_info"`
		}
		query := url.Values{"name": {name}, "per_page": {"100"}, "page": {strconv.Itoa(page)}}
		if err := c.call(ctx, http.MethodGet, c.in(zone)+"?"+query.Encode(), nil, &got); err != nil {
			return nil, c.gone(zone, err)
		}
		for _, r := range got.Result {
			if Name(r.Name) == name && slices.Contains(Kinds(), r.Type) {
				out = append(out, r.record())
			}
		}
		if page >= got.ResultInfo.TotalPages {
			return out, nil
		}
	}
	return nil, &Problem{Invalid, "Cloudflare has more records at " + name + " than are read."}
}

func (r cloudflareRecord) record() Record {
	return Record{r.ID, Name(r.Name), r.Type, address(r.Content), r.TTL, r.Proxied}
}

func (c cloudflareRecords) in(zone Zone) string { return "/zones/" + escape(zone.ID) + "/dns_records" }

func (c cloudflareRecords) gone(zone Zone, err error) error {
	if errors.Is(err, errMissing) {
		return &Problem{NoZone, "The zone " + zone.Name + " is no longer at " + c.title + "."}
	}
	return err
}

// Create makes a record. A new one is not proxied: visitors reach the server itself.
func (c cloudflareRecords) Create(ctx context.Context, zone Zone, r Record) (Record, error) {
	if r.TTL == 0 {
		r.TTL = recordTTL
	}
	var got struct{ Result cloudflareRecord }
	in := cloudflareRecord{Name: r.Name, Type: r.Type, Content: r.Value, TTL: r.TTL, Proxied: r.Proxied}
	if err := c.call(ctx, http.MethodPost, c.in(zone), in, &got); err != nil {
		return r, c.gone(zone, err)
	}
	r.ID = got.Result.ID
	return r, nil
}

// Change sends the value alone: what is left out stays as it is.
func (c cloudflareRecords) Change(ctx context.Context, zone Zone, r Record, value string) (Record, error) {
	in := map[string]any{"content": value}
	if err := c.call(ctx, http.MethodPatch, c.in(zone)+"/"+escape(r.ID), in, nil); err != nil {
		return r, changed(r, err)
	}
	r.Value = value
	return r, nil
}

func changed(r Record, err error) error {
	if errors.Is(err, errMissing) {
		return &Problem{Invalid, "The " + r.Type + " record of " + r.Name + " is another one by now."}
	}
	return err
}

// Delete removes a record.
func (c cloudflareRecords) Delete(ctx context.Context, zone Zone, r Record) error {
	return unlessMissing(c.call(ctx, http.MethodDelete, c.in(zone)+"/"+escape(r.ID), nil, nil))
}

func unlessMissing(err error) error {
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}
