package service

import "github.com/hostlerhq/hostler/internal/ground/value"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"PhpServiceActionRequest.version": "The version of PHP to act on.",
		"action":                          "What to do with the service. reboot restarts it.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"PhpServiceActionRequest.version": value.PHPVersionNames(),
	}
}
