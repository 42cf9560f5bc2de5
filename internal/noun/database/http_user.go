package database

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// DatabaseUserAttributes are the attributes of an account.
type DatabaseUserAttributes struct {
	Name      string   `json:"name"`
	Status    string   `json:"status" enum:"installed,updating,installing,removing,failed"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns databaseUsers.
func (DatabaseUserAttributes) ResourceType() string { return "databaseUsers" }

// Metas are what the meta of these resources has besides.
func (DatabaseUserAttributes) Metas() []any { return []any{UserMeta{}} }

// UserResource is an account in a document.
type UserResource = server.Document[DatabaseUserAttributes]

// CreateDatabaseUserRequest asks for an account.
type CreateDatabaseUserRequest struct {
	Name        string     `json:"name" doc:"Letters, digits, dashes and underscores."`
	Password    api.Secret `json:"password" maxLength:"255" doc:"Printable ASCII. If empty, a password is generated and shown once in meta.shown_once."`
	DatabaseIDs []int64    `json:"database_ids,omitempty" nullable:"false" doc:"The databases the account has access to."`
	ReadOnly    bool       `json:"read_only,omitempty"`
}

// UpdateDatabaseUserRequest changes an account.
type UpdateDatabaseUserRequest struct {
	Password    *api.Secret `json:"password,omitempty" nullable:"true" maxLength:"255"`
	DatabaseIDs []int64     `json:"database_ids,omitempty" nullable:"false"`
}

// UserPath is an account visible to the caller.
type UserPath = server.Part[server.Path, query.DatabaseUser]

func (o *Operations) registerUsers() {
	const many, single = base + "/users", base + "/users/{databaseUser}"
	api.Index(o.Router, api.Operation{
		ID:     "organizations.servers.database.users.index",
		Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "List database users",
		Filters: []api.Filter{{Name: "name", Text: true}, {Name: "status"}}, Sorts: []string{"name", "created_at", "updated_at"},
		Formerly: "databases users list",
	}, o.accounts.Load, o.accounts.Index)
	api.Write(o.Router, api.Operation{
		ID:     "organizations.servers.database.users.store",
		Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true, Conflict: true,
		Summary:  "Create a database user",
		Formerly: "databases users add",
	}, o.accounts.Load, o.storeUser)
	api.Show(o.Router, api.Operation{
		ID:     "organizations.servers.database.users.show",
		Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "Get a database user",
	}, o.accounts.InPath, o.accounts.Single)
	api.WriteEmpty(o.Router, api.Operation{
		ID:     "organizations.servers.database.users.update",
		Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true, BodyOptional: true,
		Summary:     "Update a database user",
		Description: "Changes the password, the list of databases, or both. Access to databases that stay in the list is not interrupted.",
		Formerly:    "databases users update",
		Example:     map[string]any{"password": "example"},
	}, o.accounts.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID:     "organizations.servers.database.users.destroy",
		Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: remove, Status: async, ChangesHost: true, Conflict: true,
		Summary: "Delete a database user",
		Query:   []api.Param{force},
		Description: "The account's open connections are terminated (in MySQL, they last until they are closed). The sites' account can't be deleted. 409 " +
			"while sites sign in with the account; the message names them.",
		Formerly: "databases users delete",
	}, o.accounts.InPath, o.destroyUser)
}

func (o *Operations) storeUser(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateDatabaseUserRequest) (api.Document[UserResource], error) {
	var none api.Document[UserResource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	kind, err := needsEngine(c.Fields, c.Parent.Server)
	if err != nil {
		return none, err
	}
	if len(c.Fields["name"]) == 0 {
		if _, err := ParseAccount(kind, "name", b.Name); err != nil {
			c.Fields.Add("name", "%s", err)
		} else if _, err := tx.GetDatabaseUserByName(ctx, c.Parent.Server, b.Name); err == nil {
			c.Fields.Coded("name", api.CodeTaken, nil, "The name has already been taken.")
		} else if !errors.Is(err, db.ErrNotFound) {
			return none, fmt.Errorf("read database user %s: %w", b.Name, err)
		}
	}
	password, err := checkPassword(c.Fields, b.Password.Reveal())
	if err != nil {
		return none, err
	}
	if b.Password.IsZero() {
		password = newPassword()
	}
	ids, err := checkDatabases(ctx, tx, c.Fields, c.Parent.Server, b.DatabaseIDs)
	if err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, accepted, err := o.insertUser(ctx, tx, c.Parent, UserSpecification{Name: b.Name, ReadOnly: b.ReadOnly, Databases: ids}, password)
	if err != nil {
		return none, err
	}
	data, err := o.accounts.Documents(ctx, tx.SQL, c.Parent, row)
	if err != nil {
		return none, err
	}
	if b.Password.IsZero() {
		data[0].Meta.ShownOnce = &api.ShownOnce{Password: api.SecretOf(password.Reveal())}
	}
	return api.Document[UserResource]{Data: data[0], Location: o.accounts.URL(c.Parent, row.ID), Event: accepted.EventID}, nil
}

func checkPassword(f api.Fields, text string) (secret.String, error) {
	if len(f["password"]) > 0 {
		return "", nil
	}
	password, err := ParsePassword(text)
	if err != nil {
		f.Add("password", "%s", err)
	}
	return password, nil
}

// insertUser writes an account with what it may use, and its work.
func (o *Operations) insertUser(ctx context.Context, tx *db.Tx, p server.Path, spec UserSpecification, password secret.String) (query.DatabaseUser,
	job.Accepted, error,
) {
	spec.Host = anywhere
	row, err := tx.InsertDatabaseUser(ctx, query.InsertDatabaseUserParams{
		ServerID: p.Server.ID, Name: spec.Name, Host: spec.Host, Status: StatusInstalling,
		ReadOnly: spec.ReadOnly, Main: spec.Main, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return row, job.Accepted{}, fmt.Errorf("create database user: %w", err)
	}
	if err := o.Store.set(&spec, row.ID, password); err != nil {
		return row, job.Accepted{}, err
	}
	return o.accounts.Accept(ctx, tx, p, row.ID, spec, "create", "Creating database user "+row.Name)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[UserPath], b UpdateDatabaseUserRequest) (api.Empty, error) {
	row, err := o.accounts.Current(ctx, tx, &c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	var password secret.String
	if b.Password != nil {
		if b.Password.IsZero() {
			c.Fields.Add("password", "The password must not be empty.")
		}
		if password, err = checkPassword(c.Fields, b.Password.Reveal()); err != nil {
			return api.Empty{}, err
		}
	}
	var ids []int64
	if b.DatabaseIDs != nil {
		if row.Main {
			c.Fields.Add("database_ids", "The account %s has access to every database.", row.Name)
		}
		if ids, err = checkDatabases(ctx, tx, c.Fields, row, b.DatabaseIDs); err != nil {
			return api.Empty{}, err
		}
	}
	if row.Status == StatusRemoving || row.Status == StatusFailed {
		c.Fields.Add("status", "The account %s is not on the server.", row.Name)
	}
	if err := c.Fields.Err(); err != nil || b.Password == nil && b.DatabaseIDs == nil {
		return api.Empty{}, err
	}
	accepted, err := o.updateUser(ctx, tx, c.Parent.At, row, func(spec *UserSpecification) error {
		if b.DatabaseIDs != nil {
			spec.Databases = ids
		}
		if b.Password == nil {
			return nil
		}
		return o.Store.set(spec, row.ID, password)
	})
	return api.Empty{Event: accepted.EventID}, err
}

// updateUser accepts a change of what an account is to be by what was last asked for.
func (o *Operations) updateUser(ctx context.Context, tx *db.Tx, p server.Path, row query.DatabaseUser,
	change func(*UserSpecification) error,
) (accepted job.Accepted, err error) {
	newest, err := Users.Row(ctx, tx.Granted, row.ID)
	if err != nil {
		return accepted, err
	}
	if err := change(&newest.Specification); err != nil {
		return accepted, err
	}
	_, accepted, err = o.accounts.Accept(ctx, tx, p, row.ID, newest.Specification, "update", "Updating database user "+row.Name)
	return accepted, err
}

func (o *Operations) destroyUser(ctx context.Context, tx *db.Tx, c api.Call[UserPath], _ api.NoBody) (api.Empty, error) {
	request, err := forced(c)
	if err != nil {
		return api.Empty{}, err
	}
	return o.accounts.RemoveAs(ctx, tx, c.Parent, "Deleting database user "+c.Parent.Row.Name, request, func(now UserPath) error {
		if now.Row.Main {
			return api.Conflict("The account %s is used by the sites and can't be deleted.", now.Row.Name)
		}
		return nil
	})
}

// unusedAccount returns a conflict for an account that sites use.
func unusedAccount(ctx context.Context, tx *db.Tx, s query.Server, id int64) error {
	row, err := tx.GetDatabaseUser(ctx, s, id)
	if err != nil {
		return fmt.Errorf("read database user %d: %w", id, err)
	}
	sites, err := tx.ListSitesOfAccount(ctx, s, &id)
	if err != nil {
		return fmt.Errorf("list sites of database user %d: %w", id, err)
	}
	return refuseUsed("account "+row.Name, sites)
}

func shownUser(r query.DatabaseUser) (id int64, operation *int64, a DatabaseUserAttributes) {
	return r.ID, r.OperationID, DatabaseUserAttributes{Name: r.Name, Status: r.Status, CreatedAt: api.TimeOf(r.CreatedAt), UpdatedAt: api.TimeOf(r.UpdatedAt)}
}

// grants adds to documents what accounts may use.
func grants(ctx context.Context, q query.DBTX, _ server.Path, rows []query.DatabaseUser, documents []UserResource) error {
	var ids []any
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := db.All[query.DatabaseGrant](ctx, q, "database_grants", db.Equal("user_id", ids...))
	if err != nil {
		return err
	}
	may := map[int64][]string{}
	for _, g := range found {
		may[g.UserID] = append(may[g.UserID], strconv.FormatInt(g.DatabaseID, 10))
	}
	for i, row := range rows {
		documents[i].Meta.Own = []any{UserMeta{DatabaseUserMeta{ReadOnly: row.ReadOnly, All: row.Main, DatabaseIDs: append([]string{}, may[row.ID]...)}}}
	}
	return nil
}

// UserMeta is what database users add to meta.
type UserMeta struct {
	DatabaseUser DatabaseUserMeta `json:"database_user"`
}

// DatabaseUserMeta is the access of a database user: to these databases, or to all of them, now and later.
type DatabaseUserMeta struct {
	ReadOnly    bool     `json:"read_only"`
	All         bool     `json:"all"`
	DatabaseIDs []string `json:"database_ids" nullable:"false"`
}
