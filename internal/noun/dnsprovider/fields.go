package dnsprovider

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateDNSProviderRequest.nameserver": "For rfc2136: the address or name of the primary nameserver, with a port if it is not 53.",
		"CreateDNSProviderRequest.secret": "The API token, which needs permission only to change DNS records; for rfc2136 the key, as base64. It is " +
			"never returned.",
		"algorithm":  "For rfc2136: the algorithm of the TSIG key.",
		"key":        "For rfc2136: the name of the TSIG key.",
		"name":       "A name of your choice.",
		"nameserver": "For rfc2136: the host of the name server.",
		"provider":   "The kind of the DNS provider; rfc2136 for a name server of your own.",
		"secret":     "The API token, or the secret of the TSIG key. It is never returned.",
	}
}
