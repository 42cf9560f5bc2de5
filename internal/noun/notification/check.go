package notification

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// fields of a request, by the type of channel that needs them.
func needed(kind string) (required, optional []string) {
	switch kind {
	case Mail:
		return []string{"address"}, nil
	case Webhook, Slack, Discord, Teams:
		return []string{"url"}, nil
	case Telegram:
		return []string{"token", "chat"}, nil
	case Ntfy:
		return []string{"topic"}, []string{"url", "token"}
	}
	return nil, nil
}

var (
	slackPattern   = regexp.MustCompile(`^https://hooks\.slack(?:-gov)?\.com/services/([A-Z0-9]{9,20}/[A-Z0-9]{9,20}/[A-Za-z0-9]{24,40})$`)
	discordPattern = regexp.MustCompile(`^https://(?:(?:canary|ptb)\.)?(?:discord|discordapp)\.com/api/(?:v[0-9]{1,2}/)?webhooks/([0-9]{5,` +
		`25}/[A-Za-z0-9_-]{20,200})` +
		`(?:/slack|/github)?/?(?:\?(.*))?$`)
	threadPattern = regexp.MustCompile(`^[0-9]{5,25}$`)
	botPattern    = regexp.MustCompile(`^[0-9]{5,20}:[A-Za-z0-9_-]{20,100}$`)
	chatPattern   = regexp.MustCompile(`^(-?[0-9]{1,20}|@[A-Za-z0-9_]{4,64})(?::([0-9]{1,10}))?$`)
	topicPattern  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	tokenPattern  = regexp.MustCompile(`^[!-~]{1,200}$`)
)

// defaultNtfy is the public server.
const defaultNtfy = "https://ntfy.sh"

// asked is a channel's settings in a request; nil is omitted.
type asked struct{ Address, URL, Token, Chat, Topic *string }

func (a asked) all() map[string]*string {
	return map[string]*string{"address": a.Address, "url": a.URL, "token": a.Token, "chat": a.Chat, "topic": a.Topic}
}

// read makes settings from a request, based on the previous ones, and returns the part that can be shown.
func (a asked) read(f api.Fields, guard outbound.Guard, kind string, set settings) (settings, string) {
	required, optional := needed(kind)
	for name, v := range a.all() {
		given := v != nil && *v != ""
		if given && kind != "" && !slices.Contains(required, name) && !slices.Contains(optional, name) {
			f.Add(name, "A channel of the type %s has no %s.", kind, name)
		}
	}
	text := func(name string, now string) string {
		if v := a.all()[name]; v != nil {
			now = strings.TrimSpace(*v)
		}
		if now == "" && slices.Contains(required, name) && len(f[name]) == 0 {
			f.Add(name, "The %s field is required for this type.", name)
		}
		return now
	}
	matches := func(name, v string, pattern *regexp.Regexp, shape string) bool {
		if v != "" && !pattern.MatchString(v) {
			f.Add(name, "The %s must have the form %s.", name, shape)
			return false
		}
		return v != ""
	}
	switch kind {
	case Mail:
		set.Address = text("address", set.Address)
		if set.Address != "" {
			if _, err := value.ParseEmail(set.Address); err != nil {
				f.Add("address", "%s", err)
			}
		}
		return set, set.Address
	case Slack:
		return readSlack(f, guard, set, text("url", set.URL))
	case Discord:
		return readDiscord(f, set, text("url", set.URL))
	case Telegram:
		was := set
		set.Token, set.Chat = strings.TrimPrefix(text("token", set.Token), "bot"), chatOf(text("chat", set.Chat))
		f.SameAddress("token", a.Token != nil || was.Token == "", api.Address{Field: "chat", Was: was.Chat, Now: set.Chat})
		matches("token", set.Token, botPattern, "123456:ABC-DEF, as the bot father gives it")
		matches("chat", set.Chat, chatPattern, "-1001234567890 or @channel, with :45 behind it for the topic 45")
		return set, set.Chat
	case Ntfy:
		was := set
		set.URL, set.Topic, set.Token = text("url", set.URL), text("topic", set.Topic), text("token", set.Token)
		set.URL, set.Topic = topicOf(set.URL, set.Topic)
		if set.URL == "" {
			set.URL = defaultNtfy
		}
		f.SameAddress("token", a.Token != nil || was.Token == "", api.Address{Field: "url", Was: was.URL, Now: set.URL},
			api.Address{Field: "topic", Was: was.Topic, Now: set.Topic})
		matches("topic", set.Topic, topicPattern, "alerts_7f3a: letters, digits, _ and -")
		matches("token", set.Token, tokenPattern, "tk_…")
		u := checkURL(f, guard, set.URL)
		if u != nil && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
			f.Add("url", "The url must be the address of the ntfy server only.")
		}
		return set, hostOf(u)
	case Webhook, Teams:
		set.URL = text("url", set.URL)
		if set.URL == "" {
			return set, ""
		}
		u := checkURL(f, guard, set.URL)
		if kind == Teams && u != nil && u.Scheme != "https" {
			f.Add("url", "The url of Teams must begin with https.")
		}
		return set, hostOf(u)
	}
	return set, ""
}

