package loadbalancer

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"UpdateLoadBalancerRequest.balancing": "The servers that requests are forwarded to. The list replaces the previous one.",
		"allow_wildcard_subdomains":           "Whether all subdomains are served as well.",
		"backup":                              "Whether the node is only used while all others are unavailable.",
		"balancer_keepalive_max_connections":  "How many idle connections to the nodes are kept open, 0 to 256.",
		"balancer_method":                     "How a node is chosen: in turn, the one with the fewest connections, or by the visitor's address.",
		"balancing":                           "The servers that requests are forwarded to.",
		"domain":                              "The domain that visitors use.",
		"down":                                "Whether the node gets no requests.",
		"port":                                "The port of the node.",
		"server_id":                           "The id of the node's server.",
		"weight":                              "The node's share of the requests, relative to the others.",
	}
}
