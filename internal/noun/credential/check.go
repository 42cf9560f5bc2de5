package credential

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Accounts opens the accounts of credentials at their providers.
type Accounts struct {
	Box    *secret.Box
	Clouds *cloud.Clouds
}

// Of opens the account that a server was created with.
func (a Accounts) Of(ctx context.Context, q *query.Granted, server query.Server) (*cloud.Cloud, error) {
	if server.CredentialID == nil {
		return nil, fmt.Errorf("server %d was created without a credential", server.ID)
	}
	row, err := q.GetCredential(ctx, server, *server.CredentialID)
	if err != nil {
		return nil, fmt.Errorf("read the credential of server %d: %w", server.ID, err)
	}
	s, err := a.open(row)
	if err != nil {
		return nil, err
	}
	return a.Clouds.Open(s.account(row.Provider))
}

// open returns the sealed part of a credential.
func (a Accounts) open(row query.ServerCredential) (sealed, error) {
	var s sealed
	plain, err := a.Box.Open(sealedAt(row.ID), row.Secret)
	if err != nil {
		return s, fmt.Errorf("open credential %d: %w", row.ID, err)
	}
	if err := json.Unmarshal(plain, &s); err != nil {
		return s, fmt.Errorf("read credential %d: %w", row.ID, err)
	}
	return s, nil
}

// read puts what a request gives over the current secrets, and adds what is wrong with them to f.
func read(f api.Fields, provider string, s sealed, key, token *api.Secret) sealed {
	was := s
	if key != nil {
		s.Key = strings.TrimSpace(key.Reveal())
	}
	if token != nil {
		s.Secret = strings.TrimSpace(token.Reveal())
	}
	f.SameAddress("secret", token != nil, api.Address{Field: "key", Was: was.Key, Now: s.Key})
	if provider == cloud.AWS && s.Key == "" && len(f["key"]) == 0 {
		f.Add("key", "The key field is required for this provider.")
	}
	if s.Secret == "" && len(f["secret"]) == 0 {
		f.Add("secret", "The secret field is required.")
	}
	for field, text := range map[string]string{"key": s.Key, "secret": s.Secret} { // they become parts of headers
		if len(f[field]) == 0 && strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
			f.Add(field, "The %s must be printable ASCII characters without spaces.", field)
		}
	}
	return s
}

// ask adds what the provider has against an account to f.
func (o *Operations) ask(ctx context.Context, f api.Fields, provider string, s sealed) error {
	if len(f) > 0 {
		return f.Err()
	}
	account, err := o.Clouds.Open(s.account(provider))
	if err != nil {
		return err
	}
	if err := account.Check(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.Add("secret", "%s", err)
	}
	return f.Err()
}

func (s sealed) account(provider string) cloud.Account {
	return cloud.Account{Provider: provider, Key: secret.String(s.Key), Secret: secret.String(s.Secret)}
}

func (o *Operations) checkNew(ctx context.Context, c api.Call[organization.Path], b CreateServerCredentialRequest) error {
	if !c.Parent.Direct {
		return &access.Denied{Missing: access.CredentialManage}
	}
	s := read(c.Fields, b.Provider, sealed{}, b.Key, &b.Secret)
	c.Fields.Trimmed("name", b.Name)
	return o.ask(ctx, c.Fields, b.Provider, s)
}

func (o *Operations) checkChanged(ctx context.Context, c api.Call[Path], b UpdateServerCredentialRequest) error {
	row := c.Parent.Credential
	was, err := o.open(row)
	if err != nil {
		return err
	}
	s := read(c.Fields, row.Provider, was, b.Key, b.Secret)
	if b.Name != nil {
		c.Fields.Trimmed("name", *b.Name)
	}
	if s == was {
		return c.Fields.Err()
	}
	return o.ask(ctx, c.Fields, row.Provider, s)
}
