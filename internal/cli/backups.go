package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

func newBackups(g *globals) *cobra.Command {
	c := &cobra.Command{
		Use: "backups", Short: "Back up and restore databases and site files", Args: unknownCommand, RunE: showHelp,
		Long: "Back up and restore databases and site files. To back up Hostler itself, use hostler backup.",
	}
	c.AddCommand(newBackupsRestore(g), newBackupsDownload(g), newBackupsKey(g))
	return c
}

// backup returns the paths of a server and of a backup of one of its configurations.
func (s *session) backup(ctx context.Context, args []string) (server, path string, err error) {
	if _, server, err = s.server(ctx, args[0]); err != nil {
		return "", "", err
	}
	list := server + "/database/backups"
	r, err := s.find(ctx, list, list, "backup configuration", args[1])
	if strings.ContainsFunc(args[2], func(r rune) bool { return r < '0' || r > '9' }) {
		return "", "", usage("%q is not a backup ID; list backups with: hostler backup-runs list %s %s", args[2], args[0], args[1])
	}
	return server, list + "/" + r.ID + "/instances/" + args[2], err
}

type backupsRestoreOptions struct {
	changeOptions
	Database, As, On, Site string
	Yes                    bool
}

func newBackupsRestore(g *globals) *cobra.Command {
	var o backupsRestoreOptions
	c := command(g, &cobra.Command{
		Example: "  hostler backups restore db-1 nightly 12 --database shop --as shop_copy --wait",
		Use:     "restore SERVER CONFIGURATION BACKUP", Short: "Restore a database from a backup", Args: cobra.ExactArgs(3),
		Long: "Without --as, the existing database is backed up, then replaced. With it, a new database is created; with --on, on another server.",
	}, func(ctx context.Context, s *session, args []string) error { return backupsRestore(ctx, s, args, o) })
	c.Flags().StringVar(&o.Database, "database", "", "database to restore (required)")
	c.Flags().StringVar(&o.As, "as", "", "restore to a new database with this name")
	c.Flags().StringVar(&o.On, "on", "", "restore on another server")
	c.Flags().StringVar(&o.Site, "site", "", "restore the backup's files to this site")
	c.Flags().BoolVarP(&o.Yes, "yes", "y", false, "skip the confirmation")
	o.flags(c)
	return c
}

func backupsRestore(ctx context.Context, s *session, args []string, o backupsRestoreOptions) error {
	if o.Database == "" {
		return usage("--database is required")
	}
	server, path, err := s.backup(ctx, args)
	if err != nil {
		return err
	}
	schemas := server + "/database/schemas"
	database, err := s.find(ctx, schemas, schemas, "database", o.Database)
	if err != nil {
		return err
	}
	body := map[string]any{"database_id": json.Number(database.ID)}
	if o.As != "" {
		body["name"] = o.As
	}
	if o.On != "" {
		var r client.Resource
		if r, server, err = s.server(ctx, o.On); err != nil { // the work happens there
			return err
		}
		body["server_id"] = json.Number(r.ID)
	}
	if o.Site != "" {
		r, _, _, err := s.site(ctx, o.Site)
		if err != nil {
			return err
		}
		body["site_id"] = json.Number(r.ID)
	}
	if o.As == "" {
		if err := s.confirmAs(ctx, o.Yes, "replaces", "database", o.Database, "The current data is backed up first."); err != nil {
			return err
		}
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: path + "/restores", body: body, server: server, read: path,
		columns: []show.Column{show.ID, show.Attribute("STATUS", "status"), show.Work},
	})
}

func newBackupsDownload(g *globals) *cobra.Command {
	return command(g, &cobra.Command{
		Example: "  hostler backups download db-1 nightly 12",
		Use:     "download SERVER CONFIGURATION BACKUP", Short: "Print a backup's download URLs, valid for an hour", Args: cobra.ExactArgs(3),
	}, func(ctx context.Context, s *session, args []string) error {
		_, path, err := s.backup(ctx, args)
		if err != nil {
			return err
		}
		r, err := s.client.One(ctx, http.MethodPost, path+"/downloads", nil)
		if err != nil || s.AsSent() {
			return s.printedJSON(r, err)
		}
		if r.Meta.Backup == nil {
			return exit(CodeError, "the response contains no download URLs")
		}
		for _, object := range r.Meta.Backup.Objects {
			if object.URL != "" {
				_, _ = fmt.Fprintln(s.Out, text.VisibleLine(object.URL))
			}
		}
		return nil
	})
}

// printedJSON prints a resource as JSON unless there was an error.
func (s *session) printedJSON(r client.Resource, err error) error {
	if err != nil {
		return err
	}
	return s.JSON(r)
}

func newBackupsKey(g *globals) *cobra.Command {
	return command(g, &cobra.Command{
		Example: "  hostler backups key > key.txt",
		Use:     "key", Short: "Print the secret key that decrypts the organization's backups",
		Long: "Print the secret key that decrypts the organization's backups, for age --decrypt --identity. Store it separately from the backups.",
	}, func(ctx context.Context, s *session, _ []string) error {
		path, err := s.path("/backup-keys/export")
		if err != nil {
			return err
		}
		r, err := s.client.One(ctx, http.MethodPost, path, nil)
		if err != nil || s.AsSent() {
			return s.printedJSON(r, err)
		}
		_, err = fmt.Fprintf(s.Out, "# recipient: %s\n%s\n", text.VisibleLine(r.Attribute("recipient")), text.VisibleLine(r.Meta.ShownOnce.Secret))
		return err
	})
}
