package sshkey

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateSSHKeyRequest.options": "Restrictions as in authorized_keys (sshd(8)), such as restrict,from=\"10.0.0.0/8\",expiry-time=\"20301231\". " +
			"Allowed are from with addresses and networks, expiry-time, permitopen, restrict, pty, port-forwarding, agent-forwarding and their no- forms, " +
			"no-user-rc, and no-x11-forwarding. Only administrators of the organization (organization:manage) can give them.",
		"name":        "A name of your choice.",
		"server_id":   "The id of the server.",
		"server_name": "The name of the server.",
		"status":      "Whether the key is on the server.",
		"user":        "The account that the key opens.",
	}
}
