package project

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"SharedPath.from": "The path in a release.",
		"SharedPath.to":   "The path that all releases share.",
	}
}
