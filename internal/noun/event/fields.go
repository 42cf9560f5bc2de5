package event

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"Applied.at":  "When the work succeeded.",
		"Applied.by":  "The id of the person who asked for it; null if Hostler did.",
		"Check.kind":  "What was asked: the program that reads a configuration, systemd, a port, cron, a site, a new connection, or restored data.",
		"Proof.at":    "The time of the last check; null without one.",
		"checks":      "What was asked after the change, each with what was seen.",
		"description": "What was done.",
		"evidence":    "What was seen.",
		"initiator":   "The person who started it; null if Hostler did.",
		"output":      "What the work printed so far.",
		"ran_as":      "The account that it ran as on the server; null if it did not run there.",
		"result":      "passed, or none where nothing was checked.",
		"site":        "The site concerned; null if it is about the server.",
	}
}
