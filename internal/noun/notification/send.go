package notification

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/slack"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Mailer hands a mail on.
type Mailer interface {
	Send(ctx context.Context, m mail.Message) error
}

// Sender makes the attempts.
type Sender struct {
	DB    *db.DB
	Vault Vault
	Mail  Mailer
	// HTTP makes calls, within the guard.
	HTTP *http.Client
	// TelegramURL replaces Telegram's address, for tests.
	TelegramURL string
}

// Send brings a message to its channel.
func (s *Sender) Send(ctx context.Context, d query.Delivery) (delivery.Outcome, error) {
	channel, err := s.DB.Read().Ungranted().GetNotificationChannelByID(ctx, *d.ChannelID)
	if errors.Is(err, db.ErrNotFound) {
		return delivery.Outcome{Failure: "The channel was deleted.", Lasting: true}, nil
	}
	if err != nil {
		return delivery.Outcome{}, fmt.Errorf("read notification channel %d: %w", *d.ChannelID, err)
	}
	set, err := s.Vault.open(channel)
	if err != nil {
		return delivery.Outcome{}, err
	}
	out, err := s.attempt(ctx, channel.Type, set, d)
	return out.Without(set.secrets()...), err
}

func (s *Sender) attempt(ctx context.Context, kind string, set settings, d query.Delivery) (delivery.Outcome, error) {
	var m Message
	if err := json.Unmarshal([]byte(d.Payload), &m); err != nil {
		return delivery.Outcome{}, fmt.Errorf("read notification %d: %w", d.ID, err)
	}
	switch kind {
	case Mail:
		return s.mail(ctx, set, m), nil
	case Webhook:
		header, err := delivery.Signed(secret.String(set.Key), d.MessageID, s.DB.Clock.Now(), []byte(d.Payload))
		if err != nil {
			return delivery.Outcome{}, err
		}
		header.Set("X-Hostler-Event", d.Event)
		return delivery.Post(ctx, s.HTTP, set.URL, header, []byte(d.Payload)), nil
	case Slack:
		return s.slack(set, m), nil
	case Discord:
		return s.discord(ctx, set, m), nil
	case Ntfy:
		return s.ntfy(ctx, set, m), nil
	case Telegram:
		return s.telegram(ctx, set, m)
	case Teams:
		return s.teams(ctx, set, m)
	}
	return delivery.Outcome{Failure: "There is no such type of channel.", Lasting: true}, nil
}

func (s *Sender) mail(ctx context.Context, set settings, m Message) delivery.Outcome {
	if err := s.Mail.Send(ctx, mail.Message{To: set.Address, Subject: "Hostler: " + m.Title, Text: m.Title + "\n\n" + m.Text, Link: m.URL}); errors.Is(err, mail.ErrNoServer) {
		return delivery.Outcome{Failure: "This installation has no mail server.", Lasting: true}
	} else if err != nil {
		return delivery.Outcome{Failure: "The mail server did not accept the message."}
	}
	return delivery.Outcome{}
}

// text returns a message without its title.
func (m Message) text() string {
	if m.URL == "" {
		return m.Text
	}
	return strings.TrimSpace(m.Text + "\n" + m.URL)
}

// quiet returns a log for libraries that require one: their messages may contain secret addresses.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// slackText escapes the three characters that are special in Slack: <!channel> would notify a whole channel.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slack sends through the library, which calls hooks.slack.com only, with parts of the address that checkSlack took.
func (s *Sender) slack(set settings, m Message) delivery.Outcome {
	var service slack.Service
	u := &url.URL{Scheme: slack.Scheme, User: url.UserPassword(slack.HookTokenIdentifier, strings.ReplaceAll(set.Token, "/", "-")), Host: "webhook"}
	if err := service.Initialize(u, quiet()); err != nil {
		return delivery.Outcome{Failure: "The address is not valid.", Lasting: true}
	}
	err := service.Send(slackText.Replace(m.text()), &types.Params{"title": slackText.Replace(m.Title)})
	var transport *url.Error // its text contains the address, which is a secret
	switch {
	case err == nil:
		return delivery.Outcome{Status: http.StatusOK}
	case errors.As(err, &transport):
		return delivery.Outcome{Failure: outbound.Explain(transport.Err)}
	default:
		return delivery.Outcome{Failure: "Slack rejected the message: " + strings.ReplaceAll(last(err), set.Token, "…")}
	}
}

// last returns the innermost text of an error that says what was attempted.
func last(err error) string {
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}

