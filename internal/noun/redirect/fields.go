package redirect

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateRedirectRequest.from": "A regular expression that is matched against the path, such as ^/old$. Without ^ and $ it matches anywhere in " +
			"the path.",
		"duplicates": "The rules that exist already.",
		"file":       "A CSV file with the columns from, to and type.",
		"from":       "A regular expression that is matched against the path.",
		"imported":   "The number of rules that were imported.",
		"invalid":    "The rules that were not imported, with the reason.",
		"line":       "The line of the file.",
		"mode":       "Whether the rules are added to the existing ones or replace them.",
		"reason":     "Why the rule was not imported.",
		"redirects":  "The ids of all rules of the site, in the new order. The first that matches applies.",
		"status":     "Whether the rule is on the server.",
		"to":         "The path or the URL that visitors are redirected to.",
		"type":       "Whether the redirect is temporary (redirect, 302) or permanent (permanent, 301).",
	}
}
