package cli

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var (
	databaseColumns = []column{columnID, attribute("NAME", "name"), attribute("STATUS", "status"), columnWork}
	databaseDetails = []column{{"id", columnID.of}, attribute("name", "name"), attribute("status", "status"), {"operation", columnWork.of}}

	databaseUserColumns = []column{columnID, attribute("NAME", "name"), {"DATABASES", mayUse}, attribute("STATUS", "status"), columnWork}
	databaseUserDetails = []column{{"id", columnID.of}, attribute("name", "name"), {"databases", mayUse}, attribute("status", "status"), {"operation", columnWork.of}}
)

// mayUse returns the databases that an account has access to.
func mayUse(r client.Resource) string {
	u := r.Meta.DatabaseUser
	if u == nil {
		return ""
	}
	text := strings.Join(u.DatabaseIDs, ",")
	if u.All {
		text = "all"
	}
	if u.ReadOnly {
		text = strings.TrimSpace(text + " (read)")
	}
	return text
}

func newDatabases(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "databases", Short: "Manage databases and database users"}
	users := &cobra.Command{Use: "users", Short: "Manage database users"}
	users.AddCommand(newDatabaseUsersList(g, nil), newDatabaseUsersAdd(g, nil), newDatabaseUsersUpdate(g, nil), newDatabaseUsersDelete(g, nil))
	c.AddCommand(newDatabasesList(g, nil), newDatabasesAdd(g, nil), newDatabasesDelete(g, nil), newDatabasesSync(g, nil), newDatabasesRestart(g, nil), users)
	return c
}

func newDatabasesList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o named) error {
			return s.listBelow(ctx, o.What, "/database/schemas", databaseColumns)
		}
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List databases", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func newDatabaseUsersList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o named) error {
			return s.listBelow(ctx, o.What, "/database/users", databaseUserColumns)
		}
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List database users", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

// listBelow lists the resources of a server.
func (s *session) listBelow(ctx context.Context, what, below string, columns []column) error {
	_, server, err := s.server(ctx, what)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, server+below)
	if err != nil {
		return err
	}
	return s.list(rows, columns...)
}

type databasesAddOptions struct {
	changeOptions
	Server, Name, User string
	AskPassword        bool
}

func newDatabasesAdd(g *globals, run func(context.Context, *session, databasesAddOptions) error) *cobra.Command {
	if run == nil {
		run = databasesAdd
	}
	var o databasesAddOptions
	c := command(g, &cobra.Command{
		Use: "add SERVER NAME", Short: "Create a database", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Server, o.Name = args[0], args[1] }, run)
	c.Flags().StringVar(&o.User, "user", "", "user with access to it; a new user gets a password that is shown once")
	c.Flags().BoolVar(&o.AskPassword, "ask-password", false, "prompt for the new user's password")
	o.flagsWithPlan(c)
	return c
}

func databasesAdd(ctx context.Context, s *session, o databasesAddOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"name": o.Name}
	if o.User != "" {
		body["user"] = o.User
	}
	if o.AskPassword {
		if body["password"], err = s.readSecret(ctx, "Password: "); err != nil {
			return err
		}
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: server + "/database/schemas", body: body, server: server, columns: databaseDetails,
	})
}

func newDatabasesDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o deleteOptions) error {
			return s.deleteBelow(ctx, o, "/database/schemas", "database", "All its data is permanently deleted.", databaseDetails)
		}
	}
	var o deleteOptions
	c := command(g, &cobra.Command{
		Use: "delete SERVER DATABASE", Short: "Delete a database", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Server, o.What = args[0], args[1] }, run)
	o.flagsWithPlan(c)
	o.yesFlag(c)
	c.Flags().BoolVar(&o.Force, "force", false, "delete even if sites use it")
	return c
}

func newDatabaseUsersDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o deleteOptions) error {
			return s.deleteBelow(ctx, o, "/database/users", "database user", "Its connections are closed.", databaseUserDetails)
		}
	}
	var o deleteOptions
	c := command(g, &cobra.Command{
		Use: "delete SERVER USER", Short: "Delete a database user", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Server, o.What = args[0], args[1] }, run)
	o.flagsWithPlan(c)
	o.yesFlag(c)
	c.Flags().BoolVar(&o.Force, "force", false, "delete even if sites use it")
	return c
}

// deleteBelow deletes something that belongs to a server, named by its id or name.
func (s *session) deleteBelow(ctx context.Context, o deleteOptions, below, kind, consequence string, columns []column) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	r, err := s.find(ctx, server+below, server+below, kind, o.What)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, o.Yes || o.DryRun, kind, r.Attribute("name"), consequence); err != nil {
		return err
	}
	path := server + below + "/" + r.ID
	c := change{method: http.MethodDelete, path: path, server: server, read: path, columns: columns}
	if o.Force {
		c.path += "?force=true"
	}
	return s.change(ctx, o.changeOptions, c)
}

type databasesWorkOptions struct {
	changeOptions
	Server string
}

func newDatabasesSync(g *globals, run func(context.Context, *session, databasesWorkOptions) error) *cobra.Command {
	if run == nil {
		run = databasesSync
	}
	var o databasesWorkOptions
	c := command(g, &cobra.Command{
		Use: "sync SERVER", Short: "Import databases and users created on the server", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Server = args[0] }, run)
	o.flags(c)
	return c
}

