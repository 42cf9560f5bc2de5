package dns

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/bounded"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// caller makes calls of a provider's API. The token is sent to its base only: redirects are not followed.
type caller struct {
	title, base, token, scheme string
	client                     *http.Client
}

// maxSaid is how much of a provider's message is quoted.
const maxSaid = 300

// call makes a request and reads its answer. It returns errMissing for a 404, and a *Problem for whatever else the provider did.
func (c caller) call(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("ask %s: %w", c.title, err)
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return fmt.Errorf("ask %s: %w", c.title, err)
	}
	req.Header.Set("Authorization", c.scheme+" "+c.token)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("ask %s: %w", c.title, ctx.Err())
		}
		return &Problem{Away, text.Capital(c.title) + " can't be reached. " + outbound.Explain(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := bounded.ReadAll(resp.Body, outbound.MaxAnswer)
	switch {
	case errors.Is(err, bounded.ErrLong):
		return &Problem{Away, text.Capital(c.title) + " answered with more than is read."}
	case err != nil:
		return &Problem{Away, "The answer of " + c.title + " broke off."}
	case resp.StatusCode == http.StatusNotFound:
		return errMissing
	case resp.StatusCode >= http.StatusMultipleChoices:
		return c.problem(resp, raw)
	case into == nil || len(raw) == 0:
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return &Problem{Away, text.Capital(c.title) + " answered with something other than JSON."}
	}
	return nil
}

// problem returns what an answer says is wrong.
func (c caller) problem(resp *http.Response, raw []byte) *Problem {
	said := strings.ReplaceAll(message(raw), c.token, "…")
	said = text.Clean(text.Line(said), maxSaid)
	p := &Problem{Kind: statusKind(resp.StatusCode)}
	switch p.Kind {
	case Refused:
		p.Reason = text.Capital(c.title) + " refused the token, or the token may not do this"
	case Away:
		p.Reason = text.Capital(c.title) + " can't answer now"
		if resp.StatusCode == http.StatusTooManyRequests {
			p.Reason = text.Capital(c.title) + " answered that it is asked too often"
		}
	default:
		p.Reason = text.Capital(c.title) + " refused the request"
	}
	p.Reason += fmt.Sprintf(" (%d)", resp.StatusCode)
	if said != "" {
		p.Reason += ": " + said
	}
	p.Reason = text.Sentence(p.Reason)
	return p
}

// message returns the message of an error, in the shapes that the providers have: {"errors": [{"message": …}]}, {"error": {"message": …}}, {"message": …},
// {"detail": …}, and those of fieldErrors.
func message(raw []byte) string {
	var said struct {
		Message, Detail string
		Error           json.RawMessage
		Errors          json.RawMessage
	}
	if json.Unmarshal(raw, &said) != nil {
		return fieldErrors(raw)
	}
	var one struct{ Message string }
	if json.Unmarshal(said.Error, &one) == nil && one.Message != "" {
		return one.Message
	}
	var many []struct{ Message, Description string }
	if json.Unmarshal(said.Errors, &many) == nil {
		var all []string
		for _, m := range many {
			all = append(all, strings.TrimSpace(m.Message+" "+m.Description))
		}
		if len(all) > 0 {
			return strings.Join(all, "; ")
		}
	}
	if said.Message != "" || said.Detail != "" {
		return cmp.Or(said.Message, said.Detail)
	}
	return fieldErrors(raw)
}

// fieldErrors returns the messages of fields, as deSEC has them: {"ttl": ["…"]}, or a list of these for a request with a list.
func fieldErrors(raw []byte) string {
	var list []map[string]any
	if json.Unmarshal(raw, &list) != nil {
		list = make([]map[string]any, 1)
		if json.Unmarshal(raw, &list[0]) != nil {
			return ""
		}
	}
	var all []string
	for _, fields := range list {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			texts, _ := fields[name].([]any)
			for _, t := range texts {
				if said, is := t.(string); is {
					all = append(all, name+": "+said)
				}
			}
		}
	}
	return strings.Join(all, "; ")
}

func escape(part string) string { return url.PathEscape(part) }
