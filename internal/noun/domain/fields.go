package domain

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"DomainRecordAttributes.type":              "Whether the domain names its site (primary) or is a further one (alias).",
		"DomainRecordConfigurationAttributes.name": "The name of the DNS record.",
		"DomainRecordConfigurationAttributes.type": "The type of the DNS record.",
		"action":                    "Whether to serve the domain, to stop serving it, or to name the site by it.",
		"allow_wildcard_subdomains": "Whether all subdomains are served as well.",
		"name":                      "The domain name.",
		"problem":                   "Why DNS gave no answer; null if it did.",
		"seen":                      "Whether DNS shows the required value.",
		"status":                    "Where the domain is in its life on the server. Disabled domains are not served.",
		"ttl":                       "The time to live, in seconds; null for any.",
		"value":                     "The value that the DNS record must have.",
		"www_redirect_type":         "Whether www. redirects to the domain (from-www), the domain to www. (to-www), or neither.",
	}
}
