package certificate

import "github.com/hostlerhq/hostler/internal/noun/server"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"ACMERequest.dns_provider_id": "The DNS provider used to publish dns-01 challenges. Without one, challenges are published where the domain's " +
			"CNAME points.",
		"ACMERequest.verification_method": "How the names are proven: by a file on the site (http-01) or in DNS (dns-01).",
		"CertificateMeta.expires_at":      "When the certificate expires; null until there is one.",
		"CertificateMeta.failure": "Why the last attempt to issue or renew the certificate failed; empty if it succeeded. After a failure, the " +
			"previous certificate is still served.",
		"CertificateMeta.missing_issuer": "The issuer whose certificate is missing in the uploaded chain, without which many clients refuse it; " +
			"empty if none is.",
		"CertificateMeta.names":               "The domain names of the certificate.",
		"CreateDomainCertificateRequest.type": "Where the certificate comes from. The field of this name has the details.",
		"Subject.city":                        "The city.",
		"Subject.country":                     "The country, as two letters.",
		"Subject.department":                  "The department.",
		"Subject.domain":                      "The main domain name.",
		"Subject.organization":                "The organization.",
		"Subject.sans":                        "Further domain names, separated by commas.",
		"Subject.state":                       "The state or province.",
		"action":                              "Whether to serve the domain with the certificate or without it.",
		"active":                              "Whether the domain is served with this certificate.",
		"certificate":                         "The certificate and its intermediates, as PEM.",
		"certificate_id":                      "The id of a certificate of the same organization.",
		"clone":                               "The certificate to copy. For the type clone.",
		"csr":                                 "The subject of the signing request. For the type csr.",
		"existing":                            "A certificate with its key. For the type existing.",
		"key":                                 "The private key, as PEM. It is never returned.",
		"key_type":                            "The type of the private key.",
		"letsencrypt":                         "How Let's Encrypt issues the certificate. For the type letsencrypt.",
		"preferred_chain":                     "The root of the chain, if the certificate authority offers several; null for its default.",
		"request_status":                      "How far the request of the certificate is.",
		"status":                              "Whether the certificate's files are on the server.",
		"type":                                "Where the certificate comes from: Let's Encrypt, a signing request, or an upload.",
		"verification_method":                 "How the names are proven: by a file on the site (http-01) or in DNS (dns-01). Null for uploaded certificates.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"CertificateAttributes.status": server.PartStatuses(),
	}
}
