package account

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// UserAttributes are the attributes of a user.
type UserAttributes struct {
	Name      string       `json:"name"`
	Email     string       `json:"email"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns users.
func (UserAttributes) ResourceType() string { return "users" }

// Metas are what the meta of these resources has besides.
func (UserAttributes) Metas() []any { return []any{Meta{}} }

// Resource is a user in a document.
type Resource = api.Resource[UserAttributes, api.NoRelationships]

// NewResource returns the document form of a user.
func NewResource(r *api.Router, u query.User) Resource {
	return Resource{
		ID:         strconv.FormatInt(u.ID, 10),
		Attributes: UserAttributes{Name: u.Name, Email: u.Email, CreatedAt: api.NullTimeOf(&u.CreatedAt), UpdatedAt: api.NullTimeOf(&u.UpdatedAt)},
		Links:      r.Links("/user"),
	}
}

// Meta is what the user's document adds to meta.
type Meta struct {
	CanCreateOrganizations bool `json:"can_create_organizations" doc:"Whether the caller can create organizations; false for tokens, which can't."`
}

// Operations are the operations on the caller's own account.
type Operations struct {
	DB     *db.DB
	Router *api.Router
	// MayCreate reports whether a person can create organizations.
	MayCreate func(ctx context.Context, actor access.Actor) (bool, error)
}

// Register adds the operations.
func (o *Operations) Register() {
	view := []access.Permission{access.UserView}
	api.Show(o.Router, api.Operation{
		ID: "user.show", Method: http.MethodGet, Path: "/user", Tag: "User", Mode: api.Sync, Permissions: view,
		Noun: "account", Summary: "Get the user",
	}, api.Self, o.show)
	api.Show(o.Router, api.Operation{
		ID: "me", Method: http.MethodGet, Path: "/me", Tag: "User", Mode: api.Sync, Permissions: view,
		Noun: "account", Summary: "Get the user",
	}, api.Self, o.show)
}

func (o *Operations) show(ctx context.Context, c api.Call[access.Actor]) (api.Document[Resource], error) {
	user, err := o.DB.Read().GetUser(ctx, c.Parent)
	if err != nil {
		return api.Document[Resource]{}, fmt.Errorf("read user: %w", err)
	}
	res := NewResource(o.Router, user)
	may, err := o.MayCreate(ctx, c.Parent)
	res.Meta = &api.Meta{Own: []any{Meta{may}}}
	return api.Document[Resource]{Data: res}, err
}
