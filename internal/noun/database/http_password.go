package database

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// UpdateDatabasePasswordRequest is a new password of the account of the sites.
type UpdateDatabasePasswordRequest struct {
	Password api.Secret `json:"password" maxLength:"255" doc:"Printable ASCII."`
}

func (o *Operations) registerPassword() {
	api.WriteEmpty(o.Router, api.Operation{
		ID:     "organizations.servers.database.password.update",
		Method: http.MethodPut, Path: base +
			"/password", Tag: tag, Mode: api.Sync, Permissions: manage, Status: http.StatusNoContent, ChangesHost: true, Conflict: true, Begins: true,
		Noun: "databases", Verb: "password", Summary: "Change the password of the sites' database account",
		Description: "The new password is set on the server afterwards; see the event in X-Hostler-Event. The engine's own administrator has no password and can " +
			"connect only through the local socket.",
	}, o.schemas.Load, o.password)
}

func (o *Operations) password(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b UpdateDatabasePasswordRequest) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if _, err := needsEngine(c.Fields, c.Parent.Server); err != nil {
		return api.Empty{}, err
	}
	password, err := checkPassword(c.Fields, b.Password.Reveal())
	if err != nil {
		return api.Empty{}, err
	}
	if len(c.Fields["password"]) == 0 && b.Password.IsZero() {
		c.Fields.Add("password", "The password must not be empty.")
	}
	row, err := tx.GetMainDatabaseUser(ctx, c.Parent.Server)
	if errors.Is(err, db.ErrNotFound) && EngineOf(c.Parent.Server) != "" || err == nil && row.Status == StatusFailed {
		if err := c.Fields.Err(); err != nil {
			return api.Empty{}, err
		}
		return api.Empty{}, api.Conflict("The server has no database account for sites.")
	} else if err != nil && !errors.Is(err, db.ErrNotFound) {
		return api.Empty{}, fmt.Errorf("read database user: %w", err)
	}
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	accepted, err := o.updateUser(ctx, tx, c.Parent, row, func(spec *UserSpecification) error { return o.Store.set(spec, row.ID, password) })
	return api.Empty{Event: accepted.EventID}, err
}

// CheckName refuses a name that the engine of a server can't have for a database.
func (o *Operations) CheckName(row query.Server, name string) error {
	_, err := ParseName(EngineOf(row), name)
	return err
}

// AddDefaults creates, on a new server with an engine, the account of the sites, with access to every database, and the first
// database if it has a name. The password is shown once.
func (o *Operations) AddDefaults(ctx context.Context, tx *db.Tx, p server.Path, first string) (secret.String, error) {
	password := newPassword()
	if _, _, err := o.insertUser(ctx, tx, p, UserSpecification{Name: server.SiteUser, Main: true}, password); err != nil {
		return "", err
	}
	if first == "" {
		return password, nil
	}
	name, err := ParseName(EngineOf(p.Server), first)
	if err != nil {
		return "", api.Invalid("database", "%s", err)
	}
	_, _, err = o.insertDatabase(ctx, tx, p, Specification{Name: name.String()})
	return password, err
}
