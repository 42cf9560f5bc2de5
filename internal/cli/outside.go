package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var deliveryColumns = []column{
	columnID, attribute("EVENT", "event"), attribute("STATE", "state"), attribute("ATTEMPTS", "attempts"),
	attribute("STATUS", "status_code"), attribute("FAILURE", "failure"), attribute("CREATED", "created_at"),
}

var deliveryDetails = []column{
	{"id", columnID.of},
	attribute("event", "event"), attribute("message", "message_id"), attribute("state", "state"),
	attribute("attempts", "attempts"), attribute("status", "status_code"),
	attribute("failure", "failure"), attribute("next attempt", "next_attempt_at"), attribute("payload", "payload"), attribute("response", "response"),
}

var sourceColumns = []column{columnID, attribute("NAME", "name"), attribute("PROVIDER", "provider"), attribute("URL", "url"), attribute("USED", "in_use")}

var sourceDetails = []column{
	{"id", columnID.of},
	attribute("name", "name"), attribute("provider", "provider"), attribute("url", "url"),
	attribute("cloned from", "clone_host"), attribute("used", "in_use"),
}

func newSourceControl(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "source-control", Short: "Manage Git provider connections"}
	c.AddCommand(newSourceControlList(g, nil), newSourceControlConnect(g, nil), newSourceControlUpdate(g, nil), newSourceControlDelete(g, nil))
	return c
}

func newSourceControlList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, _ none) error {
			return s.listOf(ctx, "/source-control-providers", sourceColumns)
		}
	}
	return command(g, &cobra.Command{Use: "list", Short: "List connections"}, &none{}, nil, run)
}

// listOf lists the resources at a path below the organization.
func (s *session) listOf(ctx context.Context, below string, columns []column) error {
	path, err := s.path("%s", below)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path)
	if err != nil {
		return err
	}
	return s.list(rows, columns...)
}

// ofName returns a resource of a list below the organization, by its id or name.
func (s *session) ofName(ctx context.Context, below, kind, what string) (client.Resource, error) {
	list, err := s.path("%s", below)
	if err != nil {
		return client.Resource{}, err
	}
	return s.pick(ctx, list, kind, "name", what)
}

type sourceControlOptions struct {
	What, Name, Provider, URL, CloneHost, Username string
	// Token is set if a new token is to be read.
	Token bool
}

func newSourceControlConnect(g *globals, run func(context.Context, *session, sourceControlOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o sourceControlOptions) error {
			path, err := s.path("/source-control-providers")
			if err != nil {
				return err
			}
			return s.writeSourceControl(ctx, http.MethodPost, path, o)
		}
	}
	var o sourceControlOptions
	c := command(g, &cobra.Command{
		Use: "connect NAME --provider PROVIDER", Short: "Connect a Git provider", Args: cobra.ExactArgs(1),
		Long: "The token is read from a prompt or standard input and tested with the provider. It is never shown again.",
	}, &o, func(args []string) { o.Name, o.Token = args[0], true }, run)
	c.Flags().StringVar(&o.Provider, "provider", "", "github, gitlab, bitbucket or gitlab-custom")
	c.Flags().StringVar(&o.URL, "git-url", "", "URL of a self-hosted GitLab")
	c.Flags().StringVar(&o.CloneHost, "clone-host", "", "SSH host of a self-hosted GitLab, with the port if it is not 22")
	c.Flags().StringVar(&o.Username, "username", "", "account email or username, if the token is used as a password")
	_ = c.MarkFlagRequired("provider")
	_ = c.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions([]string{"github", "gitlab", "bitbucket", "gitlab-custom"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (s *session) writeSourceControl(ctx context.Context, method, path string, o sourceControlOptions) error {
	body := map[string]any{}
	for key, value := range map[string]string{"name": o.Name, "provider": o.Provider, "url": o.URL, "clone_host": o.CloneHost, "username": o.Username} {
		if value != "" {
			body[key] = value
		}
	}
	if o.Token {
		token, err := s.readSecret(ctx, "Token: ")
		if err != nil || token == "" {
			return usage("no token provided")
		}
		body["token"] = token
	}
	r, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	return s.one(r, sourceDetails...)
}

func newSourceControlUpdate(g *globals, run func(context.Context, *session, sourceControlOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o sourceControlOptions) error {
			r, err := s.ofName(ctx, "/source-control-providers", "connection", o.What)
			if err != nil {
				return err
			}
			return s.writeSourceControl(ctx, http.MethodPut, r.Path(), o)
		}
	}
	var o sourceControlOptions
	c := command(g, &cobra.Command{Use: "update CONNECTION", Short: "Edit a connection", Args: cobra.ExactArgs(1)}, &o,
		func(args []string) { o.What = args[0] }, run)
	c.Flags().StringVar(&o.Name, "name", "", "new name")
	c.Flags().BoolVar(&o.Token, "token", false, "replace the token, read from a prompt or standard input")
	c.MarkFlagsOneRequired("name", "token")
	return c
}

func newSourceControlDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o deleteOptions) error {
			r, err := s.ofName(ctx, "/source-control-providers", "connection", o.What)
			if err != nil {
				return err
			}
			return s.remove(ctx, o, "connection", r, "Hostler deletes the token. Nothing changes at the provider.")
		}
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "delete CONNECTION", Short: "Delete a connection", Args: cobra.ExactArgs(1)}, &o,
		func(args []string) { o.What = args[0] }, run)
	o.yesFlag(c)
	return c
}

