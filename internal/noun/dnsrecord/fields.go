package dnsrecord

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"DomainDNSAttributes.dns_provider_id":     "The DNS provider where the records are kept; null if Hostler keeps none.",
		"DomainDNSAttributes.provider":            "The kind of that provider; null if there is none.",
		"DomainDNSAttributes.status":              "Where the records are in their life: none if Hostler keeps none, failed if the last work on them failed.",
		"DomainDNSPlanAttributes.dns_provider_id": "The DNS provider whose records were read.",
		"DomainDNSPlanAttributes.provider":        "The kind of the DNS provider.",
		"StoreDomainDNSRequest.dns_provider_id":   "The DNS provider in whose account the zone of the domain is.",
		"action":                                  "What is done about the record. A plan with a refuse is not carried out.",
		"authoritative": "Whether it is a nameserver of the zone, asked directly; else it is a resolver, which may remember an " +
			"older answer.",
		"checked_at": "When the records were last looked at; null if they never were.",
		"found":      "The values at the provider.",
		"hash":       "Names this plan. The request that carries it out repeats it.",
		"name":       "The name of the record.",
		"named":      "Whether the record is changed or removed only if the request names it in replace.",
		"plan":       "The hash of the plan to carry out.",
		"possible":   "Whether the plan can be carried out.",
		"problem":    "Why there was no answer; empty if there was one.",
		"records":    "The records that Hostler made for the domain.",
		"replace": "Records that Hostler did not make, or that were changed manually, and that may be changed or removed: a type and a name, such as A " +
			"www.example.com.",
		"seen":   "Whether all nameservers that answered show the value, and no other.",
		"server": "The address of the nameserver, or resolver.",
		"sights": "What nameservers answered.",
		"state":  "Whether the provider has the record as Hostler created it.",
		"steps":  "What is done, in this order.",
		"text":   "Why, as a sentence; empty where the action says it.",
		"type":   "The type of the record.",
		"value":  "The value that the record gets, or has.",
		"values": "The values that it shows.",
		"was":    "The value that the provider has; empty for none.",
		"zone":   "The zone that the record is in.",
	}
}