// recorder makes calls for a library and records the result of the last one. It returns at most one failure: retries are our own
// work, which survives the process.
type recorder struct {
	ctx  context.Context
	http *http.Client
	out  delivery.Outcome
}

var errRefused = errors.New("refused")

// Do makes a call.
func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	resp, err := r.http.Do(req.WithContext(r.ctx))
	if err != nil {
		r.out = delivery.Outcome{Failure: outbound.Explain(err)}
		return nil, errRefused
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what was read before it broke off
	if r.out = delivery.OfAnswer(resp, body); r.out.Failure != "" {
		return nil, errRefused
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// RoundTrip makes a call for an http.Client of a library.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) { return r.Do(req) }

// outcome returns what came of a call that a library made; err is the library's own.
func (r *recorder) outcome(err error) delivery.Outcome {
	if err != nil && r.out.Failure == "" {
		r.out.Failure = "The message could not be built for this channel."
	}
	return r.out
}

func (s *Sender) discord(ctx context.Context, set settings, m Message) delivery.Outcome {
	var service discord.Service
	id, token, _ := strings.Cut(set.Token, "/")
	if err := service.Initialize(&url.URL{Scheme: discord.Scheme, User: url.User(token), Host: id}, quiet()); err != nil {
		return delivery.Outcome{Failure: "The address is not valid.", Lasting: true}
	}
	r := &recorder{ctx: ctx, http: s.HTTP}
	service.HTTPClient = r
	service.Config.SplitLines = false
	return r.outcome(service.Send(m.text(), &types.Params{"title": m.Title}))
}

func (s *Sender) ntfy(ctx context.Context, set settings, m Message) delivery.Outcome {
	u, err := url.Parse(set.URL)
	if err != nil {
		return delivery.Outcome{Failure: "The address is not valid.", Lasting: true}
	}
	at := &url.URL{Scheme: ntfy.Scheme, Host: u.Host, Path: "/" + set.Topic, RawQuery: "scheme=" + u.Scheme}
	if set.Token != "" {
		at.User = url.UserPassword("", set.Token) // an access token is the password of an empty user (docs.ntfy.sh, "Access tokens")
	}
	var service ntfy.Service
	if err := service.Initialize(at, quiet()); err != nil {
		return delivery.Outcome{Failure: "The address is not valid.", Lasting: true}
	}
	r := &recorder{ctx: ctx, http: s.HTTP}
	service.SetHTTPClient(&http.Client{Transport: r, Timeout: time.Minute})
	params := types.Params{"title": m.Title}
	if m.URL != "" {
		params["click"] = m.URL
	}
	return r.outcome(service.Send(m.Text, &params))
}

// telegram posts directly: the library's client treats a failed connection as a sent message (v0.13.2), and supports only the
// process-wide HTTP client. Without a parse mode the text is literal.
func (s *Sender) telegram(ctx context.Context, set settings, m Message) (delivery.Outcome, error) {
	base := s.TelegramURL
	if base == "" {
		base = "https://api.telegram.org"
	}
	body, err := json.Marshal(map[string]any{"chat_id": set.Chat, "text": m.Title + "\n\n" + m.text(), "link_preview_options": map[string]any{"is_disabled": true}})
	if err != nil {
		return delivery.Outcome{}, fmt.Errorf("write message for Telegram: %w", err)
	}
	return delivery.Post(ctx, s.HTTP, base+"/bot"+set.Token+"/sendMessage", nil, body), nil
}

// teams posts directly: the library knows only the addresses of connectors, which Microsoft replaced with workflows. Both accept this card.
func (s *Sender) teams(ctx context.Context, set settings, m Message) (delivery.Outcome, error) {
	block := func(text, weight string) map[string]any {
		return map[string]any{"type": "TextBlock", "text": teamsText.Replace(text), "wrap": true, "weight": weight}
	}
	card := map[string]any{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": []any{block(m.Title, "bolder"), block(m.Text, "default")}}
	if m.URL != "" {
		card["actions"] = []any{map[string]any{"type": "Action.OpenUrl", "title": "Open", "url": m.URL}}
	}
	body, err := json.Marshal(map[string]any{"type": "message", "attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}})
	if err != nil {
		return delivery.Outcome{}, fmt.Errorf("write message for Teams: %w", err)
	}
	return delivery.Post(ctx, s.HTTP, set.URL, nil, body), nil
}

// teamsText takes the meaning of the brackets that make links of a card's text.
var teamsText = strings.NewReplacer("[", "(", "]", ")")
