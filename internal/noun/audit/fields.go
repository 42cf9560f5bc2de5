package audit

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"address":       "The IP address of the caller.",
		"after":         "The attributes after the change, without secrets.",
		"created_at":    "When the request was answered.",
		"operation":     "The operationId of the request.",
		"path":          "The path of the request.",
		"resource_id":   "The id of the resource that the request was for; empty for none.",
		"resource_type": "The type of the resource that the request was for; empty for none.",
		"user_id":       "The person who called; null if that is not known.",
	}
}
