package database

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"UpdateDatabaseUserRequest.password": "A new password. Null or omitted leaves it unchanged.",
		"all":                                "Whether the user can open all databases of the server, including future ones.",
		"backup_configuration_ids":           "The ids of backup configurations that the database is added to.",
		"database_ids":                       "The ids of the databases that the user can open.",
		"name":                               "The name.",
		"read_only":                          "Whether the user can only read.",
	}
}
