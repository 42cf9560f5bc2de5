package monitor

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"minutes":          "How many minutes the value must be beyond the threshold, or back within it, for the state to change.",
		"notify":           "The email address that is notified of each change of state.",
		"operator":         "Whether the value is too high at or above the threshold (gte), or too low at or below it (lte).",
		"state":            "Whether the value is within the threshold. UNKNOWN until there is a value.",
		"state_changed_at": "When the state last changed; null if it never did.",
		"status":           "Whether the monitor is set up on the server.",
		"threshold":        "The value that is compared; in percent, except for reboot_required, certificate_days and url.",
		"type":             "What is measured.",
	}
}
