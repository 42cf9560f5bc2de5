package recipe

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"RecipeLogAttributes.server_id": "The id of the server that the script ran on.",
		"finished_at":                   "When the script ended; null while it has not.",
		"name":                          "A name of your choice.",
		"script":                        "The script, for bash.",
		"servers":                       "The ids of the servers to run the script on.",
		"started_at":                    "When the script started; null while it has not.",
		"status":                        "How far the run is, or how it ended.",
		"user":                          "The account that runs the script.",
	}
}
