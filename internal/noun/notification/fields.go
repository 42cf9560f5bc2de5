package notification

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateNotificationChannelRequest.token": "For Telegram, the bot's token; for ntfy, an access token if the topic requires one. It is never " +
			"returned.",
		"CreateNotificationChannelRequest.topic": "For ntfy. It is never returned, because anyone who knows the topic of a public server can read " +
			"its messages.",
		"CreateNotificationChannelRequest.url": "For webhook, Slack, Discord and Teams; for ntfy, the server, default https://ntfy.sh. It is never " +
			"returned.",
		"address": "For mail: the email address.",
		"chat":    "For telegram: the id of the chat.",
		"enabled": "Whether notifications are sent.",
		"events":  "The events that are notified of.",
		"name":    "A name of your choice.",
		"token":   "The access token of the service. It is never returned.",
		"topic":   "For ntfy: the topic.",
		"type":    "Where notifications are sent.",
		"url":     "The address that notifications are sent to.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"CreateNotificationChannelRequest.events": events(),
		"UpdateNotificationChannelRequest.events": events(),
	}
}
