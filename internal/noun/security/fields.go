package security

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"UpdateSecurityRuleRequest.credentials": "If a user is given without a password, the current password is kept.",
		"credentials":                           "The users who can open the path.",
		"name":                                  "The text shown to visitors in the password prompt.",
		"password":                              "The password. It is never returned.",
		"path":                                  "The protected path, including everything below it; null for the whole site.",
		"status":                                "Whether the rule is on the server.",
		"username":                              "The user name.",
	}
}
