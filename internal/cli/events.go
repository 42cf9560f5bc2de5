package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var eventColumns = []column{
	columnID,
	{"CREATED", func(r client.Resource) string { return seconds(r.Attribute("created_at")) }},
	attribute("DESCRIPTION", "description"), attribute("RUN AS", "ran_as"), columnWork,
}

var eventDetails = []column{
	{"id", columnID.of},
	attribute("created", "created_at"), attribute("description", "description"),
	attribute("run as", "ran_as"),
	{"state", func(r client.Resource) string {
		if r.Meta.Operation == nil {
			return ""
		}
		return r.Meta.Operation.State
	}},
	{"step", func(r client.Resource) string {
		if r.Meta.Operation == nil {
			return ""
		}
		return r.Meta.Operation.Step
	}},
	{"reason", func(r client.Resource) string {
		if r.Meta.Operation == nil {
			return ""
		}
		return r.Meta.Operation.Reason
	}},
	{"planned", func(r client.Resource) string {
		if r.Meta.Plan == nil {
			return ""
		}
		return "as " + r.Meta.Plan.Hash
	}},
	{"applied", func(r client.Resource) string {
		if r.Meta.Applied == nil {
			return ""
		}
		return seconds(r.Meta.Applied.At)
	}},
	{"verified", verified},
}

// verified is what was seen after the work of an event.
func verified(r client.Resource) string {
	if r.Meta.Proof == nil {
		return ""
	}
	if len(r.Meta.Proof.Checks) == 0 {
		return "no, this work has no check"
	}
	var seen []string
	for _, c := range r.Meta.Proof.Checks {
		seen = append(seen, c.Evidence)
	}
	return strings.Join(seen, "; ")
}

// seconds removes the fraction of a time.
func seconds(at string) string {
	whole, _, ok := strings.Cut(at, ".")
	if !ok {
		return at
	}
	return strings.Replace(whole, "T", " ", 1) + "Z"
}

func newEvents(g *globals) *cobra.Command {
	var o eventsListOptions
	c := command(g, &cobra.Command{Use: "events", Short: "View events on servers and their output", Args: unknownCommand}, &o, nil, eventsList)
	o.listFlags(c)
	c.AddCommand(newEventsList(g, nil), newEventsShow(g, nil), newEventsOutput(g, nil), newEventsRetry(g, nil), newEventsCancel(g, nil))
	return c
}

type eventsListOptions struct {
	onServer
	Site, State string
	LongerThan  time.Duration
	Limit       int
	Follow      bool
}

func newEventsList(g *globals, run func(context.Context, *session, eventsListOptions) error) *cobra.Command {
	if run == nil {
		run = eventsList
	}
	var o eventsListOptions
	c := command(g, &cobra.Command{Use: "list", Short: "List events, newest first, or stream their output with --follow"}, &o, nil, run)
	o.listFlags(c)
	return c
}

func (o *eventsListOptions) listFlags(c *cobra.Command) {
	o.flag(c, "only events on this server")
	c.Flags().StringVar(&o.Site, "site", "", "only events of this site")
	c.Flags().StringVar(&o.State, "state", "", "only events in this state: pending, running, succeeded, failed or cancelled")
	c.Flags().DurationVar(&o.LongerThan, "longer-than", 0, "only events that took longer, such as 90s or 5m")
	c.Flags().IntVar(&o.Limit, "limit", 30, "maximum number of events, 0 for all")
	c.Flags().BoolVarP(&o.Follow, "follow", "f", false, "stream the output of all events until interrupted")
	for _, name := range []string{"site", "state", "longer-than"} { // the stream knows servers only
		c.MarkFlagsMutuallyExclusive("follow", name)
	}
}

func eventsList(ctx context.Context, s *session, o eventsListOptions) error {
	list, err := s.path("/events")
	var server client.Resource
	if err == nil && o.Server != "" {
		server, list, err = s.server(ctx, o.Server)
		list += "/events"
	}
	if err != nil {
		return err
	}
	if o.Follow {
		return s.client.Follow(ctx, s.org, "", func(p client.Piece) bool {
			if server.ID == "" || p.ServerID != nil && fmt.Sprint(*p.ServerID) == server.ID {
				s.piece(p, true)
			}
			return true
		})
	}
	query := url.Values{"sort": {"-created_at"}}
	if o.Site != "" {
		site, _, _, err := s.site(ctx, o.Site)
		if err != nil {
			return err
		}
		query.Set("filter[site_id]", site.ID)
	}
	if o.State != "" {
		query.Set("filter[state]", o.State)
	}
	if o.LongerThan > 0 {
		query.Set("filter[longer_than]", strconv.FormatInt(int64(o.LongerThan/time.Second), 10))
	}
	var rows []client.Resource
	err = s.client.Each(ctx, list+"?"+query.Encode(), func(r client.Resource) bool {
		rows = append(rows, r)
		return o.Limit <= 0 || len(rows) < o.Limit
	})
	if err != nil {
		return err
	}
	return s.list(rows, eventColumns...)
}

