package command

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"command":   "The command, which runs in the site's directory.",
		"exit_code": "The exit status of the command; null until it ended.",
		"output":    "What the command printed so far.",
		"status":    "How far the command is, or how it ended.",
		"user":      "The person who ran it.",
		"user_id":   "The id of the person who ran it.",
	}
}
