package account

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateTokenRequest.expires_at": "When the token stops working. Without it, the token does not expire.",
		"CreateTokenRequest.rate_limit": "Requests per minute, from 60 to ten times the installation's default. In an organization with its own " +
			"limit, the lower one applies.",
		"LoginRequest.password":        "The password of the account.",
		"PasswordRequest.password":     "The current password, as a confirmation.",
		"SessionAttributes.expires_at": "When the session ends.",
		"SignUpRequest.name":           "The name of the person.",
		"UpdateUserRequest.name":       "The name of the person.",
		"UserAttributes.name":          "The name of the person.",
		"address":                      "The IP address that the session was last used from.",
		"code":                         "A code of the second factor: from an authenticator app, or a recovery code.",
		"current_password":             "The current password, as a confirmation.",
		"email":                        "The email address of the account.",
		"enabled":                      "Whether signing in requires a second factor.",
		"expires_at":                   "When it stops working; null for never.",
		"invitation":                   "The token from the link of the invitation.",
		"last_seen_at":                 "When the session was last used.",
		"last_used_at":                 "When the token was last used; null if it never was.",
		"name":                         "A name of your choice.",
		"password":                     "The new password, of 12 to 256 characters.",
		"scopes":                       "The permissions that the token has. It never has more than its owner.",
		"token":                        "The token from the link in the email.",
		"user_agent":                   "The browser, as it names itself.",
	}
}
