package integration

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"backgroundProcess": "The background process of the integration; null while it is off.",
		"connections":       "The highest number of simultaneous connections.",
		"enabled":           "Whether the integration is on.",
		"horizon_installed": "Whether the site has the package laravel/horizon.",
		"host":              "The domain that clients connect to; null while the integration is off.",
		"inertia_installed": "Whether the site has Inertia's package for server-side rendering.",
		"job":               "The scheduled job of the integration; null while it is off.",
		"laravel_installed": "Whether the site is a Laravel application.",
		"octane_installed":  "Whether the site has the package laravel/octane.",
		"port":              "The port on which the program listens, for nginx only; null while the integration is off.",
		"pulse_installed":   "Whether the site has the package laravel/pulse.",
		"reverb_installed":  "Whether the site has the package laravel/reverb.",
		"server":            "The application server that Octane uses.",
		"status":            "The change in progress; null if there is none.",
	}
}
