package event

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"description": "What was done.",
		"Applied.at":  "When the work succeeded.",
		"Applied.by":  "The id of the person who asked for it; null if Hostler did.",
		"checks":      "What was asked after the change, each with what was seen.",
		"Proof.at":    "The time of the last check; null without one.",
		"result":      "passed, or none where nothing was checked.",
		"evidence":    "What was seen.",
		"Check.kind":  "What was asked: the program that reads a configuration, systemd, a port, cron, a site, a new connection, or restored data.",
		"initiator":   "The person who started it; null if Hostler did.",
		"output":      "What the work printed so far.",
		"ran_as":      "The account that it ran as on the server; null if it did not run there.",
		"site":        "The site concerned; null if it is about the server.",
	}
}
