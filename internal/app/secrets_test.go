package app_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/api"
)

// goldenTexts lists every text in requests and answers, by component and property. Read each new line: a secret has the type
// api.Secret, and the word secret after it.
var goldenTexts = filepath.Join("testdata", "texts.txt")

// suspicious matches names that secrets often have. It decides nothing: a field with such a name that is not a secret is listed
// below with the reason.
var suspicious = regexp.MustCompile(`(?i)pass|secret|token|key|private|credential|environment|code|hook|ping|invitation|signature`)

// plain are texts with such a name that are not secrets.
var plain = map[string]string{
	"OperationMeta.reason_code":                  "a code of the guide",
	"PasswordAttributes.remaining_tokens[]":      "names of tokens",
	"BackupObjectMeta.key":                       "the name of an object in a storage",
	"CreateDNSProviderRequest.key":               "the name of a key of rfc2136, which zones list in clear",
	"UpdateDNSProviderRequest.key":               "the same",
	"DNSProviderAttributes.key":                  "the same",
	"Cause.code":                                 "the name of a cause",
	"CreateStorageConfigurationRequest.host_key": "the public key of an SFTP server",
	"UpdateStorageConfigurationRequest.host_key": "the same",
	"StorageMeta.host_key":                       "the same",
	"CreateSSHKeyRequest.key":                    "the public half; a private key is refused before anything is kept",
	"CreateSFTPUserRequest.keys[]":               "public halves",
	"UpdateSFTPUserRequest.keys[]":               "public halves",
	"SFTPUserAttributes.keys[]":                  "public halves",
	"DeployKeyAttributes.key":                    "the public half",
	"CreateSiteRequest.public_deploy_key":        "the public half",
	"UpdateGitRequest.per_account_public_key":    "the public half",
	"ServerAttributes.local_public_key":          "the public half",
	"ServerKeyAttributes.public_key":             "the public half",
	"ConfirmHostKeysRequest.host_keys[]":         "public halves",
	"CheckRepositoryRequest.host_key":            "the fingerprint of a public half",
	"RepositoryCheckAttributes.host_key":         "the same",
	"HostKey.public_key":                         "the public half",
	"ServerAttributes.private_ip_address":        "an address",
	"CustomServer.private_ip_address":            "an address",
	"UpdateServerRequest.private_ip_address":     "an address",
	"ProviderAttributes.default_region_code":     "a public name",
	"ProviderAttributes.default_size_code":       "a public name",
	"ProviderRegionAttributes.alternate_code":    "a public name",
	"ProviderRegionAttributes.code":              "a public name",
	"OfferedSizeAttributes.code":                 "a public name",
	"ProviderSizeAttributes.code":                "a public name",
	"TokenAttributes.prefix":                     "the part of a token by which its owner knows it",
}

type node struct {
	Ref        string           `json:"$ref"`
	Type       any              `json:"type"`
	Format     string           `json:"format"`
	Enum       []any            `json:"enum"`
	Secret     bool             `json:"x-hostler-secret"`
	Properties map[string]*node `json:"properties"`
	Items      *node            `json:"items"`
	AnyOf      []*node          `json:"anyOf"`
	Additional any              `json:"additionalProperties"`
}

// texts adds the free texts of a schema below a name, and whether each is a secret. The target of a reference is listed under its own name.
func (n *node) texts(name string, out map[string]bool) {
	if n == nil || n.Ref != "" {
		return
	}
	kind, _ := json.Marshal(n.Type)
	if strings.Contains(string(kind), "string") && len(n.Enum) == 0 && n.Format != "date-time" && n.Format != "email" {
		out[name] = out[name] || n.Secret
	}
	for _, property := range slices.Sorted(maps.Keys(n.Properties)) {
		n.Properties[property].texts(name+"."+property, out)
	}
	n.Items.texts(name+"[]", out)
	for _, one := range n.AnyOf {
		one.texts(name, out)
	}
}

// A field with a secret is marked by its type, which keeps it out of the audit log, of stored answers and of logs. A new field
// shows in the golden file; one with a suspicious name has to be explained.
func TestSecretsAreMarked(t *testing.T) {
	raw, err := app.Description(t.Context(), "http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Schemas map[string]*node `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for name, schema := range doc.Components.Schemas {
		if !strings.HasSuffix(name, "Resource") && !strings.HasSuffix(name, "Relationships") && name != "Link" {
			schema.texts(name, texts)
		}
	}
	// Inline schemas have no name.
	for path, methods := range doc.Paths {
		for method, op := range methods {
			var o struct {
				ID          string `json:"operationId"`
				RequestBody struct {
					Content map[string]struct {
						Schema *node `json:"schema"`
					} `json:"content"`
				} `json:"requestBody"`
			}
			if err := json.Unmarshal(op, &o); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
			for _, c := range o.RequestBody.Content {
				c.Schema.texts(o.ID, texts)
			}
		}
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		out.WriteString(name)
		if texts[name] {
			out.WriteString(" secret")
		}
		out.WriteString("\n")
		last := name[strings.LastIndexByte(name, '.')+1:]
		if _, said := plain[name]; !texts[name] && !said && suspicious.MatchString(last) {
			t.Errorf("%s is no secret by its type: give it api.Secret, or say in this test why it is none", name)
		}
	}
	for name := range plain {
		if secret, ok := texts[name]; !ok || secret {
			t.Errorf("%s is listed as no secret, and there is no such plain text", name)
		}
	}
	if *update {
		if err := os.WriteFile(goldenTexts, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenTexts)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != out.String() {
		t.Errorf("the texts of requests and answers are not those of %s. Read what is new, then run: go test ./internal/app -run Marked -update", goldenTexts)
	}
	if !strings.Contains(string(raw), api.SecretExtension) {
		t.Error("the description marks nothing")
	}
}
