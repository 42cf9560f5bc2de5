package schedule

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateScheduledJobRequest.cron": "A cron expression with five fields, in the server's time; required when the frequency is custom.",
		"UpdateScheduledJobRequest.cron": "A cron expression with five fields, in the server's time; required when the frequency is custom.",
		"command":                        "The command, which bash runs.",
		"cron":                           "The cron expression of the schedule.",
		"frequency":                      "How often the job runs. custom needs a cron expression, reboot is whenever the server starts.",
		"heartbeat_id":                   "The heartbeat that the job calls on success; null for none.",
		"name":                           "A name of your choice; null for none.",
		"site_id":                        "The site that the job belongs to; null for a job of the server.",
		"status":                         "Whether the job is on the server.",
		"user":                           "The account that the job runs as.",
	}
}
