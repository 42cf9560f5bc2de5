package sourcecontrol

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateSourceControlProviderRequest.clone_host": "The host from which your own GitLab is cloned over SSH, with a port if it is not 22. " +
			"Defaults to the host of url.",
		"CreateSourceControlProviderRequest.token": "A token that can read repositories and manage their deploy keys and webhooks. It is never " +
			"returned.",
		"CreateSourceControlProviderRequest.url":      "The address of your own GitLab, such as https://git.example.com. Required for gitlab-custom.",
		"CreateSourceControlProviderRequest.username": "Only if the token is used as a password: the email address of the Atlassian account.",
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
