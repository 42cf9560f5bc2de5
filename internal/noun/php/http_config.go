package php

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// PhpFpmConfigurationAttributes are what a version's FPM reads after the distribution's settings.
type PhpFpmConfigurationAttributes struct {
	Configuration string `json:"configuration"`
}

// ResourceType returns phpFpmConfigurations.
func (PhpFpmConfigurationAttributes) ResourceType() string { return "phpFpmConfigurations" }

// PhpCliConfigurationAttributes are what a version reads on the command line after the distribution's settings.
type PhpCliConfigurationAttributes struct {
	Configuration string `json:"configuration"`
}

// ResourceType returns phpCliConfigurations.
func (PhpCliConfigurationAttributes) ResourceType() string { return "phpCliConfigurations" }

// PhpPoolConfigurationAttributes are lines that the pools of an account have in addition.
type PhpPoolConfigurationAttributes struct {
	Configuration string `json:"configuration"`
}

// ResourceType returns phpPoolConfigurations.
func (PhpPoolConfigurationAttributes) ResourceType() string { return "phpPoolConfigurations" }

// UpdatePhpFpmRequest replaces the settings of FPM.
type UpdatePhpFpmRequest struct {
	Config string `json:"config" doc:"Lines of php.ini, which are added after the distribution's. Empty for none."`
}

// UpdatePhpCliRequest replaces the settings of the command line.
type UpdatePhpCliRequest struct {
	Config string `json:"config" doc:"Lines of php.ini, which are added after the distribution's. Empty for none."`
}

// UpdatePhpPoolRequest replaces the lines of the pools of an account.
type UpdatePhpPoolRequest struct {
	Config string  `json:"config" doc:"Lines for FPM pools: process management, and php_value, php_flag, php_admin_value and php_admin_flag. Empty for none."`
	User   *string `json:"user,omitempty" nullable:"true" doc:"The account of an isolated site. Defaults to forge, whose pools serve all other sites."`
}

const refused = "Settings that name files, programs, accounts or sockets, and those that load code, are rejected. If FPM itself rejects them, the operation " +
	"fails, and nothing on the server changes."

func (o *Operations) registerConfigurations() {
	configuration(o, ids{show: "organizations.servers.php.versions.configs.fpm.show", update: "organizations.servers.php.versions.configs.fpm.update"},
		"fpm", "of FPM", "memory_limit = 256M\n", nil,
		func(_ api.Call[Path], s Specification) PhpFpmConfigurationAttributes {
			return PhpFpmConfigurationAttributes{s.FPM}
		},
		func(_ context.Context, _ *db.Tx, c api.Call[Path], b UpdatePhpFpmRequest) (func(*Specification), error) {
			text := checked(c.Fields, b.Config, checkINI)
			return func(s *Specification) { s.FPM = text }, nil
		})
	configuration(o, ids{show: "organizations.servers.php.versions.configs.cli.show", update: "organizations.servers.php.versions.configs.cli.update"},
		"cli", "of the command line", "memory_limit = 1G\n", nil,
		func(_ api.Call[Path], s Specification) PhpCliConfigurationAttributes {
			return PhpCliConfigurationAttributes{s.CLI}
		},
		func(_ context.Context, _ *db.Tx, c api.Call[Path], b UpdatePhpCliRequest) (func(*Specification), error) {
			text := checked(c.Fields, b.Config, checkINI)
			return func(s *Specification) { s.CLI = text }, nil
		})
	configuration(o, ids{show: "organizations.servers.php.versions.configs.pool.show", update: "organizations.servers.php.versions.configs.pool.update"},
		"pool", "of pools", "pm = static\n", []api.Param{{Name: "user", Type: "string", Description: "The account of an isolated site. Defaults to forge."}},
		func(c api.Call[Path], s Specification) PhpPoolConfigurationAttributes {
			return PhpPoolConfigurationAttributes{s.Pools[account(c.Query("user"))]}
		},
		func(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdatePhpPoolRequest) (func(*Specification), error) {
			text, user := checked(c.Fields, b.Config, checkPool), account("")
			if b.User != nil {
				user = account(*b.User)
			}
			err := knows(ctx, tx, c.Fields, c.Parent.At.Server, user)
			return func(s *Specification) { *s = s.with(user, text) }, err
		})
}

// account returns the account that pools belong to, by the name in a request.
func account(name string) string {
	if name == "" {
		return server.SiteUser
	}
	return name
}

// knows refuses an account that no isolated site of the server has.
func knows(ctx context.Context, tx *db.Tx, f api.Fields, srv query.Server, user string) error {
	if user == server.SiteUser || len(f["user"]) > 0 {
		return nil
	}
	accounts, err := tx.ListUnixAccounts(ctx, srv)
	if err != nil {
		return fmt.Errorf("list accounts: %w", err)
	}
	for _, a := range accounts {
		if a.Name == user {
			return nil
		}
	}
	f.Add("user", "No isolated site of the server has this account.")
	return nil
}

func checked(f api.Fields, text string, check func(string) (string, error)) string {
	if len(f["config"]) > 0 {
		return ""
	}
	out, err := check(text)
	var at *lineError
	switch {
	case errors.As(err, &at):
		f.Coded("config", api.CodeAtLine, map[string]any{"line": at.line}, "The configuration is invalid: %s.", err)
	case err != nil:
		f.Add("config", "The configuration is invalid: %s.", err)
	}
	return out
}

// configuration adds the operations on one configuration of a version, of which example are lines.
func configuration[A api.Attributes, B any](o *Operations, id ids, name, what, example string, params []api.Param, show func(api.Call[Path], Specification) A,
	edit func(context.Context, *db.Tx, api.Call[Path], B) (func(*Specification), error),
) {
	path := single + "/configs/" + name
	api.Show(o.Router, api.Operation{
		ID: id.show, Method: http.MethodGet, Path: path, Tag: "Servers", Mode: api.Sync, Permissions: view, Query: params,
		Noun: "php-" + name + "-config", Summary: "Get the PHP configuration " + what,
		Description: "Returns the lines added to the distribution's configuration.",
	}, o.InPath, func(ctx context.Context, c api.Call[Path]) (api.Document[server.Document[A]], error) {
		now, err := Versions.Row(ctx, o.DB.Read(), c.Parent.ID)
		doc := server.Document[A]{
			ID: strconv.FormatInt(c.Parent.ID, 10), Attributes: show(c, now.Specification),
			Links: o.Router.Links(o.URL(c.Parent.At, c.Parent.ID) + "/configs/" + name),
		}
		return api.Document[server.Document[A]]{Data: doc}, err
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: id.update, Method: http.MethodPut, Path: path, Tag: "Servers", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true,
		Noun: "php-" + name + "-config", Summary: "Replace the PHP configuration " + what, Description: refused,
		Example: map[string]any{"config": example},
	}, o.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], b B) (api.Empty, error) {
		if _, err := o.Current(ctx, tx, &c.Parent); err != nil {
			return api.Empty{}, err
		}
		change, err := edit(ctx, tx, c, b)
		if err == nil {
			err = c.Fields.Err()
		}
		if err != nil {
			return api.Empty{}, err
		}
		return o.change(ctx, tx, c.Parent, "update", "Changing the configuration "+what+" of PHP "+c.Parent.Row.Version, change)
	})
}
