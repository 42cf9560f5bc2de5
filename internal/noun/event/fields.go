package event

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"description": "What was done.",
		"initiator":   "The person who started it; null if Hostler did.",
		"output":      "What the work printed so far.",
		"ran_as":      "The account that it ran as on the server; null if it did not run there.",
		"site":        "The site concerned; null if it is about the server.",
	}
}
