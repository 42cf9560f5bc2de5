package attention

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"AttentionAttributes.resource_id": "The deployment, the domain of the certificate or of the nginx configuration, the backup configuration, " +
			"the heartbeat, or the monitor.",
		"kind":    "The kind of the problem.",
		"since":   "When the problem began; null if that is not known.",
		"site_id": "The site concerned; null if none is.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"AttentionAttributes.kind": kinds,
	}
}
