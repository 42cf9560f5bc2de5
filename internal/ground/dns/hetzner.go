package dns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// hetzner publishes through Hetzner's Cloud API directly: the library knows only the DNS console, which the Cloud API replaced.
type hetzner struct {
	base, token string
	client      *http.Client
}

const (
	hetznerAPI = "https://api.hetzner.cloud/v1"
	// hetznerTTL is the minimum that zones there accept, in seconds.
	hetznerTTL    = 60
	hetznerAnswer = 1 << 20
)

type hetznerRecord struct {
	Value string `json:"value"`
}

// hetznerSet is all the records of a type at a name. A TTL is sent only for a new set: an existing one has its own, and no other is accepted.
type hetznerSet struct {
	TTL     *int            `json:"ttl,omitempty"`
	Records []hetznerRecord `json:"records"`
}

var errNoRecord = errors.New("there is no such record")

// Present adds a text to the set at a name, unless it is there.
func (h *hetzner) Present(ctx context.Context, name, authorization string) error {
	set, err := h.set(ctx, name)
	if err != nil {
		return err
	}
	record, change := hetznerRecord{strconv.Quote(Text(authorization))}, hetznerSet{}
	var has struct {
		RRSet hetznerSet `json:"rrset"`
	}
	switch err := h.call(ctx, http.MethodGet, set, nil, &has); {
	case errors.Is(err, errNoRecord):
		change.TTL = new(hetznerTTL)
	case err != nil:
		return err
	case slices.Contains(has.RRSet.Records, record):
		return nil
	}
	change.Records = []hetznerRecord{record}
	return h.call(ctx, http.MethodPost, set+"/actions/add_records", change, nil)
}

// Remove removes the text from the set; the set is deleted with its last text.
func (h *hetzner) Remove(ctx context.Context, name, authorization string) error {
	set, err := h.set(ctx, name)
	if err != nil {
		return err
	}
	err = h.call(ctx, http.MethodPost, set+"/actions/remove_records", hetznerSet{Records: []hetznerRecord{{strconv.Quote(Text(authorization))}}}, nil)
	if errors.Is(err, errNoRecord) {
		return nil
	}
	return err
}

// set returns the path of the TXT records at a name, in the account's closest enclosing zone.
func (h *hetzner) set(ctx context.Context, name string) (string, error) {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(name, ".")), ".")
	for i := 1; i < len(labels)-1; i++ {
		zone := "/zones/" + url.PathEscape(strings.Join(labels[i:], "."))
		err := h.call(ctx, http.MethodGet, zone, nil, nil)
		if errors.Is(err, errNoRecord) {
			continue
		}
		return zone + "/rrsets/" + url.PathEscape(strings.Join(labels[:i], ".")) + "/TXT", err
	}
	return "", fmt.Errorf("the account at Hetzner has no zone with %s in it", name)
}

// call makes a request and reads its answer; errNoRecord for a 404. Errors quote the API's answer, never the request.
func (h *hetzner) call(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("ask Hetzner: %w", err)
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, h.base+path, content)
	if err != nil {
		return fmt.Errorf("ask Hetzner: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask Hetzner: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, hetznerAnswer))
	if err != nil {
		return fmt.Errorf("ask Hetzner: %w", err)
	}
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return errNoRecord
	case resp.StatusCode >= http.StatusMultipleChoices:
		var said struct {
			Error struct{ Message string } `json:"error"`
		}
		_ = json.Unmarshal(raw, &said) // an answer that is not JSON has no message
		return errors.New(strings.TrimSpace("Hetzner answered " + resp.Status + " " + strings.ReplaceAll(said.Error.Message, h.token, "…")))
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read what Hetzner answered: %w", err)
	}
	return nil
}