// piece prints a piece of output: a JSON object per line, or the text with its event.
func (s *session) piece(p client.Piece, named bool) {
	if s.json {
		_ = s.lineJSON(p)
		return
	}
	for line := range strings.Lines(p.Content) {
		if named {
			line = "[" + p.EventID + "] " + line
		}
		_, _ = fmt.Fprint(s.out, plain(strings.TrimRight(line, "\n"))+"\n")
	}
}

type eventOptions struct {
	changeOptions
	ID     string
	Follow bool
}

func (o *eventOptions) set(args []string) { o.ID = args[0] }

func newEventsShow(g *globals, run func(context.Context, *session, eventOptions) error) *cobra.Command {
	if run == nil {
		run = eventsShow
	}
	var o eventOptions
	return command(g, &cobra.Command{Use: "show EVENT", Short: "Show an event", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func eventsShow(ctx context.Context, s *session, o eventOptions) error {
	r, _, err := s.event(ctx, o.ID)
	if err != nil {
		return err
	}
	return s.one(r, eventDetails...)
}

func newEventsOutput(g *globals, run func(context.Context, *session, eventOptions) error) *cobra.Command {
	if run == nil {
		run = eventsOutput
	}
	var o eventOptions
	c := command(g, &cobra.Command{Use: "output EVENT", Short: "Show an event's output", Args: cobra.ExactArgs(1)}, &o, o.set, run)
	c.Flags().BoolVarP(&o.Follow, "follow", "f", false, "stream until the operation finishes; exit status 5 if it failed")
	return c
}

func eventsOutput(ctx context.Context, s *session, o eventOptions) error {
	_, path, err := s.event(ctx, o.ID)
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodGet, path+"/output", nil)
	if err != nil {
		return err
	}
	if !o.Follow {
		if s.json {
			return s.printJSON(r)
		}
		_, _ = fmt.Fprint(s.out, plain(r.Attribute("output")))
		return nil
	}
	return s.followEvent(ctx, o.ID, path)
}

// followEvent prints all of an event's output until its end. It polls, since the stream covers the organization and begins now.
func (s *session) followEvent(ctx context.Context, id, path string) error {
	for shown := 0; ; {
		r, err := s.client.One(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		ended := r.Meta.Operation.Ended() // read before the output, which is then complete
		out, err := s.client.One(ctx, http.MethodGet, path+"/output", nil)
		if err != nil {
			return err
		}
		text := out.Attribute("output")
		if !ended { // a partial line waits for its end
			text = text[:strings.LastIndexByte(text, '\n')+1]
		}
		if len(text) > shown {
			s.piece(client.Piece{EventID: id, Kind: "output", Content: text[shown:]}, false)
			shown = len(text)
		}
		if ended {
			if op := r.Meta.Operation; op != nil && op.State != "succeeded" {
				return exit(CodeFailed, "%s", strings.TrimSuffix(op.State+": "+op.Reason, ": "))
			}
			return nil
		}
		if err := pause(ctx, pollLater); err != nil {
			return err
		}
	}
}

func newEventsRetry(g *globals, run func(context.Context, *session, eventOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o eventOptions) error { return eventsAct(ctx, s, o, "retry") }
	}
	var o eventOptions
	c := command(g, &cobra.Command{Use: "retry EVENT", Short: "Retry a failed operation", Args: cobra.ExactArgs(1)}, &o, o.set, run)
	o.flags(c)
	return c
}

func newEventsCancel(g *globals, run func(context.Context, *session, eventOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o eventOptions) error { return eventsAct(ctx, s, o, "cancel") }
	}
	var o eventOptions
	return command(g, &cobra.Command{
		Use: "cancel EVENT", Short: "Cancel an operation", Args: cobra.ExactArgs(1),
		Long: "Its processes are killed and their changes are rolled back.",
	}, &o, o.set, run)
}

func eventsAct(ctx context.Context, s *session, o eventOptions, verb string) error {
	_, path, err := s.event(ctx, o.ID)
	if err != nil {
		return err
	}
	server, _, _ := strings.Cut(path, "/events/")
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: path + "/" + verb, server: server, read: path, columns: eventDetails})
}
