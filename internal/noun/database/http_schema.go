package database

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

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
	Status    string   `json:"status" enum:"installing,installed,removing,failed"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns databases.
func (DatabaseAttributes) ResourceType() string { return "databases" }

// Metas are what the meta of these resources has besides.
func (DatabaseAttributes) Metas() []any { return []any{DatabaseMeta{}} }

// DatabaseMeta is what databases add to meta.
type DatabaseMeta struct {
	Extensions []string `json:"extensions" nullable:"false" doc:"The extensions of PostgreSQL that Hostler keeps in the database."`
}

// Resource is a database in a document.
type Resource = server.Document[DatabaseAttributes]

// CreateDatabaseRequest asks for a database.
type CreateDatabaseRequest struct {
	Name                   string      `json:"name" maxLength:"63" doc:"Letters, digits, dashes and underscores."`
	User                   *string     `json:"user,omitempty" nullable:"true"`
	Password               *api.Secret `json:"password,omitempty" nullable:"true" maxLength:"255" doc:"For a new account; generated and shown once if omitted."`
	BackupConfigurationIDs []int64     `json:"backup_configuration_ids,omitempty" nullable:"false"`
	Extensions             []string    `json:"extensions,omitempty" nullable:"false" ours:"true"`
}

// UpdateDatabaseRequest changes a database.
type UpdateDatabaseRequest struct {
	Extensions []string `json:"extensions" nullable:"false"`
}

// Path is a database visible to the caller.
type Path = server.Part[server.Path, query.Database]

func (o *Operations) registerSchemas() {
	const many, single = base + "/schemas", base + "/schemas/{database}"
	api.Index(o.Router, api.Operation{
		ID:     "organizations.servers.database.schemas.index",
		Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view, Noun: "databases", Summary: "List databases",
		Filters: []api.Filter{{Name: "name", Text: true}, {Name: "status"}}, Sorts: []string{"name", "created_at", "updated_at"},
	}, o.schemas.Load, o.schemas.Index)
	api.Write(o.Router, api.Operation{
		ID:     "organizations.servers.database.schemas.store",
		Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true, Conflict: true,
		Noun: "databases", Summary: "Create a database",
		Description: "The sites' account has access to the database. The generated password of a new account is in meta.shown_once.",
	}, o.schemas.Load, o.storeSchema)
	api.WriteEmpty(o.Router, api.Operation{
		ID:     "organizations.servers.database.schemas.synchronizations.store",
		Method: http.MethodPost, Path: many + "/synchronizations", Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true,
		Conflict: true, Noun: "databases", Verb: "sync", Summary: "Synchronize databases and accounts with the server",
		Description: "Imports databases and accounts that were created on the server, and removes those that no longer exist. The engine's own are left out.",
	}, o.schemas.Load, o.synchronize)
	api.Show(o.Router, api.Operation{
		ID:     "organizations.servers.database.schemas.show",
		Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view, Noun: "databases", Summary: "Get a database",
	}, o.schemas.InPath, o.schemas.Single)
	api.Write(o.Router, api.Operation{
		ID:     "organizations.servers.database.schemas.update",
		Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async, Permissions: create, Status: async, ChangesHost: true, Conflict: true,
		Extension: true, Noun: "databases", Summary: "Update the extensions of a database",
		Description: "Those that are missing are created, and those that Hostler keeps and that are not in the list are dropped, " +
			"unless something in the database " +
			"depends on them. Others, which accounts of the database created, stay.",
		Example: map[string]any{"extensions": []any{"citext"}},
		Shown:   map[string]string{"extensions": "meta.extensions"},
	}, o.schemas.InPath, o.updateSchema)
	api.WriteEmpty(o.Router, api.Operation{
		ID:     "organizations.servers.database.schemas.destroy",
		Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: remove, Status: async, ChangesHost: true, Conflict: true,
		Noun: "databases", Summary: "Delete a database", Query: []api.Param{force},
		Description: "Deletes the database with all its data. A database whose creation failed is dropped only if Hostler created it. 409 while sites use it; the " +
			"message names them.",
	}, o.schemas.InPath, o.destroySchema)
}

func (o *Operations) storeSchema(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateDatabaseRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	kind, err := needsEngine(c.Fields, c.Parent.Server)
	if err != nil {
		return none, err
	}
	name, err := checkName(ctx, tx, c.Fields, c.Parent.Server, kind, b.Name)
	if err != nil {
		return none, err
	}
	with, err := o.checkWith(ctx, tx, c, kind, b)
	if err != nil {
		return none, err
	}
	extensions := checkExtensions(c.Fields, kind, b.Extensions)
	unknown, err := o.Backups.Unknown(ctx, tx, c.Parent.Server, b.BackupConfigurationIDs)
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
	row, accepted, err := o.insertDatabase(ctx, tx, c.Parent, Specification{Name: name.String(), Extensions: extensions})
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
	data, err := o.schemas.Documents(ctx, tx.SQL, c.Parent, row)
	if err != nil {
		return none, err
	}
	if shown != "" {
		data[0].Meta.ShownOnce = &api.ShownOnce{Password: api.SecretOf(shown.Reveal())}
	}
	return api.Document[Resource]{Data: data[0], Location: o.schemas.URL(c.Parent, row.ID), Event: accepted.EventID}, nil
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
	if _, err := tx.GetDatabaseByName(ctx, s, text); err == nil {
		f.Coded("name", api.CodeTaken, nil, "The name has already been taken.")
	} else if !errors.Is(err, db.ErrNotFound) {
		return name, fmt.Errorf("read database %s: %w", text, err)
	}
	return name, nil
}

// insertDatabase writes a database and its work.
func (o *Operations) insertDatabase(ctx context.Context, tx *db.Tx, p server.Path, spec Specification) (query.Database,
	job.Accepted, error) {
	row, err := tx.InsertDatabase(ctx, query.InsertDatabaseParams{ServerID: p.Server.ID, Name: spec.Name, Status: StatusInstalling,
		CreatedAt: tx.Micros()})
	if err != nil {
		return row, job.Accepted{}, fmt.Errorf("create database: %w", err)
	}
	return o.schemas.Accept(ctx, tx, p, row.ID, spec, "create", "Creating database "+row.Name)
}

func (o *Operations) updateSchema(ctx context.Context, tx *db.Tx, c api.Call[Path],
	b UpdateDatabaseRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.schemas.Editable(ctx, tx, &c.Parent, "database")
	if err != nil {
		return none, err
	}
	kind, err := needsEngine(c.Fields, c.Parent.At.Server)
	if err != nil {
		return none, err
	}
	if kind != PostgreSQL && len(c.Fields) == 0 {
		c.Fields.Add("extensions", "Only databases of PostgreSQL have extensions.")
	}
	extensions := checkExtensions(c.Fields, PostgreSQL, b.Extensions)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if row.Status == StatusFailed {
		return none, api.Conflict("The database %s is not on the server.", row.Name)
	}
	now, err := Databases.Row(ctx, tx.Granted, row.ID)
	if err != nil {
		return none, err
	}
	spec := now.Specification
	spec.Extensions = extensions
	return o.schemas.Change(ctx, tx, c.Parent.At, row.ID, spec, "update", "Updating the extensions of database "+row.Name)
}

// extensions adds to documents which extensions databases have.
func extensions(_ context.Context, _ query.DBTX, _ server.Path, rows []query.Database, documents []Resource) error {
	for i, row := range rows {
		documents[i].Meta.Own = []any{DatabaseMeta{listed(row.Extensions)}}
	}
	return nil
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
	row, err := tx.GetDatabaseUserByName(ctx, c.Parent.Server, name.String())
	switch {
	case err == nil && given:
		f.Coded("user", api.CodeTaken, nil, "The user has already been taken; omit the password to grant it access to the database.")
	case err == nil && (row.Status == StatusRemoving || row.Status == StatusFailed):
		f.Add("user", "The user %s does not exist.", name)
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
	request, err := forced(c)
	if err != nil {
		return api.Empty{}, err
	}
	return o.schemas.RemoveAs(ctx, tx, c.Parent, "Deleting database "+c.Parent.Row.Name, request, nil)
}

// unusedDatabase returns a conflict for a database that sites use.
func unusedDatabase(ctx context.Context, tx *db.Tx, s query.Server, id int64) error {
	row, err := tx.GetDatabase(ctx, s, id)
	if err != nil {
		return fmt.Errorf("read database %d: %w", id, err)
	}
	sites, err := tx.ListSitesOfDatabase(ctx, s, &id)
	if err != nil {
		return fmt.Errorf("list sites of database %d: %w", id, err)
	}
	return refuseUsed("database "+row.Name, sites)
}

func (o *Operations) synchronize(ctx context.Context, tx *db.Tx, c api.Call[server.Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if EngineOf(c.Parent.Server) == "" {
		return api.Empty{}, api.Conflict("The server has no database engine.")
	}
	return o.about(ctx, tx, c.Parent, resourceSync, "synchronize", "Synchronizing databases")
}

func shownSchema(r query.Database) (id int64, operation *int64, a DatabaseAttributes) {
	return r.ID, r.OperationID, DatabaseAttributes{Name: r.Name, Status: r.Status, CreatedAt: api.TimeOf(r.CreatedAt), UpdatedAt: api.TimeOf(r.UpdatedAt)}
}
