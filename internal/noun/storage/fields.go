package storage

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CreateStorageConfigurationRequest.endpoint": "Required for custom, such as https://s3.example.com, with path-style bucket addresses. " +
			"file:/// is a disk of the machine that Hostler runs on, if its operator allows that; sftp://host:port/directory is a directory of an SFTP " +
			"server.",
		"CreateStorageConfigurationRequest.host_key": "For SFTP only: the key that the server must present, such as ssh-ed25519 AAAAC3Nza… If " +
			"omitted, the response is a 422 with the presented key; no secret is sent before the key is confirmed.",
		"CreateStorageConfigurationRequest.secret_key": "It is never returned. For SFTP, the password of the user named in access_key, or a private " +
			"key without a passphrase.",
		"access_key":    "The access key, or the user for SFTP. It is never returned.",
		"assume_role":   "Always false: Hostler does not use the role of the machine it runs on.",
		"bucket":        "The default bucket, for backup configurations that do not name one; null for none.",
		"directory":     "The directory in the bucket below which objects are stored; null for its top.",
		"endpoint":      "The address of the provider, if it is not the one of its region.",
		"host_key":      "The key that the SFTP server must present.",
		"in_use":        "Whether a backup configuration uses it.",
		"name":          "A name of your choice.",
		"provider":      "The kind of the storage provider; custom for any other S3-compatible one, SFTP or a disk.",
		"provider_name": "The name of the kind, for people.",
		"region":        "The region of the bucket; null or omitted if the endpoint says it.",
		"secret_key":    "The secret key, or the password or private key for SFTP. It is never returned.",
	}
}
