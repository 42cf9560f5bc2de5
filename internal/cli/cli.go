// Package cli is Hostler's command line against any installation: what the API can do, for people and scripts.
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
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// Exit codes that scripts can use.
const (
	CodeError     = 1 // something went wrong on the way
	CodeUsage     = 2 // the command line or a field is wrong
	CodeNotFound  = 3
	CodeForbidden = 4 // not signed in, or not permitted
	CodeFailed    = 5 // the work was accepted and failed
	CodeTimeout   = 6 // it was waited for too long; it goes on
)

// ExitError ends the program with a code.
type ExitError struct {
	Code    int
	Message string
}

func (e *ExitError) Error() string { return e.Message }

// Coded gives an error the exit code that scripts see.
func Coded(err error) error {
	var answer *client.Error
	var coded *ExitError
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case !errors.As(err, &answer):
		return &ExitError{CodeError, err.Error()}
	case answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden:
		return &ExitError{CodeForbidden, err.Error()}
	case answer.Status == http.StatusNotFound:
		return &ExitError{CodeNotFound, err.Error()}
	case answer.Status == http.StatusUnprocessableEntity || answer.Status == http.StatusBadRequest:
		return &ExitError{CodeUsage, err.Error()}
	default:
		return &ExitError{CodeError, err.Error()}
	}
}

// Session is what a command works with: where, as whom, and how to show it.
type Session struct {
	URL, Token, Org string
	Output          string
	Wait            bool
	Timeout         time.Duration
	DryRun          bool
	Yes             bool

	in       io.Reader
	out, err io.Writer
	client   *client.Client
}

// Commands are the verbs, each with its subcommands.
func Commands() []*cobra.Command {
	s := &Session{}
	commands := []*cobra.Command{s.login(), s.logout(), s.whoami(), s.orgs(), s.servers(), s.sites(), s.firewall(), s.events()}
	for _, c := range commands {
		c.PersistentFlags().StringVar(&s.URL, "url", "", "URL of the installation, default from login")
		c.PersistentFlags().StringVar(&s.Org, "org", "", "organization, default from login")
		c.PersistentFlags().StringVarP(&s.Output, "output", "o", "table", "table or json")
	}
	return commands
}

// run wraps a command: it opens the session and gives errors their codes.
func (s *Session) run(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s.in, s.out, s.err = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
		if s.Output != "table" && s.Output != "json" {
			return &ExitError{CodeUsage, "--output must be table or json"}
		}
		if err := s.open(); err != nil {
			return err
		}
		return Coded(f(cmd.Context(), args))
	}
}

// changing adds the flags of commands that change something.
func (s *Session) changing(c *cobra.Command, dry bool) *cobra.Command {
	c.Flags().BoolVar(&s.Wait, "wait", false, "wait until the work ended, showing it")
	c.Flags().DurationVar(&s.Timeout, "timeout", 30*time.Minute, "how long to wait")
	if dry {
		c.Flags().BoolVar(&s.DryRun, "dry-run", false, "show the plan and change nothing")
	}
	return c
}

func (s *Session) destructive(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVarP(&s.Yes, "yes", "y", false, "do not ask")
	return c
}

// config is what login keeps.
type config struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	Org   string `json:"org"`
}

func configFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration: %w", err)
	}
	return filepath.Join(dir, "hostler", "config.json"), nil
}

