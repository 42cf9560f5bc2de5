package sftpuser

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateSFTPUserRequest.expires_on": "The last day on which the user can log in, such as 2030-12-31, in UTC. Null or omitted for no end.",
		"CreateSFTPUserRequest.name": "The name that the user logs in with: lower-case letters, digits, dashes and underscores. No account of the " +
			"server may have it.",
		"created_by": "The id of the person who created it; null if they were deleted.",
		"directory":  "The directory of the site, which is all that the user can reach.",
		"expires_on": "The last day on which the user can log in, in UTC; null for no end.",
		"keys":       "The public keys that the user logs in with.",
		"name":       "The name that the user logs in with.",
		"status":     "Whether the user is on the server.",
	}
}
