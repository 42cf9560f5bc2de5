package log

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"content": "The lines of the log, oldest first.",
		"end":     "The offset behind the last returned line.",
		"log":     "The name of the log.",
	}
}
