package nginx

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"NginxMeta.rule": "The rule for a user's configuration: judged is restricted to the site; root was written by a caller who can act as root " +
			"on the server; kept predates the restrictions. Empty for Hostler's own configuration.",
		"NginxMeta.sizes": "Which other limit of the size of requests decides, where it differs from that of the configuration: that of PHP, or of " +
			"the sites behind a load balancer. Null if none does.",
		"content": "The text of the template.",
		"name":    "A name of your choice.",
	}
}
