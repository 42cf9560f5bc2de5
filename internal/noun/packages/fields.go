package packages

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"password":   "The password or token. It is never returned.",
		"registry":   "The registry that npm downloads from, without https://.",
		"repository": "The host that Composer downloads from, such as repo.packagist.com.",
		"scopes":     "The scopes that are installed from this registry, such as @acme; empty for all packages.",
		"token":      "The access token of the registry. It is never returned.",
		"username":   "The user name at the host.",
	}
}
