package role

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"PermissionAttributes.name":           "The permission, as tokens name it in their scopes.",
		"PredefinedRoleAttributes.created_at": "Always null: predefined roles are part of the program.",
		"PredefinedRoleAttributes.updated_at": "Always null: predefined roles are part of the program.",
		"RoleRelationships.permissions":       "The permissions of the role.",
		"description":                         "What the role is for.",
		"name":                                "The name of the role.",
		"permissions":                         "The permissions of the role. The list replaces the previous one.",
	}
}
