package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var (
	backupColumns = []column{
		columnID, attribute("NAME", "name"), attribute("SCHEDULE", "displayable_schedule"),
		attribute("NEXT", "next_run_time"),
		{"VERIFIED", lastProven},
		{"ALARM", alarmOf},
	}
	runColumns = []column{
		columnID, attribute("STATUS", "status"), attribute("PARTIAL", "is_partial"),
		{"SIZE", sizeOf},
		{"VERIFIED", proven},
		{"REASON", reasonOf},
		columnWork,
	}
	runDetails = []column{
		{"id", columnID.of},
		attribute("status", "status"), attribute("partial", "is_partial"),
		{"size", sizeOf},
		{"verified", proven},
		{"reason", reasonOf},
		{"operation", columnWork.of},
	}
)

// lastProven returns when a backup of a configuration was last restored and found to equal the dump.
func lastProven(r client.Resource) string {
	if b := r.Meta.Backups; b != nil {
		return b.LastProvenRestore
	}
	return ""
}

func alarmOf(r client.Resource) string {
	if b := r.Meta.Backups; b != nil {
		return b.Alarm
	}
	return ""
}

func proven(r client.Resource) string {
	switch b := r.Meta.Backup; {
	case b == nil:
		return ""
	case b.ProofStatus == "failed":
		return "failed: " + b.ProofReason
	default:
		return b.LastProvenRestore
	}
}

func reasonOf(r client.Resource) string {
	if b := r.Meta.Backup; b != nil {
		return b.Reason
	}
	return ""
}

// sizeOf returns a readable size.
func sizeOf(r client.Resource) string {
	n, err := strconv.ParseInt(r.Attribute("size"), 10, 64)
	if err != nil || n == 0 {
		return ""
	}
	size, unit := float64(n), "B"
	for _, larger := range []string{"kB", "MB", "GB", "TB"} {
		if size < 1000 {
			break
		}
		size, unit = size/1000, larger
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

func newBackups(g *globals) *cobra.Command {
	c := &cobra.Command{
		Use: "backups", Short: "Manage backups of databases and site files",
		Long: "Manage backups of databases and site files. To back up Hostler itself, use hostler backup.",
	}
	c.AddCommand(newBackupsList(g, nil), newBackupsRuns(g, nil), newBackupsRun(g, nil), newBackupsRestore(g, nil),
		newBackupsProve(g, nil), newBackupsDownload(g, nil), newBackupsDelete(g, nil), newBackupsKey(g, nil))
	return c
}

const backupsBelow = "/database/backups"

func newBackupsList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o named) error {
			_, server, err := s.server(ctx, o.What)
			if err != nil {
				return err
			}
			rows, err := s.client.All(ctx, server+backupsBelow)
			if err != nil {
				return err
			}
			return s.list(rows, backupColumns...)
		}
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List backup configurations", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

// backupOptions name a configuration of a server, and one of its backups.
type backupOptions struct {
	changeOptions
	Server, Configuration, Backup string
}

func (o *backupOptions) set(args []string) {
	o.Server, o.Configuration = args[0], args[1]
	if len(args) > 2 {
		o.Backup = args[2]
	}
}

// paths returns the paths of the server and of the configuration, or of the backup if one is named.
func (o backupOptions) paths(ctx context.Context, s *session) (server, path string, err error) {
	if _, server, err = s.server(ctx, o.Server); err != nil {
		return "", "", err
	}
	r, err := s.find(ctx, server+backupsBelow, server+backupsBelow, "backup configuration", o.Configuration)
	if err != nil {
		return "", "", err
	}
	path = server + backupsBelow + "/" + r.ID + "/instances"
	if o.Backup != "" {
		id, err := strconv.ParseInt(o.Backup, 10, 64)
		if err != nil || id <= 0 {
			return "", "", usage("%q is not a backup ID; list backups with: hostler backups runs %s %s", o.Backup, o.Server, o.Configuration)
		}
		path += "/" + strconv.FormatInt(id, 10)
	}
	return server, path, nil
}

func newBackupsRuns(g *globals, run func(context.Context, *session, backupOptions) error) *cobra.Command {
	if run == nil {
		run = backupsRuns
	}
	var o backupOptions
	return command(g, &cobra.Command{
		Use: "runs SERVER CONFIGURATION", Short: "List a configuration's backups, newest first",
		Args: cobra.ExactArgs(2),
	}, &o, o.set, run)
}

func backupsRuns(ctx context.Context, s *session, o backupOptions) error {
	_, path, err := o.paths(ctx, s)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path+"?sort=-created_at")
	if err != nil {
		return err
	}
	return s.list(rows, runColumns...)
}

func newBackupsRun(g *globals, run func(context.Context, *session, backupOptions) error) *cobra.Command {
	if run == nil {
		run = backupsRun
	}
	var o backupOptions
	c := command(g, &cobra.Command{Use: "run SERVER CONFIGURATION", Short: "Back up now", Args: cobra.ExactArgs(2)}, &o, o.set, run)
	o.flags(c)
	return c
}

func backupsRun(ctx context.Context, s *session, o backupOptions) error {
	server, path, err := o.paths(ctx, s)
	if err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: path, server: server, columns: runDetails})
}

