package notification

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
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