// readSlack reads the address of an incoming webhook: of Slack, or of another service that takes Slack's messages, such as Mattermost and Rocket.Chat.
func readSlack(f api.Fields, guard outbound.Guard, set settings, text string) (settings, string) {
	if text == "" || len(f["url"]) > 0 {
		return set, ""
	}
	u := checkURL(f, guard, text)
	if u == nil {
		return set, ""
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case strings.HasSuffix(host, "discord.com") || strings.HasSuffix(host, "discordapp.com"):
		f.Add("url", "The url is one of Discord, which has a type of its own.")
	case host != "hooks.slack.com" && host != "hooks.slack-gov.com" && strings.Contains(host, "slack"):
		f.Add("url", "The url looks like one of Slack, and is not: Slack's begins with https://hooks.slack.com/services/.")
	case host != "hooks.slack.com" && host != "hooks.slack-gov.com":
		set.URL, set.Token = text, strings.TrimPrefix(u.RequestURI(), "/")
	case strings.HasPrefix(u.Path, "/workflows/") || strings.HasPrefix(u.Path, "/triggers/"):
		f.Add("url", "The url starts a workflow, which takes no text. Create an incoming webhook in Slack: its url begins with https://hooks.slack.com/services/.")
	default:
		text = strings.TrimRight(text, "/")
		if m := slackPattern.FindStringSubmatch(text); m != nil {
			set.URL, set.Token = text, m[1]
		} else {
			f.Add("url", "The url must have the form https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX.")
		}
	}
	return set, host
}

// readDiscord reads the address of a webhook as clients of Discord show it: those of test versions have other hosts, and people add the version, the format of
// another service, or the thread that is written to. Of these only the thread counts.
func readDiscord(f api.Fields, set settings, text string) (settings, string) {
	m := discordPattern.FindStringSubmatch(text)
	if m == nil {
		if text != "" && len(f["url"]) == 0 {
			f.Add("url", "The url must have the form https://discord.com/api/webhooks/123456789/abcdef.")
		}
		return set, "discord.com"
	}
	set.URL, set.Token = "https://discord.com/api/webhooks/"+m[1], m[1]
	given, err := url.ParseQuery(m[2])
	switch thread := given.Get("thread_id"); {
	case err != nil || given.Has("thread_id") && !threadPattern.MatchString(thread):
		f.Add("url", "The url must have a number as its thread_id.")
	case thread != "":
		set.URL += "?thread_id=" + thread
	}
	return set, "discord.com"
}

// chatOf reads a chat of Telegram as people copy it: t.me/channel, and the topic behind an underscore.
func chatOf(text string) string {
	for _, prefix := range []string{"https://t.me/", "http://t.me/", "t.me/"} {
		if name, ok := strings.CutPrefix(text, prefix); ok && !strings.Contains(name, "/") {
			return "@" + name
		}
	}
	if strings.HasPrefix(text, "-") {
		return strings.Replace(text, "_", ":", 1)
	}
	return text
}

// topicOf takes a topic of ntfy out of its address, as its pages show it.
func topicOf(address, topic string) (string, string) {
	if u, err := url.Parse(topic); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		(address == "" || address == u.Scheme+"://"+u.Host) {
		return u.Scheme + "://" + u.Host, strings.Trim(u.Path, "/")
	}
	if short, ok := strings.CutSuffix(strings.TrimRight(address, "/"), "/"+topic); ok && topic != "" {
		return short, topic
	}
	return address, topic
}

func checkURL(f api.Fields, guard outbound.Guard, text string) *url.URL {
	if len(f["url"]) > 0 {
		return nil
	}
	u, err := guard.CheckURL(text)
	if err != nil {
		f.Add("url", "The url can't be used. %s", err)
		return nil
	}
	return u
}

func hostOf(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.Host
}

// checkEvents parses the events that a channel wants.
func checkEvents(f api.Fields, chosen []string) string {
	known := events()
	if len(f["events"]) == 0 && len(chosen) == 0 {
		f.Add("events", "The events must name at least one.")
	}
	for i, e := range chosen {
		if !slices.Contains(known, e) {
			if field := fmt.Sprintf("events.%d", i); len(f[field]) == 0 {
				f.Add(field, "There is no event of this name.")
			}
		}
	}
	kept := slices.DeleteFunc(slices.Clone(known), func(e string) bool { return !slices.Contains(chosen, e) })
	return strings.Join(kept, " ")
}
