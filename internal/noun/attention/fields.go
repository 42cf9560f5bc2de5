package attention

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"kind":    "The kind of the problem.",
		"since":   "When the problem began; null if that is not known.",
		"site_id": "The site concerned; null if none is.",
	}
}
