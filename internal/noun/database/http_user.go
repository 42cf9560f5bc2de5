package database

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
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
	Status    string   `json:"status" enum:"installed,updating,installing,removing,failed" doc:"failed (an addition) if it could not be created: see meta.operation, retry or delete it."`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns databaseUsers.
func (DatabaseUserAttributes) ResourceType() string { return "databaseUsers" }

// UserResource is an account in a document.
type UserResource = api.Resource[DatabaseUserAttributes, api.NoRelationships]

// CreateDatabaseUserRequest asks for an account.
type CreateDatabaseUserRequest struct {
	Name        string     `json:"name" doc:"Letters, digits, dashes and underscores."`
	Password    api.Secret `json:"password" maxLength:"255" doc:"Printable ASCII. Empty: one is generated, and shown once in meta.shown_once."`
	DatabaseIDs []int64    `json:"database_ids,omitempty" nullable:"false" doc:"The databases that it may use."`
	ReadOnly    bool       `json:"read_only,omitempty"`
}

// UpdateDatabaseUserRequest changes an account.
type UpdateDatabaseUserRequest struct {
	Password    *api.Secret `json:"password,omitempty" nullable:"true" maxLength:"255"`
	DatabaseIDs []int64     `json:"database_ids,omitempty" nullable:"false" doc:"All the databases that it may use from now on; left out, they stay."`
}

// UserPath is an account that the caller can see.
type UserPath struct {
	server.Path
	User query.DatabaseUser
}

func (o *Operations) registerUsers() {
	const many, single = base + "/users", base + "/users/{databaseUser}"
	api.Index(o.Router, api.Operation{
		ID: inOrg + "users.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "List database users",
		Filters: []api.Filter{{Name: "name", Text: true}, {Name: "status"}}, Sorts: []string{"name", "created_at", "updated_at"},
	}, o.Servers.InPath, o.indexUsers)
	api.Write(o.Router, api.Operation{
		ID: inOrg + "users.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true, Summary: "Create a database user",
	}, o.Servers.InPath, o.storeUser)
	api.Show(o.Router, api.Operation{
		ID: inOrg + "users.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "Get a database user",
	}, o.userInPath, o.showUser)
	api.Remove(o.Router, api.Operation{
		ID: inOrg + "users.update", Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true, BodyOptional: true, Summary: "Update a database user",
		Description: "Its password, its databases, or both. What it may use already stays open all the time.",
	}, o.userInPath, o.update)
	api.Remove(o.Router, api.Operation{
		ID: inOrg + "users.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: remove, Status: async, ChangesHost: true, Conflict: true, Summary: "Delete a database user",
		Query: []api.Param{force}, Description: "Its connections are cut. The account of the sites can't be deleted. 409 while sites sign in with it, which are named.",
	}, o.userInPath, o.destroyUser)
}

func (o *Operations) userInPath(ctx context.Context, actor access.Actor, path api.Path) (UserPath, error) {
	parent, err := o.Servers.InPath(ctx, actor, path)
	if err != nil {
		return UserPath{}, err
	}
	id, err := path.ID("databaseUser")
	if err != nil {
		return UserPath{}, err
	}
	row, err := o.Store.DB.Read().GetDatabaseUser(ctx, parent.Server.ID, id)
	if err != nil {
		return UserPath{}, fmt.Errorf("read database user %d: %w", id, err)
	}
	return UserPath{Path: parent, User: row}, nil
}

func (o *Operations) indexUsers(ctx context.Context, c api.Call[server.Path]) (api.Collection[UserResource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("database_users", db.Equal("server_id", c.Parent.Server.ID)), func(rows ...query.DatabaseUser) ([]UserResource, error) {
		return o.users(ctx, q, c.Parent, rows...)
	})
}

func (o *Operations) showUser(ctx context.Context, c api.Call[UserPath]) (api.Document[UserResource], error) {
	return api.Single(o.users(ctx, o.Store.DB.Reader(), c.Parent.Path, c.Parent.User))
}

