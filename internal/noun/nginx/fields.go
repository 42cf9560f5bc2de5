package nginx

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"content": "The text of the template.",
		"name":    "A name of your choice.",
	}
}
