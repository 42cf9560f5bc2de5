// Package cli is Hostler's command line for any installation: the API for people and scripts.
//
// Commands are made from the API's description (operation.go). Those that are written by hand are more than one call: they ask, follow, or work on this
// machine.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/client/login"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/rootshell"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

// Exit codes for scripts.
const (
	CodeError     = 1 // any other error
	CodeUsage     = 2 // the command line or a field is wrong
	CodeNotFound  = 3
	CodeForbidden = 4 // not signed in, or not permitted
	CodeFailed    = 5 // the work was accepted and failed, a server has drifted, or would be refused
	CodeTimeout   = 6 // waiting took too long; the work continues
)

// ExitError ends the program with a code.
type ExitError struct {
	Code    int
	Message string
}

func (e *ExitError) Error() string { return e.Message }

func exit(code int, format string, args ...any) error {
	return &ExitError{code, fmt.Sprintf(format, args...)}
}

// codes are the exit codes of errors of other packages.
var codes = map[error]int{
	login.ErrInvalid: CodeUsage, login.ErrDenied: CodeForbidden, login.ErrExpired: CodeTimeout, login.ErrSignedOut: CodeForbidden,
	rootshell.ErrInvalid: CodeUsage, rootshell.ErrRefused: CodeForbidden,
}

func usage(format string, args ...any) error { return exit(CodeUsage, format, args...) }

// coded gives an error its exit code, and makes its text safe for a terminal: parts of it come from hosts.
func coded(err error) error {
	var answer *client.Error
	var known *ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return &ExitError{known.Code, text.Visible(known.Message)}
	case !errors.As(err, &answer):
		for why, code := range codes {
			if errors.Is(err, why) {
				return &ExitError{code, text.Visible(err.Error())}
			}
		}
		return &ExitError{CodeError, text.Visible(err.Error())}
	}
	code := CodeError
	switch answer.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		code = CodeForbidden
	case http.StatusNotFound:
		code = CodeNotFound
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		code = CodeUsage
	}
	return &ExitError{code, text.Visible(err.Error())}
}

// ExitCode prints an error to w and returns the program's exit status.
func ExitCode(err error, w io.Writer) int {
	if err == nil {
		return 0
	}
	code := CodeError
	var known *ExitError
	if errors.As(err, &known) {
		code = known.Code
	}
	for line := range strings.Lines(err.Error()) {
		_, _ = fmt.Fprintln(w, "hostler: "+strings.TrimRight(line, "\n"))
	}
	return code
}

// Usage makes cobra's errors about a command line end the program with CodeUsage: everything that fails before a command runs. It
// is called once, on the root.
func Usage(root *cobra.Command) {
	wrong := func(cmd *cobra.Command, err error) error {
		if err == nil {
			return nil
		}
		return usage("%s\nSee %s --help", err, cmd.CommandPath())
	}
	root.SetFlagErrorFunc(wrong)
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			each(sub)
		}
		if c.HasSubCommands() && c.RunE == nil && c.Run == nil {
			c.RunE, c.Args = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }, unknownCommand
		}
		if args := c.Args; args != nil {
			c.Args = func(cmd *cobra.Command, given []string) error { return wrong(cmd, args(cmd, given)) }
		}
		c.PreRunE = func(cmd *cobra.Command, _ []string) error { // cobra's next check, coded like any other error
			return wrong(cmd, errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()))
		}
	}
	each(root)
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// globals are the flags that every command has, and the environment of commands.
type globals struct {
	URL, Org, Profile, Output string

	query  show.Query
	getenv func(string) string
	config login.File
}

// Commands returns the nouns, each with its verbs. Verbs that are made from the API's description are only made for the nouns among the words of the command
// line, nil for all: a program that serves holds none of them.
func Commands(words []string) []*cobra.Command { return newGlobals().commands(words) }

func (g *globals) commands(words []string) []*cobra.Command {
	commands := []*cobra.Command{
		newLogin(g), newJoin(g), newLogout(g), newWhoami(g), newOrgs(g), newServers(g), newCheckHost(g), newKeys(g), newSSHKeys(g),
		newSites(g), newEvents(g), newRecipes(g), newBackups(g), newFiles(g), newDeploy(g), newAPI(g), newMCP(g),
	}
	commands = addOperations(g, commands, func(noun string) bool { return words == nil || slices.Contains(words, noun) })
	for _, c := range commands {
		g.flags(c)
	}
	return commands
}