var webhookColumns = []column{columnID, attribute("URL", "url"), attribute("CREATED", "created_at")}

var webhookDetails = []column{{"id", columnID.of}, attribute("url", "url")}

func newWebhooks(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "webhooks", Short: "Manage deployment webhooks"}
	c.AddCommand(
		onWebhook(g, &cobra.Command{Use: "list SITE", Short: "List webhooks", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, s *session, path string, _ webhookOptions) error {
				return s.rows(ctx, path, webhookColumns)
			}),
		onWebhook(g, &cobra.Command{Use: "add SITE URL", Short: "Add a webhook", Args: cobra.ExactArgs(2), Long: "The signing secret is shown only once."},
			func(ctx context.Context, s *session, path string, o webhookOptions) error {
				return s.post(ctx, path, map[string]any{"url": o.Args[0]}, webhookDetails)
			}),
		onWebhook(g, &cobra.Command{Use: "delete SITE WEBHOOK", Short: "Delete a webhook", Args: cobra.ExactArgs(2)},
			func(ctx context.Context, s *session, path string, o webhookOptions) error {
				return s.client.Do(ctx, http.MethodDelete, path+"/"+o.Args[0], nil, nil)
			}),
		onWebhook(g, &cobra.Command{Use: "test SITE WEBHOOK", Short: "Send a test request", Args: cobra.ExactArgs(2)},
			func(ctx context.Context, s *session, path string, o webhookOptions) error {
				return s.post(ctx, path+"/"+o.Args[0]+"/deliveries", nil, deliveryDetails)
			}),
		onWebhook(g, &cobra.Command{Use: "deliveries SITE WEBHOOK", Short: "List deliveries", Args: cobra.ExactArgs(2)},
			func(ctx context.Context, s *session, path string, o webhookOptions) error {
				return s.rows(ctx, path+"/"+o.Args[0]+"/deliveries", deliveryColumns)
			}),
		onWebhook(g, &cobra.Command{Use: "delivery SITE WEBHOOK DELIVERY", Short: "Show a delivery with its request and response", Args: cobra.ExactArgs(3)},
			func(ctx context.Context, s *session, path string, o webhookOptions) error {
				r, err := s.client.One(ctx, http.MethodGet, path+"/"+o.Args[0]+"/deliveries/"+o.Args[1], nil)
				if err != nil {
					return err
				}
				return s.one(r, deliveryDetails...)
			}),
		onWebhook(g, &cobra.Command{Use: "redeliver SITE WEBHOOK DELIVERY", Short: "Redeliver a delivery", Args: cobra.ExactArgs(3)},
			func(ctx context.Context, s *session, path string, o webhookOptions) error {
				return s.post(ctx, path+"/"+o.Args[0]+"/deliveries/"+o.Args[1]+"/redeliver", nil, deliveryDetails)
			}),
	)
	return c
}

type webhookOptions struct {
	Site string
	// Args are those after the site.
	Args []string
}

// onWebhook returns a command on the webhooks of a site, which are at path.
func onWebhook(g *globals, c *cobra.Command, run func(ctx context.Context, s *session, path string, o webhookOptions) error) *cobra.Command {
	var o webhookOptions
	return command(g, c, &o, func(args []string) { o.Site, o.Args = args[0], args[1:] }, func(ctx context.Context, s *session, o webhookOptions) error {
		_, _, path, err := s.site(ctx, o.Site)
		if err != nil {
			return err
		}
		return run(ctx, s, path+"/webhooks", o)
	})
}

// rows lists the resources at a path.
func (s *session) rows(ctx context.Context, path string, columns []column) error {
	rows, err := s.client.All(ctx, path)
	if err != nil {
		return err
	}
	return s.list(rows, columns...)
}