func newBackupsProve(g *globals, run func(context.Context, *session, backupOptions) error) *cobra.Command {
	if run == nil {
		run = backupsProve
	}
	var o backupOptions
	c := command(g, &cobra.Command{
		Use: "verify SERVER CONFIGURATION BACKUP", Short: "Verify a backup: restore it into a scratch database and compare",
		Args: cobra.ExactArgs(3),
	}, &o, o.set, run)
	o.flags(c)
	return c
}

func backupsProve(ctx context.Context, s *session, o backupOptions) error {
	server, path, err := o.paths(ctx, s)
	if err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: path + "/proofs", server: server, read: path, columns: runDetails})
}

type backupsRestoreOptions struct {
	backupOptions
	Database, As, On, Site string
	Yes                    bool
}

func newBackupsRestore(g *globals, run func(context.Context, *session, backupsRestoreOptions) error) *cobra.Command {
	if run == nil {
		run = backupsRestore
	}
	var o backupsRestoreOptions
	c := command(g, &cobra.Command{
		Use: "restore SERVER CONFIGURATION BACKUP", Short: "Restore a database from a backup", Args: cobra.ExactArgs(3),
		Long: "Restore a database from a backup. Without --as, the existing database is backed up and then replaced. With --as, a new database is created; --on creates it on another server.",
	}, &o, o.set, run)
	c.Flags().StringVar(&o.Database, "database", "", "database to restore (required)")
	c.Flags().StringVar(&o.As, "as", "", "restore to a new database with this name")
	c.Flags().StringVar(&o.On, "on", "", "restore on another server")
	c.Flags().StringVar(&o.Site, "site", "", "restore the backup's files to this site")
	c.Flags().BoolVar(&o.Yes, "yes", false, "skip the confirmation")
	o.flags(c)
	return c
}

func backupsRestore(ctx context.Context, s *session, o backupsRestoreOptions) error {
	if o.Database == "" {
		return usage("--database is required")
	}
	server, path, err := o.paths(ctx, s)
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
		r, other, err := s.server(ctx, o.On)
		if err != nil {
			return err
		}
		server = other // the work happens there
		if body["server_id"], err = strconv.ParseInt(r.ID, 10, 64); err != nil {
			return fmt.Errorf("read ID of server %s: %w", o.On, err)
		}
	}
	if o.Site != "" {
		r, _, _, err := s.site(ctx, o.Site)
		if err != nil {
			return err
		}
		if body["site_id"], err = strconv.ParseInt(r.ID, 10, 64); err != nil {
			return fmt.Errorf("read ID of site %s: %w", o.Site, err)
		}
	}
	if o.As == "" {
		if err := s.confirmAs(ctx, o.Yes, "replaces", "database", o.Database, "The current data is backed up first."); err != nil {
			return err
		}
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: path + "/restores", body: body, server: server, read: path, columns: runDetails})
}

type backupsDownloadOptions struct{ backupOptions }

func newBackupsDownload(g *globals, run func(context.Context, *session, backupsDownloadOptions) error) *cobra.Command {
	if run == nil {
		run = backupsDownload
	}
	var o backupsDownloadOptions
	return command(g, &cobra.Command{
		Use: "download SERVER CONFIGURATION BACKUP", Short: "Print a backup's download URLs, valid for an hour",
		Args: cobra.ExactArgs(3),
	}, &o, o.set, run)
}

func backupsDownload(ctx context.Context, s *session, o backupsDownloadOptions) error {
	_, path, err := o.paths(ctx, s)
	if err != nil {
		return err
	}
	r, _, err := s.client.Send(ctx, http.MethodPost, path+"/downloads", nil)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(r)
	}
	if r.Meta.Backup == nil {
		return exit(CodeError, "the response contains no download URLs")
	}
	for _, object := range r.Meta.Backup.Objects {
		if object.URL != "" {
			_, _ = fmt.Fprintln(s.out, cell(object.URL))
		}
	}
	return nil
}

type backupsDeleteOptions struct {
	backupOptions
	Yes bool
}

func newBackupsDelete(g *globals, run func(context.Context, *session, backupsDeleteOptions) error) *cobra.Command {
	if run == nil {
		run = backupsDelete
	}
	var o backupsDeleteOptions
	c := command(g, &cobra.Command{Use: "delete SERVER CONFIGURATION BACKUP", Short: "Delete a backup and its files", Args: cobra.ExactArgs(3)}, &o, o.set, run)
	c.Flags().BoolVar(&o.Yes, "yes", false, "skip the confirmation")
	o.flags(c)
	return c
}

func backupsDelete(ctx context.Context, s *session, o backupsDeleteOptions) error {
	server, path, err := o.paths(ctx, s)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, o.Yes, "backup", o.Backup, "It is permanently deleted from the storage."); err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodDelete, path: path, server: server, read: path, columns: runDetails})
}

func newBackupsKey(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = backupsKey
	}
	return command(g, &cobra.Command{
		Use: "key", Short: "Print the secret key that decrypts the organization's backups",
		Long: "Print the secret key that decrypts the organization's backups, for age --decrypt --identity. Store it separately from the backups.",
	}, &none{}, nil, run)
}

func backupsKey(ctx context.Context, s *session, _ none) error {
	path, err := s.path("/backup-keys/export")
	if err != nil {
		return err
	}
	r, _, err := s.client.Send(ctx, http.MethodPost, path, nil)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(r)
	}
	_, _ = fmt.Fprintf(s.out, "# recipient: %s\n%s\n", cell(r.Attribute("recipient")), cell(strings.TrimSpace(r.Meta.ShownOnce.Secret)))
	return nil
}
