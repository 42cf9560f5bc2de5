package environment

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"content":        "The text of the environment file.",
		"created_at":     "When the version was written.",
		"encryption_key": "A key for the encryption of the environment, one line of text.",
		"environment":    "The text of the environment file, which is replaced as a whole.",
		"user":           "The person who wrote the version.",
	}
}
