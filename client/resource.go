package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Resource is a resource object. It marshals as the API sent it, including unknown members.
type Resource struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Attributes json.RawMessage `json:"attributes"`
	Meta       Meta            `json:"meta"`
	Links      struct {
		Self struct {
			Href string `json:"href"`
		} `json:"self"`
	} `json:"links"`
	Relationships map[string]struct {
		Data json.RawMessage `json:"data"`
	} `json:"relationships"`

	raw json.RawMessage
}

// UnmarshalJSON reads a resource object.
func (r *Resource) UnmarshalJSON(raw []byte) error {
	type plain Resource
	if err := json.Unmarshal(raw, (*plain)(r)); err != nil {
		return err
	}
	r.raw = bytes.Clone(raw)
	return nil
}

// MarshalJSON returns the object as it was received.
func (r Resource) MarshalJSON() ([]byte, error) {
	if r.raw == nil {
		return []byte("null"), nil
	}
	return r.raw, nil
}

// Meta is what is read of what Hostler adds to a resource.
type Meta struct {
	Operation *Operation `json:"operation"`
	Bootstrap *Bootstrap `json:"bootstrap"`
	// Deployment is why a failed deployment failed, where its log says so.
	Deployment *struct {
		Cause *struct {
			Text string `json:"text"`
		} `json:"cause"`
	} `json:"deployment"`
	ShownOnce struct {
		Username string `json:"username"`
		Password string `json:"password"`
		Secret   string `json:"secret"`
		URL      string `json:"url"`
		// Invitations are the links of those who were invited together with a new team.
		Invitations []struct {
			Email string `json:"email"`
			URL   string `json:"url"`
		} `json:"invitations"`
	} `json:"shown_once"`
	// Backup is where the parts of a backup can be downloaded.
	Backup *struct {
		Objects []struct {
			URL string `json:"url"`
		} `json:"objects"`
	} `json:"backup"`
}

// Bootstrap is the command line to run on a new server as root. It is shown once.
type Bootstrap struct {
	Command string `json:"command"`
	Warning string `json:"warning"`
}

// Operation is the newest work on a resource.
type Operation struct {
	ID     string `json:"id"`
	State  string `json:"state"`
	Action string `json:"action"`
	Step   string `json:"step"`
	Reason string `json:"reason"`
	// ReasonCode is Reason for programs, and ReasonParams what it is about.
	ReasonCode   string         `json:"reason_code"`
	ReasonParams map[string]any `json:"reason_params"`
	Attempt      int            `json:"attempt"`
	Deadline     time.Time      `json:"deadline"`
	EventID      string         `json:"event_id"`
}

// Ended reports whether the work is complete.
func (o *Operation) Ended() bool {
	return o == nil || o.State == "succeeded" || o.State == "failed" || o.State == "cancelled"
}

// Value returns one attribute as decoded JSON, nil if it is missing. Numbers keep their digits.
func (r Resource) Value(name string) any {
	var all map[string]any
	dec := json.NewDecoder(bytes.NewReader(r.Attributes))
	dec.UseNumber()
	if dec.Decode(&all) != nil {
		return nil
	}
	return all[name]
}

// Attribute returns one attribute as text, "" for null.
func (r Resource) Attribute(name string) string {
	if v := r.Value(name); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// Member returns an attribute, or a member of the meta by its path, such as meta.process.name; nil for null and for a missing one. Numbers keep their digits.
func (r Resource) Member(path string) any {
	rest, is := strings.CutPrefix(path, "meta.")
	if !is {
		return r.Value(path)
	}
	var whole struct {
		Meta map[string]any `json:"meta"`
	}
	dec := json.NewDecoder(bytes.NewReader(r.raw))
	dec.UseNumber()
	if dec.Decode(&whole) != nil {
		return nil
	}
	at := any(whole.Meta)
	for name := range strings.SplitSeq(rest, ".") {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	return at
}

// Text returns Member as text, "" for null and for a missing one.
func (r Resource) Text(path string) string {
	if v := r.Member(path); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// Called reports whether one of the attributes of a resource is what, exactly or in another case of letters. Attributes are as for Text.
func (r Resource) Called(attributes []string, what string) (exactly, nearly bool) {
	for _, name := range attributes {
		text := r.Text(name)
		exactly, nearly = exactly || text == what, nearly || strings.EqualFold(text, what)
	}
	return exactly, nearly
}

// Related returns the id of a to-one relationship, "" for none.
func (r Resource) Related(name string) string {
	var one struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(r.Relationships[name].Data, &one) != nil {
		return ""
	}
	return one.ID
}

// Path returns the path of the resource below /api.
func (r Resource) Path() string { return below(r.Links.Self.Href) }

// below returns what follows /api in an address, "" for others.
func below(address string) string {
	_, path, ok := strings.Cut(address, "/api/")
	if !ok {
		return ""
	}
	return "/" + path
}
