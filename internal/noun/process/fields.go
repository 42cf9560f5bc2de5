package process

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"UpdateBackgroundProcessRequest.config": "Lines of key=value, for command, directory, numprocs, startsecs, stopwaitsecs and stopsignal; " +
			"omitted keys are unchanged.",
		"action":       "What to do with all instances, or with the log.",
		"command":      "The command, which bash runs in the directory.",
		"content":      "What the process printed last.",
		"directory":    "The working directory; null for the site's, or the account's home.",
		"name":         "A name of your choice.",
		"processes":    "The number of instances.",
		"site_id":      "The site that the process belongs to; null or omitted for none.",
		"startsecs":    "How many seconds an instance must run to count as running.",
		"status":       "The state of the instances, in the words of supervisord.",
		"stopsignal":   "The signal that stops an instance.",
		"stopwaitsecs": "How many seconds an instance is given to stop before it is killed.",
		"user":         "The account that the process runs as.",
	}
}
