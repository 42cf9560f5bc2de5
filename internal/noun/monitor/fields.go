package monitor

import "github.com/hostlerhq/hostler/internal/noun/server"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateMonitorRequest.minutes": "How many minutes the value must be beyond the threshold, or back within it, for the state to change. " +
			"Default 1.",
		"CreateMonitorRequest.type": "cpu_load is the one-minute load average per CPU; disk and inodes are the usage of the disk of /. " +
			"reboot_required is 1 while updates wait for a reboot; use gte and 1. certificate_days is the number of days until the first certificate of a " +
			"site expires; use lte. url is 1 while the URL, which Hostler requests every minute, fails; use gte and 1.",
		"CreateMonitorRequest.url": "For the type url, the URL to request: http or https, without a user, and public unless this installation allows " +
			"private addresses. The check fails with a status of 400 or more, an invalid certificate, or no response within 10 seconds. At most 5 " +
			"redirects are followed.",
		"minutes":          "How many minutes the value must be beyond the threshold, or back within it, for the state to change.",
		"notify":           "The email address that is notified of each change of state.",
		"operator":         "Whether the value is too high at or above the threshold (gte), or too low at or below it (lte).",
		"state":            "Whether the value is within the threshold. UNKNOWN until there is a value.",
		"state_changed_at": "When the state last changed; null if it never did.",
		"status":           "Whether the monitor is set up on the server.",
		"threshold":        "The value that is compared; in percent, except for reboot_required, certificate_days and url.",
		"type":             "What is measured.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"MonitorAttributes.status": server.PartStatuses(),
	}
}
