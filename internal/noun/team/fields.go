package team

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateTeamInviteRequest.email":  "The email address to invite.",
		"InviteRef.email":                "The email address to invite.",
		"MemberRef.id":                   "The id of the person.",
		"MembershipAttributes.name":      "The name of the person.",
		"RoleRef.id":                     "The id of the role.",
		"TeamInvitationAttributes.email": "The email address that was invited.",
		"UpdateTeamRequest.users":        "Members of the organization, each with a role in the team. The list replaces the previous one.",
		"credential_id":                  "The id of the server credential to share.",
		"email":                          "The email address of the person.",
		"invites":                        "People to invite by email, each with a role.",
		"name":                           "The name of the team.",
		"organization":                   "The organization that the invitation is to.",
		"recipe_id":                      "The id of the recipe to share.",
		"role":                           "The role that the person has.",
		"role_id":                        "The id of the role that the person has in the team.",
		"server_id":                      "The id of the server to share.",
		"team":                           "The team that the invitation is to.",
		"users":                          "Members of the organization, each with a role in the team.",
	}
}
