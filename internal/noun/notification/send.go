package notification

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
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
	out, err := s.attempt(ctx, channel, set, d)
	return out.Without(set.secrets()...), err
}

func (s *Sender) attempt(ctx context.Context, channel query.NotificationChannel, set settings, d query.Delivery) (delivery.Outcome, error) {
	var m Message
	if err := json.Unmarshal([]byte(d.Payload), &m); err != nil {
		return delivery.Outcome{}, fmt.Errorf("read notification %d: %w", d.ID, err)
	}
	switch channel.Type {
	case Mail:
		waiting, err := recipient.Waiting(ctx, s.DB.Reader(), channel.OrganizationID, set.Address)
		if err != nil {
			return delivery.Outcome{}, err
		}
		if len(waiting) > 0 {
			return delivery.Outcome{Failure: "The address is not confirmed. Its owner has to open the link that was sent to it.", Lasting: true}, nil
		}
		return s.mail(ctx, set, m), nil
	case Webhook:
		header, err := delivery.Signed(secret.String(set.Key), d.MessageID, s.DB.Clock.Now(), []byte(d.Payload))
		if err != nil {
			return delivery.Outcome{}, err
		}
		header.Set("X-Hostler-Event", d.Event)
		return delivery.Post(ctx, s.HTTP, set.URL, header, []byte(d.Payload)), nil
	case Slack:
		return s.slack(ctx, set, m.whole())
	case Discord:
		return s.discord(ctx, set, m.whole())
	case Ntfy:
		return s.ntfy(ctx, set, m.whole())
	case Telegram:
		return s.telegram(ctx, set, m.whole())
	case Teams:
		return s.teams(ctx, set, m.whole())
	}
	return delivery.Outcome{Failure: "There is no such type of channel.", Lasting: true}, nil
}

func (s *Sender) mail(ctx context.Context, set settings, m Message) delivery.Outcome {
	if err := s.Mail.Send(ctx, mail.Message{
		To: set.Address, Subject: "Hostler: " + m.Title, Text: m.Title + "\n\n" + m.Text, Steps: m.Record.steps(), Link: m.URL,
	}); errors.Is(err, mail.ErrNoServer) {
		return delivery.Outcome{Failure: "This installation has no mail server.", Lasting: true}
	} else if err != nil {
		return delivery.Outcome{Failure: "The mail server did not accept the message: " + err.Error(), Lasting: errors.Is(err, mail.ErrRefused)}
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

// post sends a body of JSON to one of the services that people write to.
func (s *Sender) post(ctx context.Context, service, url string, header http.Header, body any) (delivery.Outcome, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return delivery.Outcome{}, fmt.Errorf("write message for %s: %w", service, err)
	}
	return delivery.Post(ctx, s.HTTP, url, header, text), nil
}

// hook sends a message to an incoming webhook of Slack or Discord. These services refuse the hook, not the moment: a deleted
// one answers 404, and calling it again counts against our address (Discord, "Rate Limits", invalid requests).
func (s *Sender) hook(ctx context.Context, service, url string, body any) (delivery.Outcome, error) {
	out, err := s.post(ctx, service, url, nil, body)
	switch out.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		out.Failure, out.Lasting = fmt.Sprintf("%s rejected the message with %d: %s", service, out.Status, strings.TrimSpace(out.Response)), true
	}
	return out, err
}

// slackText escapes the three characters that are special in Slack: <!channel> would notify a whole channel.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// compatibleText takes the meaning of what other services read as links and mentions.
var compatibleText = strings.NewReplacer("[", "(", "]", ")", "@", "@\u200b")

// slack sends to an incoming webhook (docs.slack.dev, "Sending messages using incoming webhooks"). The text is literal: no
// markup, no previews of links, and names do not become mentions. Services that take Slack's messages know only the text, and read it as Markdown.
func (s *Sender) slack(ctx context.Context, set settings, m Message) (delivery.Outcome, error) {
	title, text := m.Title, m.Text
	if !slackPattern.MatchString(set.URL) {
		title, text = compatibleText.Replace(title), compatibleText.Replace(text)
	}
	m.Text = text
	return s.hook(ctx, "Slack", set.URL, map[string]any{
		"text":   slackText.Replace(title + "\n" + m.text()),
		"mrkdwn": false, "link_names": false, "parse": "none", "unfurl_links": false, "unfurl_media": false,
	})
}

// discordText escapes Discord's markup, so that names can't become links with another text, or mentions.
var discordText = strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "~", "\\~", "`", "\\`", "|", "\\|", "<", "\\<", ">", "\\>", "[", "\\[",
	"]", "\\]", "#", "\\#")