func readConfig() (config, error) {
	var c config
	path, err := configFile()
	if err != nil {
		return c, nil //nolint:nilerr // without a home the environment must say all
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the configuration: %w", err)
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	return c, nil
}

func writeConfig(c config) error {
	path, err := configFile()
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return os.Rename(temp, path)
}

// open finds URL, token and organization: flags first, then the environment, then what login kept.
func (s *Session) open() error {
	kept, err := readConfig()
	if err != nil {
		return err
	}
	first := func(values ...string) string {
		for _, v := range values {
			if v != "" {
				return v
			}
		}
		return ""
	}
	s.URL = first(s.URL, os.Getenv("HOSTLER_URL"), kept.URL)
	s.Token = first(os.Getenv("HOSTLER_TOKEN"), kept.Token)
	s.Org = first(s.Org, os.Getenv("HOSTLER_ORG"), kept.Org)
	if s.URL == "" || s.Token == "" {
		return &ExitError{CodeForbidden, "not signed in: run hostler login URL, or set HOSTLER_URL and HOSTLER_TOKEN"}
	}
	s.client, err = client.New(s.URL, s.Token)
	return Coded(err)
}

// path is below the organization.
func (s *Session) path(format string, args ...any) (string, error) {
	if s.Org == "" {
		return "", &ExitError{CodeUsage, "which organization? give --org, or choose one with hostler orgs switch"}
	}
	return "/orgs/" + url.PathEscape(s.Org) + fmt.Sprintf(format, args...), nil
}

// column is a heading and what stands below it.
type column struct {
	name string
	of   func(client.Resource) string
}

func attribute(heading, name string) column {
	return column{heading, func(r client.Resource) string { return r.Attribute(name) }}
}

var columnID = column{"ID", func(r client.Resource) string { return r.ID }}

// work is the newest work on a resource, in a few words.
var columnWork = column{"WORK", func(r client.Resource) string {
	op := r.Meta.Operation
	switch {
	case op == nil:
		return ""
	case op.State == "failed":
		return "failed: " + op.Reason
	case op.Ended():
		return op.State
	default:
		return strings.TrimSpace(op.State + " " + op.Step)
	}
}}

// show prints resources as a table, or as the API has them.
func (s *Session) show(rows []client.Resource, columns ...column) error {
	if s.Output == "json" {
		if rows == nil {
			rows = []client.Resource{}
		}
		return s.json(rows)
	}
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	var heads []string
	for _, c := range columns {
		heads = append(heads, c.name)
	}
	_, _ = fmt.Fprintln(w, strings.Join(heads, "\t"))
	for _, r := range rows {
		var cells []string
		for _, c := range columns {
			cells = append(cells, plain(c.of(r)))
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

func (s *Session) json(v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// plain makes control sequences visible: what hosts and people wrote is data.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// find is the resource of a list with this id, or the only one with this name.
func (s *Session) find(ctx context.Context, list, kind, what string) (client.Resource, error) {
	rows, err := s.client.All(ctx, list)
	if err != nil {
		return client.Resource{}, err
	}
	var named []client.Resource
	for _, r := range rows {
		if r.ID == what {
			return r, nil
		}
		if r.Attribute("name") == what {
			named = append(named, r)
		}
	}
	switch len(named) {
	case 0:
		return client.Resource{}, &ExitError{CodeNotFound, fmt.Sprintf("there is no %s %q", kind, what)}
	case 1:
		return named[0], nil
	default:
		return client.Resource{}, &ExitError{CodeUsage, fmt.Sprintf("%d %ss are called %q: give the id", len(named), kind, what)}
	}
}

// confirm asks for the name before something goes.
func (s *Session) confirm(what, name, goes string) error {
	if s.Yes || s.DryRun {
		return nil
	}
	_, _ = fmt.Fprintf(s.err, "This deletes the %s %s. %s\nType its name to go on: ", what, plain(name), goes)
	if line := readLine(s.in); line != name {
		return &ExitError{CodeUsage, "not confirmed; nothing was changed"}
	}
	return nil
}

func readLine(r io.Reader) string {
	var b strings.Builder
	one := make([]byte, 1)
	for b.Len() < 4096 {
		n, err := r.Read(one)
		if n == 1 && one[0] != '\n' {
			b.WriteByte(one[0])
			continue
		}
		if n == 1 || err != nil {
			break
		}
	}
	return strings.TrimRight(b.String(), "\r")
}
