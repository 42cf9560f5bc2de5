package php

import "github.com/hostlerhq/hostler/internal/ground/value"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreatePhpVersionRequest.version": "The version to install.",
		"configuration":                   "The lines that are added to the distribution's configuration; empty for none.",
		"opcache_enabled":                 "Whether OPcache is on.",
		"php_version":                     "A version of PHP that is installed on the server.",
		"status":                          "Whether the version is installed on the server.",
		"version":                         "The version of PHP.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"CreatePhpVersionRequest.version": value.PHPVersionNames(),
	}
}
