package account

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// TokenAttributes are the attributes of a personal access token.
type TokenAttributes struct {
	Name          string       `json:"name"`
	Prefix        string       `json:"prefix" doc:"The first characters of the token, for identification."`
	Scopes        []string     `json:"scopes"`
	Organizations []string     `json:"organizations" nullable:"true" doc:"The slugs of the organizations that the token is limited to; null for all."`
	RateLimit     *int64       `json:"rate_limit" doc:"Requests per minute; null for the limits of the installation and the organization."`
	LastUsedAt    api.NullTime `json:"last_used_at"`
	ExpiresAt     api.NullTime `json:"expires_at"`
	CreatedAt     api.Time     `json:"created_at"`
}

// ResourceType returns tokens.
func (TokenAttributes) ResourceType() string { return "tokens" }

// TokenResource is a token in a document.
type TokenResource = api.Resource[TokenAttributes, api.NoRelationships]

// CreateTokenRequest asks for a token.
type CreateTokenRequest struct {
	Name          string               `json:"name" minLength:"1" maxLength:"255"`
	Scopes        []api.PermissionName `json:"scopes" nullable:"false" minItems:"1" uniqueItems:"true"`
	ExpiresAt     *time.Time           `json:"expires_at,omitempty"`
	Organizations []string             `json:"organizations,omitempty" nullable:"false" doc:"The slugs of the organizations that the token is limited to."`
	Password      api.Secret           `json:"password" maxLength:"1024" writeOnly:"true" doc:"That of the caller: an open browser alone must not allow it."`
	RateLimit     *int64               `json:"rate_limit,omitempty"`
}

func (p *Personal) tokenResource(row query.Token, slugs map[string]int64) (TokenResource, error) {
	id := strconv.FormatInt(row.ID, 10)
	res := TokenResource{ID: id, Links: p.Sign.Router.Links("/user/tokens/" + id), Attributes: TokenAttributes{
		Name: row.Name, Prefix: TokenPrefix,
		RateLimit:  row.RateLimit,
		LastUsedAt: api.NullTimeOf(row.LastUsedAt), ExpiresAt: api.NullTimeOf(row.ExpiresAt), CreatedAt: api.TimeOf(row.CreatedAt),
	}}
	if row.Prefix != nil {
		res.Attributes.Prefix = *row.Prefix
	}
	if err := json.Unmarshal([]byte(row.Scopes), &res.Attributes.Scopes); err != nil {
		return res, fmt.Errorf("read scopes of token %d: %w", row.ID, err)
	}
	if row.Organizations != nil {
		var ids []int64
		if err := json.Unmarshal([]byte(*row.Organizations), &ids); err != nil {
			return res, fmt.Errorf("read organizations of token %d: %w", row.ID, err)
		}
		res.Attributes.Organizations = []string{}
		for slug, id := range slugs {
			if slices.Contains(ids, id) {
				res.Attributes.Organizations = append(res.Attributes.Organizations, slug)
			}
		}
		slices.Sort(res.Attributes.Organizations)
	}
	return res, nil
}

func (p *Personal) tokens(ctx context.Context, c api.Call[access.Actor]) (api.Collection[TokenResource], error) {
	slugs, err := p.Organizations(ctx, c.Parent)
	if err != nil {
		return api.Collection[TokenResource]{}, err
	}
	return api.Paged(ctx, p.db().Reader(), c.List.Of("tokens", db.Equal("user_id", c.Parent.UserID), db.Cond{SQL: "revoked_at IS NULL"}),
		api.TryEach(func(row query.Token) (TokenResource, error) { return p.tokenResource(row, slugs) }))
}

// checkToken requires the password, before anything is locked.
func (p *Personal) checkToken(ctx context.Context, c api.Call[access.Actor], b CreateTokenRequest) error {
	if len(c.Fields) > 0 {
		return nil // said with what else is wrong
	}
	_, err := p.again(ctx, c.Parent, "password", b.Password.Reveal())
	return err
}

func (p *Personal) createToken(ctx context.Context, tx *db.Tx, c api.Call[access.Actor], b CreateTokenRequest) (api.Document[TokenResource], error) {
	var none api.Document[TokenResource]
	var scopes access.Set
	for _, name := range b.Scopes {
		scopes = scopes.Add(access.Permission(name))
	}
	if b.ExpiresAt != nil && !b.ExpiresAt.After(tx.Now) {
		c.Fields.Add("expires_at", "The expires_at field must be in the future.")
	}
	if b.RateLimit != nil {
		p.Sign.Router.RateLimits().Check(c.Fields, "rate_limit", *b.RateLimit)
	}
	slugs, err := p.Organizations(ctx, c.Parent)
	if err != nil {
		return none, err
	}
	var ids []int64
	for i, slug := range b.Organizations {
		id, ok := slugs[slug]
		if !ok {
			c.Fields.Add("organizations."+strconv.Itoa(i), "The selected organizations.%d does not exist.", i)
		}
		ids = append(ids, id)
	}
	if b.Organizations != nil && len(ids) == 0 {
		c.Fields.Add("organizations", "The organizations field must have at least 1 items.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	token, row, err := CreateToken(ctx, tx, c.Parent.UserID, b.Name, scopes, b.ExpiresAt, ids...)
	if err != nil {
		return none, err
	}
	if b.RateLimit != nil {
		if row, err = tx.SetTokenRateLimit(ctx, row.ID, b.RateLimit); err != nil {
			return none, fmt.Errorf("limit token: %w", err)
		}
	}
	res, err := p.tokenResource(row, slugs)
	res.Meta = &api.Meta{ShownOnce: &api.ShownOnce{Token: api.SecretOf(token.Reveal())}}
	return api.Document[TokenResource]{Data: res, Location: "/user/tokens/" + res.ID}, err
}

func (p *Personal) tokenInPath(ctx context.Context, actor access.Actor, path api.PathValues) (owned[query.Token], error) {
	id, err := path.ID("token")
	if err != nil {
		return owned[query.Token]{}, err
	}
	row, err := p.db().Read().GetUserToken(ctx, actor, id)
	if err != nil {
		return owned[query.Token]{}, fmt.Errorf("read token %d: %w", id, err)
	}
	return owned[query.Token]{actor, row}, nil
}

// revokeToken ends a token. Its open streams end with their next message, and invitations that were sent with it can no longer be accepted.
func (p *Personal) revokeToken(ctx context.Context, tx *db.Tx, c api.Call[owned[query.Token]], _ api.NoBody) (api.Empty, error) {
	slugs, err := p.Organizations(ctx, c.Parent.Actor)
	if err != nil {
		return api.Empty{}, err
	}
	res, err := p.tokenResource(c.Parent.row, slugs)
	if err == nil {
		err = api.Was(ctx, res)
	}
	if err != nil {
		return api.Empty{}, err
	}
	n, err := tx.RevokeToken(ctx, c.Parent.row.ID, new(tx.Micros()))
	if err == nil && n == 0 { // by a concurrent request
		err = db.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("revoke token: %w", err)
	}
	return api.Empty{}, nil
}
