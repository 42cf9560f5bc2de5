package sourcecontrol

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"attempts":        "How often the setup was attempted.",
		"clone_host":      "The host from which your own GitLab is cloned over SSH; null for the others.",
		"in_use":          "Whether a site uses the connection.",
		"name":            "A name of your choice.",
		"next_attempt_at": "When the setup is attempted again; null if it is not.",
		"provider":        "The kind of the provider; gitlab-custom for a GitLab of your own.",
		"provider_id":     "The id of the connection; null if there is none.",
		"reason":          "Why the setup failed; null if it did not.",
		"repository":      "The repository at the provider; null if there is none.",
		"state":           "How far the setup at the provider is; null if there is nothing to set up.",
		"url":             "The address of your own GitLab; null for the others.",
		"username":        "The email address of an Atlassian account, if the token is used as a password; null otherwise.",
	}
}
