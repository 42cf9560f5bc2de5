package organization

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"InvitationAttributes.state": "Whether the invitation can be accepted, was accepted, or has expired.",
		"RetentionAttributes.events_days": "The number of days to keep events with their operations, except the newest operation of a resource; null " +
			"for the installation's period.",
		"audit_days":              "The number of days to keep the audit log; null for the installation's period.",
		"deliveries_days":         "The number of days to keep sent webhooks and notifications; null for the installation's period.",
		"events_days":             "The number of days to keep events; null for the installation's period.",
		"expires_at":              "When the invitation expires.",
		"maximum":                 "The highest limit that can be set, in requests per minute.",
		"maximum_audit_days":      "The installation's period for the audit log, in days; null for forever.",
		"maximum_deliveries_days": "The installation's period for webhooks and notifications, in days; null for forever.",
		"maximum_output_days":     "The installation's period for output, in days; null for forever.",
		"minimum":                 "The lowest limit that can be set, in requests per minute.",
		"name":                    "The name of the organization.",
		"output_days":             "The number of days to keep the output of events; null for the installation's period.",
		"site_limits":             "The limits of new sites that are created without limits. Replaces all: what is left out is not limited.",
		"slug":                    "The organization's part of paths.",
		"timezone":                "An IANA time zone name, such as Europe/Berlin.",
	}
}