// post creates a resource and prints it, with its secret if it has one.
func (s *session) post(ctx context.Context, path string, body any, columns []column) error {
	r, err := s.client.One(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	s.shownOnce(r)
	return s.one(r, columns...)
}

var channelColumns = []column{
	columnID, attribute("NAME", "name"), attribute("TYPE", "type"), attribute("TARGET", "target"), attribute("ENABLED", "enabled"),
	attribute("EVENTS", "events"),
}

var channelDetails = []column{
	{"id", columnID.of},
	attribute("name", "name"), attribute("type", "type"), attribute("target", "target"),
	attribute("enabled", "enabled"), attribute("events", "events"),
}

const channels = "/notification-channels"

func newNotifications(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "notifications", Short: "Manage notification channels"}
	c.AddCommand(newNotificationsList(g, nil), newNotificationsAdd(g, nil),
		onChannel(g, &cobra.Command{Use: "test CHANNEL", Short: "Send a test notification", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, s *session, path string) error {
				return s.post(ctx, path+"/deliveries", nil, deliveryDetails)
			}),
		onChannel(g, &cobra.Command{Use: "deliveries CHANNEL", Short: "List deliveries", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, s *session, path string) error {
				return s.rows(ctx, path+"/deliveries", deliveryColumns)
			}),
		onChannel(g, &cobra.Command{Use: "enable CHANNEL", Short: "Turn on a channel", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, s *session, path string) error {
				return s.client.Do(ctx, http.MethodPut, path, map[string]any{"enabled": true}, nil)
			}),
		onChannel(g, &cobra.Command{Use: "disable CHANNEL", Short: "Turn off a channel", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, s *session, path string) error {
				return s.client.Do(ctx, http.MethodPut, path, map[string]any{"enabled": false}, nil)
			}),
		newNotificationsDelete(g, nil))
	return c
}

// onChannel returns a command on a notification channel, which is at path.
func onChannel(g *globals, c *cobra.Command, run func(ctx context.Context, s *session, path string) error) *cobra.Command {
	var o named
	return command(g, c, &o, o.set, func(ctx context.Context, s *session, o named) error {
		r, err := s.ofName(ctx, channels, "channel", o.What)
		if err != nil {
			return err
		}
		return run(ctx, s, r.Path())
	})
}

func newNotificationsList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, _ none) error { return s.listOf(ctx, channels, channelColumns) }
	}
	return command(g, &cobra.Command{Use: "list", Short: "List channels"}, &none{}, nil, run)
}

type notificationsAddOptions struct {
	Name, Type, Address, Chat string
	Events                    []string
}

func newNotificationsAdd(g *globals, run func(context.Context, *session, notificationsAddOptions) error) *cobra.Command {
	if run == nil {
		run = notificationsAdd
	}
	var o notificationsAddOptions
	c := command(g, &cobra.Command{
		Use: "add NAME --type TYPE --event EVENT", Short: "Add a channel", Args: cobra.ExactArgs(1),
		Long: "Secrets are read from a prompt or standard input: the URL for webhook, slack, discord and teams, the bot token for telegram, and the topic for ntfy.",
	}, &o, func(args []string) { o.Name = args[0] }, run)
	c.Flags().StringVar(&o.Type, "type", "", "mail, webhook, slack, discord, telegram, ntfy or teams")
	c.Flags().StringSliceVar(&o.Events, "event", nil, "events to send: deployment.succeeded, deployment.failed, certificate.renewal-failed, backup.failed, backup.unproven, server.unreachable, server.reachable, drift.found, heartbeat.missing, heartbeat.beating, monitor.alert, monitor.recovered")
	c.Flags().StringVar(&o.Address, "address", "", "email address, for mail")
	c.Flags().StringVar(&o.Chat, "chat", "", "chat ID or @channel, for telegram")
	_ = c.MarkFlagRequired("type")
	_ = c.MarkFlagRequired("event")
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions([]string{"mail", "webhook", "slack", "discord", "telegram", "ntfy", "teams"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

func notificationsAdd(ctx context.Context, s *session, o notificationsAddOptions) error {
	path, err := s.path(channels)
	if err != nil {
		return err
	}
	body := map[string]any{"name": o.Name, "type": o.Type, "events": o.Events}
	for key, value := range map[string]string{"address": o.Address, "chat": o.Chat} {
		if value != "" {
			body[key] = value
		}
	}
	secrets := map[string]string{"webhook": "url", "slack": "url", "discord": "url", "teams": "url", "telegram": "token", "ntfy": "topic"}
	if field := secrets[o.Type]; field != "" {
		if body[field], err = s.readSecret(ctx, map[string]string{"url": "URL: ", "token": "Token: ", "topic": "Topic: "}[field]); err != nil {
			return err
		}
	}
	return s.post(ctx, path, body, channelDetails)
}

func newNotificationsDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o deleteOptions) error {
			r, err := s.ofName(ctx, channels, "channel", o.What)
			if err != nil {
				return err
			}
			return s.remove(ctx, o, "channel", r, "It stops receiving notifications.")
		}
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "delete CHANNEL", Short: "Delete a channel", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	o.yesFlag(c)
	return c
}
