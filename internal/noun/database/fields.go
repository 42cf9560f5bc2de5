package database

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateDatabaseRequest.user": "An account with access to the database: a new one, or an existing one (then without a password).",
		"CreateDatabaseRequest.extensions": "The extensions of PostgreSQL that the database is to have. Debian's package is " +
			"installed where one needs it.",
		"UpdateDatabaseRequest.extensions":       "All extensions that Hostler keeps in the database afterwards.",
		"DatabaseAttributes.status":              "failed (an addition) if the creation failed: see meta.operation, then retry or delete it.",
		"DatabaseUserAttributes.status":          "failed (an addition) if the creation failed: see meta.operation, then retry or delete it.",
		"UpdateDatabaseUserRequest.database_ids": "The complete list of databases the account has access to; if omitted, it is unchanged.",
		"UpdateDatabaseUserRequest.password":     "A new password. Null or omitted leaves it unchanged.",
		"all":                                    "Whether the user can open all databases of the server, including future ones.",
		"backup_configuration_ids":               "The ids of backup configurations that the database is added to.",
		"database_ids":                           "The ids of the databases that the user can open.",
		"name":                                   "The name.",
		"read_only":                              "Whether the user can only read.",
	}
}