func databasesSync(ctx context.Context, s *session, o databasesWorkOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/database/schemas/synchronizations", server: server})
}

func newDatabasesRestart(g *globals, run func(context.Context, *session, databasesWorkOptions) error) *cobra.Command {
	if run == nil {
		run = databasesRestart
	}
	var o databasesWorkOptions
	c := command(g, &cobra.Command{
		Use: "restart SERVER", Short: "Restart the database engine", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Server = args[0] }, run)
	o.flagsWithPlan(c)
	return c
}

func databasesRestart(ctx context.Context, s *session, o databasesWorkOptions) error {
	r, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	service := "mysql"
	if strings.HasPrefix(r.Attribute("database_type"), "postgres") {
		service = "postgres"
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: server + "/services/" + service + "/actions",
		body: map[string]any{"action": "reboot"}, server: server,
	})
}

type databaseUserOptions struct {
	changeOptions
	Server, Name string
	Databases    []string
	None         bool
	ReadOnly     bool
	AskPassword  bool
}

func newDatabaseUsersAdd(g *globals, run func(context.Context, *session, databaseUserOptions) error) *cobra.Command {
	if run == nil {
		run = databaseUsersAdd
	}
	var o databaseUserOptions
	c := command(g, &cobra.Command{
		Use: "add SERVER NAME", Short: "Create a database user", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Server, o.Name = args[0], args[1] }, run)
	c.Flags().StringArrayVar(&o.Databases, "database", nil, "database that the user can access (repeatable)")
	c.Flags().BoolVar(&o.ReadOnly, "read-only", false, "grant read-only access")
	c.Flags().BoolVar(&o.AskPassword, "ask-password", false, "prompt for the password instead of generating one")
	o.flagsWithPlan(c)
	return c
}

func databaseUsersAdd(ctx context.Context, s *session, o databaseUserOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"name": o.Name, "password": "", "read_only": o.ReadOnly}
	if body["database_ids"], err = s.databaseIDs(ctx, server, o.Databases); err != nil {
		return err
	}
	if o.AskPassword {
		if body["password"], err = s.readSecret(ctx, "Password: "); err != nil {
			return err
		}
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: server + "/database/users", body: body, server: server, columns: databaseUserDetails,
	})
}

func newDatabaseUsersUpdate(g *globals, run func(context.Context, *session, databaseUserOptions) error) *cobra.Command {
	if run == nil {
		run = databaseUsersUpdate
	}
	var o databaseUserOptions
	c := command(g, &cobra.Command{Use: "update SERVER USER", Short: "Edit a database user's access or password", Args: cobra.ExactArgs(2)}, &o,
		func(args []string) { o.Server, o.Name = args[0], args[1] }, run)
	c.Flags().StringArrayVar(&o.Databases, "database", nil, "database that the user can access; replaces the current list (repeatable)")
	c.Flags().BoolVar(&o.None, "no-databases", false, "revoke access to all databases")
	c.Flags().BoolVar(&o.AskPassword, "ask-password", false, "prompt for a new password")
	c.MarkFlagsMutuallyExclusive("database", "no-databases")
	o.flagsWithPlan(c)
	return c
}

func databaseUsersUpdate(ctx context.Context, s *session, o databaseUserOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	list := server + "/database/users"
	r, err := s.find(ctx, list, list, "database user", o.Name)
	if err != nil {
		return err
	}
	body := map[string]any{}
	if o.Databases != nil || o.None {
		if body["database_ids"], err = s.databaseIDs(ctx, server, o.Databases); err != nil {
			return err
		}
	}
	if o.AskPassword {
		if body["password"], err = s.readSecret(ctx, "Password: "); err != nil {
			return err
		}
	}
	if len(body) == 0 {
		return usage("nothing to update: use --database, --no-databases or --ask-password")
	}
	path := list + "/" + r.ID
	return s.change(ctx, o.changeOptions, change{method: http.MethodPut, path: path, body: body, server: server, read: path, columns: databaseUserDetails})
}

// databaseIDs returns the ids of databases given by id or name.
func (s *session) databaseIDs(ctx context.Context, server string, what []string) ([]int64, error) {
	ids := []int64{}
	list := server + "/database/schemas"
	for _, w := range what {
		r, err := s.find(ctx, list, list, "database", w)
		if err != nil {
			return nil, err
		}
		id, err := strconv.ParseInt(r.ID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read ID of database %s: %w", w, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// shownOnce prints a secret that no later answer contains.
func (s *session) shownOnce(r client.Resource) {
	if p := r.Meta.ShownOnce.Username; p != "" {
		_, _ = fmt.Fprintf(s.err, "User: %s\n", cell(p))
	}
	if p := r.Meta.ShownOnce.Password; p != "" {
		_, _ = fmt.Fprintf(s.err, "Password (shown only once): %s\n", cell(p))
	}
	if p := r.Meta.ShownOnce.Secret; p != "" {
		_, _ = fmt.Fprintf(s.err, "Secret (shown only once): %s\n", cell(p))
	}
}
