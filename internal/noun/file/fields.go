package file

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"FileAttributes.leads_to":           "What a link leads to. Links that lead out of the site's directory are not followed.",
		"UpdateFileContentRequest.content":  "The new content of the file, at most 512 KiB.",
		"UpdateFileContentRequest.revision": "The revision of the content that this one replaces. Without it, the file must not exist yet.",
		"content":                           "The content of the file; null if it is not UTF-8 or larger than 512 KiB.",
		"deployment":                        "What deployments do with a change: it is kept; it is lost with its release; or the repository may replace it.",
		"group":                             "The name of the file's group, or its number.",
		"modified_at":                       "When the content last changed.",
		"name":                              "The name in its directory.",
		"new_path":                          "The path that it gets, from the site's directory. It must be free.",
		"owner":                             "The name of the file's owner, or its number.",
		"path":                              `The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.`,
		"revision":                          "A hash of the content; null for a file larger than 512 KiB.",
		"size":                              "The size in bytes.",
		"text":                              "Whether content is all of the file.",
	}
}
