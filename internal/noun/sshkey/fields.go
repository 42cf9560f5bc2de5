package sshkey

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"name":        "A name of your choice.",
		"server_id":   "The id of the server.",
		"server_name": "The name of the server.",
		"status":      "Whether the key is on the server.",
		"user":        "The account that the key opens.",
	}
}
