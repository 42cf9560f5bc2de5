package heartbeat

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"HeartbeatAttributes.frequency": "In minutes; 312480 means monthly (31 days), and -1 means custom_frequency.",
		"HeartbeatAttributes.status":    "Null while the state is unknown, because calls may have been made while Hostler was not running.",
		"custom_frequency":              "The cron expression of the frequency -1, in the server's time; null or omitted for others.",
		"due_at":                        "When the next call is due; null if none is expected yet.",
		"frequency":                     "In minutes; 312480 means monthly (31 days), and -1 means custom_frequency.",
		"grace_period":                  "The grace period after a call is due, in minutes.",
		"last_ping_at":                  "When the heartbeat was last called; null for never.",
		"name":                          "A name of your choice.",
	}
}
