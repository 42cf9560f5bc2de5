package credential

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateServerProviderNetworkRequest.name": "The name of the new network.",
		"OfferedSizeAttributes.code":              "The size's code, for size_id.",
		"OfferedSizeAttributes.name":              "The name of the size, as the cloud provider shows it.",
		"VpcAttributes.name":                      "The name of the network.",
		"VpcAttributes.region":                    "The code of the network's region.",
		"VpcSubnet.cidrBlock":                     "The addresses of the subnet, such as 10.0.0.0/24.",
		"VpcSubnet.id":                            "The id of the subnet at the cloud provider.",
		"VpcSubnet.name":                          "The name of the subnet.",
		"in_use":                                  "Whether a server was created with it.",
		"key":                                     "The API token of the cloud provider. It is never returned.",
		"name":                                    "A name of your choice.",
		"provider":                                "The cloud provider.",
		"subnets":                                 "The subnets of the network.",
	}
}
