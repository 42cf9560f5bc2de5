package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

const storageProviders = "/storage-providers"

var storageColumns = []column{
	columnID, attribute("NAME", "name"), attribute("PROVIDER", "provider"),
	{"WHERE", storageWhere},
	attribute("BUCKET", "bucket"), attribute("DIRECTORY", "directory"), attribute("USED", "in_use"),
}

var storageDetails = []column{
	{"id", columnID.of},
	attribute("name", "name"), attribute("provider", "provider"),
	attribute("region", "region"), attribute("endpoint", "endpoint"), attribute("bucket", "bucket"),
	attribute("directory", "directory"),
	{"host key", storageHostKey},
	attribute("used", "in_use"),
}

// storageWhere returns the endpoint of a storage provider, or the region that determines it.
func storageWhere(r client.Resource) string {
	return cmp.Or(r.Attribute("endpoint"), r.Attribute("region"))
}

func storageHostKey(r client.Resource) string {
	if s := r.Meta.Storage; s != nil {
		return s.HostKey
	}
	return ""
}

func newStorage(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "storage", Short: "Manage backup storage: S3, SFTP, or a directory on Hostler's machine"}
	c.AddCommand(newStorageList(g, nil), newStorageShow(g, nil), newStorageCreate(g, nil), newStorageUpdate(g, nil), newStorageDelete(g, nil))
	return c
}

func newStorageList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, _ none) error {
			return s.listOf(ctx, storageProviders, storageColumns)
		}
	}
	return command(g, &cobra.Command{Use: "list", Short: "List storage providers"}, &none{}, nil, run)
}

func newStorageShow(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = storageShow
	}
	var o named
	return command(g, &cobra.Command{Use: "show STORAGE", Short: "Show a storage provider", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func storageShow(ctx context.Context, s *session, o named) error {
	r, err := s.ofName(ctx, storageProviders, "storage provider", o.What)
	if err != nil {
		return err
	}
	return s.one(r, storageDetails...)
}

type storageWriteOptions struct {
	What, Name, Provider, Region, Endpoint, Bucket, Directory, AccessKey, SecretFile, HostKey string
	// Secret is set if a new secret key is to be read.
	Secret bool
}

func (o *storageWriteOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.Region, "region", "", "bucket region")
	c.Flags().StringVar(&o.Endpoint, "endpoint", "", "endpoint for custom: https://s3.example.com, sftp://host:port/directory or file:///")
	c.Flags().StringVar(&o.Bucket, "bucket", "", "default bucket")
	c.Flags().StringVar(&o.Directory, "directory", "", "directory in the bucket")
	c.Flags().StringVar(&o.AccessKey, "access-key", "", "access key ID, or the SFTP user")
	c.Flags().StringVar(&o.SecretFile, "secret-file", "", "read the secret key from this file (for multi-line private keys)")
	c.Flags().StringVar(&o.HostKey, "host-key", "", "expected SFTP host key, as in known_hosts")
}

func newStorageCreate(g *globals, run func(context.Context, *session, storageWriteOptions) error) *cobra.Command {
	if run == nil {
		run = storageCreate
	}
	var o storageWriteOptions
	c := command(g, &cobra.Command{
		Use: "create NAME --provider PROVIDER", Short: "Connect a storage provider", Args: cobra.ExactArgs(1),
		Long: "The secret key is read from a prompt, standard input or --secret-file. It is never shown again. Hostler tests the storage with a write, read and delete before it is\nsaved. " +
			"For SFTP, omit --host-key first: the response shows the server's key, and no secret is sent to it.",
	},
		&o, func(args []string) { o.Name = args[0] }, run)
	o.flags(c)
	c.Flags().StringVar(&o.Provider, "provider", "", "s3, spaces, hetzner, ovh, scaleway or custom")
	_ = c.MarkFlagRequired("provider")
	_ = c.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions([]string{"s3", "spaces", "hetzner", "ovh", "scaleway", "custom"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

func storageCreate(ctx context.Context, s *session, o storageWriteOptions) error {
	path, err := s.path(storageProviders)
	if err != nil {
		return err
	}
	o.Secret = o.SecretFile == "" && !strings.HasPrefix(o.Endpoint, "file:")
	return s.writeStorage(ctx, http.MethodPost, path, o)
}

func (s *session) writeStorage(ctx context.Context, method, path string, o storageWriteOptions) error {
	body := map[string]any{}
	for key, value := range map[string]string{
		"name":       o.Name,
		"provider":   o.Provider,
		"region":     o.Region,
		"endpoint":   o.Endpoint,
		"bucket":     o.Bucket,
		"directory":  o.Directory,
		"access_key": o.AccessKey,
		"host_key":   o.HostKey,
	} {
		if value != "" {
			body[key] = value
		}
	}
	if o.SecretFile != "" {
		secret, err := os.ReadFile(o.SecretFile)
		if err != nil {
			return fmt.Errorf("read the secret key: %w", err)
		}
		body["secret_key"] = strings.TrimSpace(string(secret))
	}
	if o.Secret {
		secret, err := s.readSecret(ctx, "Secret key: ")
		if err != nil || secret == "" {
			return usage("no secret key provided")
		}
		body["secret_key"] = secret
	}
	r, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	return s.one(r, storageDetails...)
}

func newStorageUpdate(g *globals, run func(context.Context, *session, storageWriteOptions) error) *cobra.Command {
	if run == nil {
		run = storageUpdate
	}
	var o storageWriteOptions
	c := command(g, &cobra.Command{
		Use: "update STORAGE", Short: "Edit a storage provider", Args: cobra.ExactArgs(1),
		Long: "Only the given values change. Changing the endpoint or the host key requires the secret key again.",
	}, &o, func(args []string) { o.What = args[0] }, run)
	o.flags(c)
	c.Flags().StringVar(&o.Name, "name", "", "new name")
	c.Flags().BoolVar(&o.Secret, "secret", false, "replace the secret key, read from a prompt or standard input")
	c.MarkFlagsOneRequired("name", "region", "endpoint", "bucket", "directory", "access-key", "secret", "secret-file", "host-key")
	c.MarkFlagsMutuallyExclusive("secret", "secret-file")
	return c
}

func storageUpdate(ctx context.Context, s *session, o storageWriteOptions) error {
	r, err := s.ofName(ctx, storageProviders, "storage provider", o.What)
	if err != nil {
		return err
	}
	o.Name, o.Provider = cmp.Or(o.Name, r.Attribute("name")), r.Attribute("provider")
	return s.writeStorage(ctx, http.MethodPut, r.Path(), o)
}

func newStorageDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = storageDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{
		Use: "delete STORAGE", Short: "Delete a storage provider", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.What = args[0] }, run)
	o.yesFlag(c)
	return c
}

func storageDelete(ctx context.Context, s *session, o deleteOptions) error {
	r, err := s.ofName(ctx, storageProviders, "storage provider", o.What)
	if err != nil {
		return err
	}
	return s.remove(ctx, o, "storage provider", r, "Its backups stay there but can no longer be restored from Hostler.")
}