func (o *Operations) storeUser(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateDatabaseUserRequest) (api.Document[UserResource], error) {
	var none api.Document[UserResource]
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return none, err
	}
	kind := needsEngine(c.Fields, c.Parent.Server)
	if len(c.Fields["name"]) == 0 {
		if _, err := ParseAccount(kind, "name", b.Name); err != nil {
			c.Fields.Add("name", "%s", err)
		} else if _, err := tx.GetDatabaseUserByName(ctx, c.Parent.Server.ID, b.Name); err == nil {
			c.Fields.Add("name", "The name has already been taken.")
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
	ids, err := checkDatabases(ctx, tx, c.Fields, c.Parent.Server.ID, b.DatabaseIDs)
	if err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, event, err := o.insertUser(ctx, tx, c.Parent, UserSpecification{Name: b.Name, ReadOnly: b.ReadOnly, Databases: ids}, password)
	if err != nil {
		return none, err
	}
	data, err := o.users(ctx, tx.SQL, c.Parent, row)
	if err != nil {
		return none, err
	}
	if b.Password.IsZero() {
		data[0].Meta.ShownOnce = &api.ShownOnce{Password: api.SecretOf(password.Reveal())}
	}
	return api.Document[UserResource]{Data: data[0], Location: o.userPath(c.Parent, row.ID), Event: event}, nil
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

// insertUser writes an account with its databases, and its work.
func (o *Operations) insertUser(ctx context.Context, tx *db.Tx, p server.Path, spec UserSpecification, password secret.String) (query.DatabaseUser, int64, error) {
	spec.Host = anywhere
	row, err := tx.InsertDatabaseUser(ctx, query.InsertDatabaseUserParams{ServerID: p.Server.ID, Name: spec.Name, Host: spec.Host, Status: StatusInstalling, ReadOnly: spec.ReadOnly, Main: spec.Main, CreatedAt: tx.Micros()})
	if err != nil {
		return row, 0, fmt.Errorf("create database user: %w", err)
	}
	if err := o.Store.set(&spec, row.ID, password); err != nil {
		return row, 0, err
	}
	wish, err := Users.Want(row.ID, spec)
	if err != nil {
		return row, 0, err
	}
	work, err := o.accept(ctx, tx, p, job.Work{Resource: Users.Kind, ResourceID: row.ID, Action: "create", Description: "Creating database user " + row.Name}, wish)
	if err != nil {
		return row, 0, err
	}
	if row, err = tx.GetDatabaseUser(ctx, p.Server.ID, row.ID); err != nil {
		return row, 0, fmt.Errorf("create database user: %w", err)
	}
	return row, work.EventID, nil
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[UserPath], b UpdateDatabaseUserRequest) (api.Empty, error) {
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return api.Empty{}, err
	}
	row, err := tx.GetDatabaseUser(ctx, c.Parent.Server.ID, c.Parent.User.ID)
	if errors.Is(err, db.ErrNotFound) {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("update database user: %w", err)
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
			c.Fields.Add("database_ids", "The account %s may use every database.", row.Name)
		}
		if ids, err = checkDatabases(ctx, tx, c.Fields, row.ServerID, b.DatabaseIDs); err != nil {
			return api.Empty{}, err
		}
	}
	if row.Status == StatusRemoving || row.Status == StatusFailed {
		c.Fields.Add("status", "The account %s is not on the server.", row.Name)
	}
	if err := c.Fields.Err(); err != nil || b.Password == nil && b.DatabaseIDs == nil {
		return api.Empty{}, err
	}
	event, err := o.updateUser(ctx, tx, c.Parent.Path, row, func(spec *UserSpecification) error {
		if b.DatabaseIDs != nil {
			spec.Databases = ids
		}
		if b.Password == nil {
			return nil
		}
		return o.Store.set(spec, row.ID, password)
	})
	return api.Empty{Event: event}, err
}

// updateUser accepts a change of the newest requested state of an account.
func (o *Operations) updateUser(ctx context.Context, tx *db.Tx, p server.Path, row query.DatabaseUser, change func(*UserSpecification) error) (event int64, err error) {
	newest, err := Users.Row(ctx, tx.Queries, row.ID)
	if err != nil {
		return 0, err
	}
	if err := change(&newest.Specification); err != nil {
		return 0, err
	}
	wish, err := Users.Want(row.ID, newest.Specification)
	if err != nil {
		return 0, err
	}
	work, err := o.accept(ctx, tx, p, job.Work{Resource: Users.Kind, ResourceID: row.ID, Action: "update", Description: "Updating database user " + row.Name}, wish)
	return work.EventID, err
}

func (o *Operations) destroyUser(ctx context.Context, tx *db.Tx, c api.Call[UserPath], _ api.NoBody) (api.Empty, error) {
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return api.Empty{}, err
	}
	row, err := tx.GetDatabaseUser(ctx, c.Parent.Server.ID, c.Parent.User.ID)
	if errors.Is(err, db.ErrNotFound) {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete database user: %w", err)
	}
	if row.Main {
		return api.Empty{}, api.Conflict("The account %s is the one of the sites and can't be deleted.", row.Name)
	}
	if row.Status == StatusRemoving { // a second delete while the first runs
		return api.Empty{}, nil
	}
	sites, err := tx.ListSitesOfAccount(ctx, row.ServerID, &row.ID)
	if err != nil {
		return api.Empty{}, fmt.Errorf("list sites of database user %d: %w", row.ID, err)
	}
	if err := refuseUsed("account "+row.Name, c.Query, sites); err != nil {
		return api.Empty{}, err
	}
	work, err := o.accept(ctx, tx, c.Parent.Path, job.Work{Resource: Users.Kind, ResourceID: row.ID, Action: "delete", Description: "Deleting database user " + row.Name}, Users.Remove(row.ID))
	return api.Empty{Event: work.EventID}, err
}

func (o *Operations) users(ctx context.Context, q query.DBTX, p server.Path, rows ...query.DatabaseUser) ([]UserResource, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var operations []*int64
	var ids []any
	for _, row := range rows {
		operations, ids = append(operations, row.OperationID), append(ids, row.ID)
	}
	ops, err := job.Operations(ctx, q, operations...)
	if err != nil {
		return nil, err
	}
	grants, err := db.All[query.DatabaseGrant](ctx, q, "database_grants", db.Equal("user_id", ids...))
	if err != nil {
		return nil, err
	}
	may := map[int64][]string{}
	for _, g := range grants {
		may[g.UserID] = append(may[g.UserID], strconv.FormatInt(g.DatabaseID, 10))
	}
	out := make([]UserResource, len(rows))
	for i, row := range rows {
		meta := &api.Meta{Operation: job.Meta(ops, row.OperationID), DatabaseUser: &api.DatabaseUserMeta{ReadOnly: row.ReadOnly, All: row.Main, DatabaseIDs: append([]string{}, may[row.ID]...)}}
		out[i] = UserResource{ID: strconv.FormatInt(row.ID, 10), Links: o.Router.Links(o.userPath(p, row.ID)), Meta: meta,
			Attributes: DatabaseUserAttributes{Name: row.Name, Status: row.Status, CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)}}
	}
	return out, nil
}
