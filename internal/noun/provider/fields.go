package provider

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"alternate_code":      "Another code of the region; null if there is none.",
		"architecture":        "The architecture of the processor.",
		"category":            "The group of sizes that it belongs to.",
		"code":                "The code, for requests.",
		"cpus":                "The number of virtual processors.",
		"currency":            "The currency of prices.",
		"currency_symbol":     "The symbol of the currency.",
		"default_region_code": "The region that is proposed first; null for none.",
		"default_size_code":   "The size that is proposed first; null for none.",
		"disk_type":           "The kind of the disk.",
		"name":                "The name, as the cloud provider shows it.",
		"series":              "The series of machines that it belongs to.",
		"simple_name":         "A short form of the name; null if there is none.",
		"slug":                "The provider's value in requests.",
	}
}
