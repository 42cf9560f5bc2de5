package oauth

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateOAuthClientRequest.redirect_uris": "https, http on loopback, or a custom scheme in reverse domain form. They must match exactly.",
		"OAuthGrantAttributes.created_at":        "When access was granted.",
		"OAuthGrantAttributes.scopes":            "The permissions that were granted.",
		"client":                                 "The name of the application.",
		"client_id":                              "The id that the application names itself by in the OAuth 2.0 flow.",
		"name":                                   "The name that people see when they grant access.",
		"redirect_uris":                          "The addresses that people may be sent back to.",
		"scopes":                                 "The permissions that the application can ask for.",
	}
}
