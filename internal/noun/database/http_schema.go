package database

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// DatabaseAttributes are the attributes of a database.
type DatabaseAttributes struct {
	Name      string   `json:"name"`
	Status    string   `json:"status" enum:"installing,installed,removing,failed" doc:"failed (an addition) if it could not be created: see meta.operation, retry or delete it."`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns databases.
func (DatabaseAttributes) ResourceType() string { return "databases" }

// Resource is a database in a document.
type Resource = api.Resource[DatabaseAttributes, api.NoRelationships]

// CreateDatabaseRequest asks for a database.
type CreateDatabaseRequest struct {
	Name                   string      `json:"name" maxLength:"63" doc:"Letters, digits, dashes and underscores."`
	User                   *string     `json:"user,omitempty" nullable:"true" doc:"An account that may use it: a new one, or one that is there (then without a password)."`
	Password               *api.Secret `json:"password,omitempty" nullable:"true" maxLength:"255" doc:"For a new account; generated and shown once if omitted."`
	BackupConfigurationIDs []int64     `json:"backup_configuration_ids,omitempty" nullable:"false"`
}

// Path is a database that the caller can see.
type Path struct {
	server.Path
	Database query.Database
}

func (o *Operations) registerSchemas() {
	const many, single = base + "/schemas", base + "/schemas/{database}"
	api.Index(o.Router, api.Operation{
		ID: inOrg + "schemas.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "List databases",
		Filters: []api.Filter{{Name: "name", Text: true}, {Name: "status"}}, Sorts: []string{"name", "created_at", "updated_at"},
	}, o.Servers.InPath, o.indexSchemas)
	api.Write(o.Router, api.Operation{
		ID: inOrg + "schemas.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true, Summary: "Create a database",
		Description: "The account of the sites has access to it. A generated password of a new account is in meta.shown_once.",
	}, o.Servers.InPath, o.storeSchema)
	api.Remove(o.Router, api.Operation{
		ID: inOrg + "schemas.synchronizations.store", Method: http.MethodPost, Path: many + "/synchronizations", Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true,
		Conflict: true, Summary: "Synchronize databases and accounts with the server",
		Description: "What was created by hand is adopted as it is, what is gone is forgotten. The engine's own databases and accounts are left out.",
	}, o.Servers.InPath, o.synchronize)
	api.Show(o.Router, api.Operation{
		ID: inOrg + "schemas.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "Get a database",
	}, o.schemaInPath, o.showSchema)
	api.Remove(o.Router, api.Operation{
		ID: inOrg + "schemas.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: remove, Status: async, ChangesHost: true, Conflict: true,
		Summary: "Delete a database", Query: []api.Param{force},
		Description: "Deletes all its data. One that could not be created is dropped from the server only if it was created for this. 409 while sites use it, which are named.",
	}, o.schemaInPath, o.destroySchema)
}

func (o *Operations) schemaInPath(ctx context.Context, actor access.Actor, path api.Path) (Path, error) {
	parent, err := o.Servers.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("database")
	if err != nil {
		return Path{}, err
	}
	row, err := o.Store.DB.Read().GetDatabase(ctx, parent.Server.ID, id)
	if err != nil {
		return Path{}, fmt.Errorf("read database %d: %w", id, err)
	}
	return Path{Path: parent, Database: row}, nil
}

func (o *Operations) indexSchemas(ctx context.Context, c api.Call[server.Path]) (api.Collection[Resource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("databases", db.Equal("server_id", c.Parent.Server.ID)), func(rows ...query.Database) ([]Resource, error) {
		return o.schemas(ctx, q, c.Parent, rows...)
	})
}

func (o *Operations) showSchema(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return api.Single(o.schemas(ctx, o.Store.DB.Reader(), c.Parent.Path, c.Parent.Database))
}

func (o *Operations) storeSchema(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateDatabaseRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return none, err
	}
	kind := needsEngine(c.Fields, c.Parent.Server)
	name, err := checkName(ctx, tx, c.Fields, c.Parent.Server, kind, b.Name)
	if err != nil {
		return none, err
	}
	with, err := o.checkWith(ctx, tx, c, kind, b)
	if err != nil {
		return none, err
	}
	unknown, err := o.Backups.Unknown(ctx, tx, c.Parent.Server.ID, b.BackupConfigurationIDs)
	if err != nil {
		return none, err
	}
	for i, id := range b.BackupConfigurationIDs {
		if slices.Contains(unknown, id) {
			c.Fields.Add("backup_configuration_ids."+strconv.Itoa(i), "The selected backup_configuration_ids.%d does not exist.", i)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, event, err := o.insertDatabase(ctx, tx, c.Parent, name)
	if err != nil {
		return none, err
	}
	if err := o.Backups.Include(ctx, tx, row, b.BackupConfigurationIDs); err != nil {
		return none, err
	}
	shown, err := o.with(ctx, tx, c.Parent, row, with)
	if err != nil {
		return none, err
	}
	data, err := o.schemas(ctx, tx.SQL, c.Parent, row)
	if err != nil {
		return none, err
	}
	if shown != "" {
		data[0].Meta.ShownOnce = &api.ShownOnce{Password: api.SecretOf(shown.Reveal())}
	}
	return api.Document[Resource]{Data: data[0], Location: o.schemaPath(c.Parent, row.ID), Event: event}, nil
}

// checkName refuses a name that the engine can't have, or that is taken on the server.
func checkName(ctx context.Context, tx *db.Tx, f api.Fields, s query.Server, kind Engine, text string) (Name, error) {
	if len(f["name"]) > 0 {
		return Name{}, nil
	}
	name, err := ParseName(kind, text)
	if err != nil {
		f.Add("name", "%s", err)
		return Name{}, nil
	}
	if _, err := tx.GetDatabaseByName(ctx, s.ID, text); err == nil {
		f.Add("name", "The name has already been taken.")
	} else if !errors.Is(err, db.ErrNotFound) {
		return name, fmt.Errorf("read database %s: %w", text, err)
	}
	return name, nil
}

// insertDatabase writes a database and its work.
func (o *Operations) insertDatabase(ctx context.Context, tx *db.Tx, p server.Path, name Name) (query.Database, int64, error) {
	row, err := tx.InsertDatabase(ctx, query.InsertDatabaseParams{ServerID: p.Server.ID, Name: name.String(), Status: StatusInstalling, CreatedAt: tx.Micros()})
	if err != nil {
		return row, 0, fmt.Errorf("create database: %w", err)
	}
	wish, err := Databases.Want(row.ID, Specification{Name: row.Name})
	if err != nil {
		return row, 0, err
	}
	work, err := o.accept(ctx, tx, p, job.Work{Resource: Databases.Kind, ResourceID: row.ID, Action: "create", Description: "Creating database " + row.Name}, wish)
	if err != nil {
		return row, 0, err
	}
	if row, err = tx.GetDatabase(ctx, p.Server.ID, row.ID); err != nil {
		return row, 0, fmt.Errorf("create database: %w", err)
	}
	return row, work.EventID, nil
}

// companion is the account of a new database: an existing one, or a new one with this password.
type companion struct {
	known    *query.DatabaseUser
	name     Account
	password secret.String
	shown    bool
}

func (o *Operations) checkWith(ctx context.Context, tx *db.Tx, c api.Call[server.Path], kind Engine, b CreateDatabaseRequest) (*companion, error) {
	f := c.Fields
	given := b.Password != nil && !b.Password.IsZero()
	if b.User == nil || *b.User == "" {
		if given {
			f.Add("user", "The user field is required when there is a password.")
		}
		return nil, nil
	}
	name, err := ParseAccount(kind, "user", *b.User)
	if err != nil {
		f.Add("user", "%s", err)
		return nil, nil
	}
	with := &companion{name: name}
	row, err := tx.GetDatabaseUserByName(ctx, c.Parent.Server.ID, name.String())
	switch {
	case err == nil && given:
		f.Add("user", "The user has already been taken; omit the password to give it access to the database.")
	case err == nil && (row.Status == StatusRemoving || row.Status == StatusFailed):
		f.Add("user", "The user %s is not there.", name)
	case err == nil:
		with.known = &row
	case !errors.Is(err, db.ErrNotFound):
		return nil, fmt.Errorf("read database user %s: %w", name, err)
	case given:
		if with.password, err = ParsePassword(b.Password.Reveal()); err != nil {
			f.Add("password", "%s", err)
		}
	default:
		with.password, with.shown = newPassword(), true
	}
	return with, nil
}

// with creates the account of a new database; shown is a generated password.
func (o *Operations) with(ctx context.Context, tx *db.Tx, p server.Path, row query.Database, c *companion) (shown secret.String, err error) {
	switch {
	case c == nil, c.known != nil && c.known.Main:
		return "", nil
	case c.known != nil:
		_, err := o.updateUser(ctx, tx, p, *c.known, func(spec *UserSpecification) error {
			spec.Databases = append(spec.Databases, row.ID)
			return nil
		})
		return "", err
	}
	_, _, err = o.insertUser(ctx, tx, p, UserSpecification{Name: c.name.String(), Databases: []int64{row.ID}}, c.password)
	if err != nil || !c.shown {
		return "", err
	}
	return c.password, nil
}

func (o *Operations) destroySchema(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return api.Empty{}, err
	}
	row, err := tx.GetDatabase(ctx, c.Parent.Server.ID, c.Parent.Database.ID)
	if errors.Is(err, db.ErrNotFound) {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete database: %w", err)
	}
	if row.Status == StatusRemoving { // a second delete while the first runs
		return api.Empty{}, nil
	}
	sites, err := tx.ListSitesOfDatabase(ctx, row.ServerID, &row.ID)
	if err != nil {
		return api.Empty{}, fmt.Errorf("list sites of database %d: %w", row.ID, err)
	}
	if err := refuseUsed("database "+row.Name, c.Query, sites); err != nil {
		return api.Empty{}, err
	}
	work, err := o.accept(ctx, tx, c.Parent.Path, job.Work{Resource: Databases.Kind, ResourceID: row.ID, Action: "delete", Description: "Deleting database " + row.Name}, Databases.Remove(row.ID))
	return api.Empty{Event: work.EventID}, err
}

func (o *Operations) synchronize(ctx context.Context, tx *db.Tx, c api.Call[server.Path], _ api.NoBody) (api.Empty, error) {
	if EngineOf(c.Parent.Server) == "" {
		return api.Empty{}, api.Conflict("The server has no database engine.")
	}
	work, err := o.accept(ctx, tx, c.Parent, job.Work{Resource: resourceSync, ResourceID: c.Parent.Server.ID, Action: "synchronize", Description: "Synchronizing databases"})
	return api.Empty{Event: work.EventID}, err
}

func (o *Operations) schemas(ctx context.Context, q query.DBTX, p server.Path, rows ...query.Database) ([]Resource, error) {
	return job.Described(ctx, q, rows, func(row query.Database) *int64 { return row.OperationID }, func(row query.Database, meta *api.Meta) Resource {
		return Resource{ID: strconv.FormatInt(row.ID, 10), Links: o.Router.Links(o.schemaPath(p, row.ID)), Meta: meta,
			Attributes: DatabaseAttributes{Name: row.Name, Status: row.Status, CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)}}
	})
}
