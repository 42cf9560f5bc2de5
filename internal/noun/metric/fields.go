package metric

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"FleetMetricAttributes.cpu": "Percent, averaged over the servers with measurements. As in all lists, null is a step without measurements.",
		"MetricAttributes.cpu": "The percentage of the time of all CPUs during which programs ran. As in all lists, null is a step without " +
			"measurements.",
		"SiteMetricAttributes.requests": "Requests per minute, averaged over the step. As in all lists, null is a step in which requests were not " +
			"counted.",
		"at":          "When it happened.",
		"description": "What happened.",
		"event_id":    "The id of the event that shows it.",
		"kind":        "The kind of the event.",
		"name":        "The name of the server.",
		"range":       "The period that the values are of.",
		"server_id":   "The id of the server.",
	}
}