// AuditCommands read the audit log of an organization through the API. They are below the operator's command, which prints that of the installation.
func AuditCommands() []*cobra.Command {
	g := newGlobals()
	var commands []*cobra.Command
	for _, op := range description.Operations() {
		if op.Noun == "audit" {
			c := newOperation(g, op)
			g.flags(c)
			commands = append(commands, c)
		}
	}
	return commands
}

func newGlobals() *globals {
	return &globals{getenv: os.Getenv, config: login.DefaultFile()} // without a home directory, everything must come from the environment
}

func (g *globals) flags(c *cobra.Command) {
	f := c.PersistentFlags()
	f.StringVar(&g.URL, "url", "", "URL of the installation (default: from login)")
	f.StringVar(&g.Org, "org", "", "organization slug (default: from login)")
	f.StringVar(&g.Profile, "profile", "", "profile to use (default: the latest)")
	f.StringVarP(&g.Output, "output", "o", "table", "output format: "+strings.Join(show.Formats, ", "))
	f.Var(&g.query, "query", "`expression` of jq that the JSON output is passed through")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(show.Formats, cobra.ShellCompDirectiveNoFileComp))
	c.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return g.fromEnvironment(cmd) }
}

// fromEnvironment sets the flags that were not given from their variables. Only these have some: --port must not take another program's HOSTLER_PORT.
func (g *globals) fromEnvironment(cmd *cobra.Command) error {
	for _, name := range []string{"url", "org", "profile", "output"} {
		value := g.getenv("HOSTLER_" + strings.ToUpper(name))
		if flag := cmd.Flags().Lookup(name); value != "" && flag != nil && !flag.Changed {
			_ = flag.Value.Set(value) // a text flag accepts any value
		}
	}
	if !slices.Contains(show.Formats, g.Output) {
		return usage("--output must be one of %s, not %q", strings.Join(show.Formats, ", "), g.Output)
	}
	return nil
}

// streams are the input and outputs of a command.
type streams struct {
	show.Printer
	in  io.Reader
	err io.Writer
}

func (g *globals) streams(cmd *cobra.Command) streams {
	return streams{show.Printer{Out: cmd.OutOrStdout(), Format: g.Output, Query: g.query}, cmd.InOrStdin(), cmd.ErrOrStderr()}
}

// session is the context of a command: the installation, the credentials, and the output format.
type session struct {
	streams
	url, org string
	client   *client.Client
}

// command makes a command that calls an installation.
func command(g *globals, c *cobra.Command, run func(ctx context.Context, s *session, args []string) error) *cobra.Command {
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := g.open(cmd)
		if err == nil {
			err = run(cmd.Context(), s, args)
		}
		return coded(err)
	}
	return c
}

// offline makes a command that needs no login.
func offline(g *globals, c *cobra.Command, run func(ctx context.Context, s streams, args []string) error) *cobra.Command {
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.RunE = func(cmd *cobra.Command, args []string) error { return coded(run(cmd.Context(), g.streams(cmd), args)) }
	return c
}

// open determines URL, token and organization: flags first, then the environment, then the stored login. A stored token is sent
// only to the installation that it was stored for.
func (g *globals) open(cmd *cobra.Command) (*session, error) {
	kept, err := g.config.Profile(g.Profile)
	if err != nil {
		return nil, err
	}
	s := &session{streams: g.streams(cmd), url: g.URL, org: g.Org}
	token := g.getenv("HOSTLER_TOKEN")
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, usage("HOSTLER_TOKEN contains invalid characters")
	}
	if s.url == "" {
		s.url = kept.URL
	}
	if s.url == kept.URL {
		if token == "" {
			token = kept.Token
		}
		if s.org == "" {
			s.org = kept.Org
		}
	}
	if s.url == "" || token == "" {
		return nil, exit(CodeForbidden, "not signed in: run hostler login URL, or set HOSTLER_URL and HOSTLER_TOKEN")
	}
	source := func(context.Context) (string, error) { return token, nil }
	if kept.Grant != nil && token == kept.Token {
		c, err := g.config.Read()
		if err != nil {
			return nil, err
		}
		source = func(ctx context.Context) (string, error) { return g.config.Token(ctx, c.Name(g.Profile)) }
	}
	if s.client, err = client.NewFrom(s.url, source); err != nil {
		return nil, usage("%s", err)
	}
	return s, nil
}

// path returns a path below the organization.
func (s *session) path(format string, args ...any) (string, error) {
	if s.org == "" {
		return "", usage("no organization selected: use --org, or run hostler orgs switch")
	}
	return "/orgs/" + url.PathEscape(s.org) + fmt.Sprintf(format, args...), nil
}
