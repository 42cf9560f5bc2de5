package firewall

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"UpdateServerNetworkRequest.servers": "Servers of the same provider, account and region, each with a private address. Servers that are not " +
			"listed lose access.",
		"ip_address": "The source addresses and subnets, separated by commas; null for any address.",
		"name":       "A name of your choice.",
		"port":       "The port or the range, such as 8000:8010; null for all ports.",
		"status":     "Whether the rule is on the server.",
		"type":       "Whether matching connections are accepted or dropped.",
	}
}
