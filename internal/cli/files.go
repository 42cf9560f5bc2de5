package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

func newFiles(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "files", Short: "List, read, change, upload and download files of sites", Args: unknownCommand, RunE: showHelp}
	c.AddCommand(newFilesPrint(g), newFilesDownload(g), newFilesUpload(g))
	return c
}

type fileOptions struct {
	Site, Path, Local string
	Replace           bool
}

func newFilesPrint(g *globals) *cobra.Command {
	var o fileOptions
	return command(g, &cobra.Command{
		Example: "  hostler files print shop.example.com public/robots.txt",
		Use:     "print SITE PATH", Short: "Print a text file of a site", Args: cobra.ExactArgs(2),
		Long: "Prints a file of at most 512 KiB that is UTF-8, as it is. Others can be downloaded.",
	}, func(ctx context.Context, s *session, args []string) error {
		o.Site, o.Path = args[0], args[1]
		return filesPrint(ctx, s, o)
	})
}

func filesPrint(ctx context.Context, s *session, o fileOptions) error {
	files, err := s.filesOf(ctx, o.Site)
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodGet, files+"/content?path="+url.QueryEscape(o.Path), nil)
	if err != nil {
		return err
	}
	if s.AsSent() {
		return s.JSON(r)
	}
	var a struct{ Content *string }
	if err := json.Unmarshal(r.Attributes, &a); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if a.Content == nil {
		return fmt.Errorf("%s is no text, or larger than 512 KiB: use hostler files download", text.VisibleLine(o.Path))
	}
	_, err = io.WriteString(s.Out, *a.Content)
	return err
}

func newFilesDownload(g *globals) *cobra.Command {
	var o fileOptions
	c := command(g, &cobra.Command{
		Example: "  hostler files download shop.example.com storage/logs/laravel.log --to -",
		Use:     "download SITE PATH [--to FILE]", Short: "Download a file of a site", Args: cobra.ExactArgs(2),
		Long: "The file is saved under its own name in the current directory unless --to names another place; - is the standard output. Nothing is replaced " +
			"without --replace, and a download that breaks off leaves nothing.",
	}, func(ctx context.Context, s *session, args []string) error {
		o.Site, o.Path = args[0], args[1]
		return filesDownload(ctx, s, o)
	})
	c.Flags().StringVar(&o.Local, "to", "", "file or directory to save it as or in, - for the standard output")
	c.Flags().BoolVar(&o.Replace, "replace", false, "replace a file that exists")
	return c
}

func filesDownload(ctx context.Context, s *session, o fileOptions) error {
	files, err := s.filesOf(ctx, o.Site)
	if err != nil {
		return err
	}
	to, err := localFile(o)
	if err != nil {
		return err
	}
	content, err := s.client.Open(ctx, files+"/download?path="+url.QueryEscape(o.Path))
	if err != nil {
		return err
	}
	defer content.Close()
	if to == "-" {
		_, err = io.Copy(s.Out, content)
		return err
	}
	n, err := save(to, content)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "Saved %s (%d bytes).\n", text.VisibleLine(to), n)
	return nil
}

// localFile returns where a download is saved: never at a path that the server chose.
func localFile(o fileOptions) (string, error) {
	to := o.Local
	if to == "-" {
		return to, nil
	}
	name := path.Base(strings.ReplaceAll(o.Path, `\`, "_"))
	if st, err := os.Stat(to); to == "" || err == nil && st.IsDir() {
		if name == "." || name == "/" || name == ".." {
			return "", usage("%s is no file", text.VisibleLine(o.Path))
		}
		to = filepath.Join(to, name)
	}
	if _, err := os.Lstat(to); err == nil && !o.Replace {
		return "", usage("%s exists: use --replace, or --to with another name", text.VisibleLine(to))
	}
	return to, nil
}

// save writes a file whole or not at all.
func save(to string, content io.Reader) (n int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(to), ".hostler-*")
	if err != nil {
		return 0, fmt.Errorf("save %s: %w", to, err)
	}
	n, err = io.Copy(f, content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		return n, fmt.Errorf("save %s: %w", to, errors.Join(err, os.Remove(f.Name())))
	}
	return n, nil
}

func newFilesUpload(g *globals) *cobra.Command {
	var o fileOptions
	c := command(g, &cobra.Command{
		Example: "  hostler files upload shop.example.com robots.txt public/ --replace",
		Use:     "upload SITE FILE PATH", Short: "Upload a file to a site", Args: cobra.ExactArgs(3),
		Long: "Sends a file of at most 1 GiB; - is the standard input. A PATH that ends with a slash is its directory. It appears whole, once it has arrived.",
	}, func(ctx context.Context, s *session, args []string) error {
		o.Site, o.Local, o.Path = args[0], args[1], args[2]
		return filesUpload(ctx, s, o)
	})
	c.Flags().BoolVar(&o.Replace, "replace", false, "replace a file that exists, keeping its permissions")
	return c
}

func filesUpload(ctx context.Context, s *session, o fileOptions) error {
	files, err := s.filesOf(ctx, o.Site)
	if err != nil {
		return err
	}
	content := s.in
	if o.Local != "-" {
		f, err := os.Open(o.Local)
		if err != nil {
			return fmt.Errorf("open file: %w", err)
		}
		defer f.Close()
		content = f
		if strings.HasSuffix(o.Path, "/") {
			o.Path += strings.ReplaceAll(filepath.Base(o.Local), `\`, `\\`)
		}
	}
	query := url.Values{"path": {o.Path}}
	if o.Replace {
		query.Set("replace", "true")
	}
	var doc struct{ Data client.Resource }
	if _, err := s.client.Upload(ctx, http.MethodPut, files+"/upload?"+query.Encode(), content, &doc); err != nil {
		return err
	}
	return s.One(doc.Data, show.Attribute("path", "path"), show.Attribute("kind", "kind"), show.Column{Name: "size", Of: show.Size},
		show.Attribute("mode", "mode"), show.Attribute("owner", "owner"))
}

// filesOf returns the path of the files of a site.
func (s *session) filesOf(ctx context.Context, site string) (string, error) {
	_, _, path, err := s.site(ctx, site)
	return path + "/files", err
}
