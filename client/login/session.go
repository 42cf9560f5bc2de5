package login

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"

	"github.com/hostlerhq/hostler/client"
)

// Session calls the API like the dashboard: with a session's cookie instead of a token. It is for what a person does before there is a token, such as
// accepting an invitation.
type Session struct {
	base string
	http *http.Client
}

// NewSession returns a session with the installation at a URL, without a user yet.
func NewSession(base string) (*Session, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	h := newHTTP()
	h.Jar = jar
	return &Session{base, h}, nil
}

// Post makes a request below /api, and returns a *client.Error if it is refused.
func (p *Session) Post(ctx context.Context, path string, body any) error {
	raw := []byte{}
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/api"+path, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("call %s: %w", p.base, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hostler-Csrf", "1")
	res, err := p.http.Do(req)
	if err != nil {
		return fmt.Errorf("call %s: %w", p.base, err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata))
	if err != nil {
		return fmt.Errorf("call %s: %w", p.base, err)
	}
	if res.StatusCode < http.StatusMultipleChoices {
		return nil
	}
	e := &client.Error{}
	if json.Unmarshal(answer, e) != nil || e.Message == "" {
		e.Message = "the server responded with " + res.Status
	}
	e.Status = res.StatusCode
	return e
}
