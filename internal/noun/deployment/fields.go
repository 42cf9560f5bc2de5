package deployment

import "github.com/hostlerhq/hostler/internal/noun/deployment/cause"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"CheckRepositoryRequest.host_key": "The fingerprint of the Git server's new host key (SHA256:…), compared with the server's own: if the " +
			"server shows that key, it replaces the one that is known of it.",
		"DeployHookAttributes.url":  "The address whose call deploys the site. It contains a secret.",
		"DeployKeyAttributes.key":   "The public key with which the server reads the repository; null if the site has none of its own.",
		"DeploymentAttributes.type": "What started the deployment.",
		"DeploymentMeta.cause": "Why it failed, as far as its log says. Only in the answer for one failed deployment, for callers who can read its " +
			"log, and where it is recognized.",
		"DeploymentStatusAttributes.status": "How far the newest deployment is, or how it ended; null if there is none.",
		"auto_source":                       "Whether the environment file is read before the script, so that the script sees its variables.",
		"branch":                            "The branch to deploy.",
		"commit":                            "The commit that was deployed.",
		"content":                           "The deploy script; null if there is none.",
		"healthcheck_endpoint":              "The URL that is requested after a deployment; null for none.",
		"initiator":                         "The person who started it; null for a push or a hook.",
		"output":                            "What the deployment printed so far.",
		"per_account_private_key":           "The private key of a deploy key of your own. It is never returned.",
		"per_account_public_key":            "The public key of a deploy key of your own; it must match the private key.",
		"repository":                        "The repository: owner/name at a provider, or the address for custom.",
		"site":                              "The site that was deployed.",
		"source_control_provider":           "The kind of the repository's provider; custom for any other address.",
		"source_control_provider_id":        "The id of the connection to the provider.",
		"status":                            "How far the deployment is, or how it ended.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"Cause.remedy": cause.Remedies(),
	}
}