// The longest title and description of an embed, in characters (Discord, "Embed Limits").
const (
	discordTitle       = 256
	discordDescription = 4096
)

// discord sends an embed to a webhook (Discord, "Execute Webhook"). Text in an embed notifies no one, and allowed_mentions says so too.
func (s *Sender) discord(ctx context.Context, set settings, m Message) (delivery.Outcome, error) {
	text := cut(discordText.Replace(m.Text), discordDescription-len(m.URL)-1)
	if m.URL != "" {
		text += "\n" + m.URL
	}
	embed := map[string]any{"title": cut(discordText.Replace(m.Title), discordTitle), "description": strings.TrimSpace(text)}
	return s.hook(ctx, "Discord", set.URL, map[string]any{"embeds": []any{embed}, "allowed_mentions": map[string]any{"parse": []string{}}})
}

// cut shortens escaped text to a number of characters. A backslash at the end escapes nothing.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return strings.TrimRight(string(r[:most-1]), "\\") + "…"
	}
	return s
}

// ntfy publishes as JSON, to the root of the server: in headers, a title would have to be encoded (docs.ntfy.sh, "Publish as JSON").
func (s *Sender) ntfy(ctx context.Context, set settings, m Message) (delivery.Outcome, error) {
	body := map[string]any{"topic": set.Topic, "title": m.Title, "message": m.Text}
	if m.URL != "" {
		body["click"] = m.URL
	}
	header := http.Header{}
	if set.Token != "" {
		header.Set("Authorization", "Bearer "+set.Token)
	}
	return s.post(ctx, "ntfy", strings.TrimRight(set.URL, "/")+"/", header, body)
}

// telegramAnswer is what the Bot API says of a message that it did not take (core.telegram.org/bots/api, "Making requests" and ResponseParameters).
type telegramAnswer struct {
	Description string
	Parameters  struct {
		MigrateToChatID int64 `json:"migrate_to_chat_id"`
		RetryAfter      int64 `json:"retry_after"` // in seconds
	}
}

// telegram sends as a bot. Without a parse mode the text is literal. A group that has become a supergroup has another number, which the answer names.
func (s *Sender) telegram(ctx context.Context, set settings, m Message) (delivery.Outcome, error) {
	base := s.TelegramURL
	if base == "" {
		base = "https://api.telegram.org"
	}
	chat, topic, _ := strings.Cut(set.Chat, ":")
	body := map[string]any{"chat_id": chat, "text": m.Title + "\n\n" + m.text(), "link_preview_options": map[string]any{"is_disabled": true}}
	if topic != "" {
		body["message_thread_id"] = json.Number(topic)
	}
	send := func() (delivery.Outcome, telegramAnswer, error) {
		out, err := s.post(ctx, "Telegram", base+"/bot"+set.Token+"/sendMessage", nil, body)
		var said telegramAnswer
		if out.Status/100 != 2 {
			_ = json.Unmarshal([]byte(out.Response), &said) // an answer of something between is no JSON
		}
		return out, said, err
	}
	out, said, err := send()
	if said.Parameters.MigrateToChatID != 0 {
		body["chat_id"] = said.Parameters.MigrateToChatID
		out, said, err = send()
	}
	switch out.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusNotFound: // the chat, the topic or the bot is not there, or it was blocked
		words := said.Description
		if words == "" {
			words = out.Response
		}
		out.Failure, out.Lasting = fmt.Sprintf("Telegram rejected the message with %d: %s", out.Status, strings.TrimSpace(words)), true
	case http.StatusTooManyRequests:
		out.After = max(out.After, time.Duration(min(said.Parameters.RetryAfter, mostTelegram))*time.Second)
	}
	return out, err
}

// mostTelegram is the longest wait that Telegram is given, in seconds.
const mostTelegram = 3600

// teams sends a card, which the addresses of workflows and of the older connectors accept.
func (s *Sender) teams(ctx context.Context, set settings, m Message) (delivery.Outcome, error) {
	block := func(text, weight string) map[string]any {
		return map[string]any{"type": "TextBlock", "text": teamsText.Replace(text), "wrap": true, "weight": weight}
	}
	card := map[string]any{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
		"body": []any{block(m.Title, "bolder"), block(m.Text, "default")},
	}
	if m.URL != "" {
		card["actions"] = []any{map[string]any{"type": "Action.OpenUrl", "title": "Open", "url": m.URL}}
	}
	return s.post(ctx, "Teams", set.URL, nil,
		map[string]any{"type": "message", "attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}})
}

// teamsText takes the meaning of the brackets that make links of a card's text.
var teamsText = strings.NewReplacer("[", "(", "]", ")")
