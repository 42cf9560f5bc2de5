package runtimes

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	_ "embed" // the keys of npm's registry
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// registryKeys are the keys with which npm's registry signs packages, in the form of its /-/npm/v1/keys. They are from the target
// registry.npmjs.org/keys.json of Sigstore's TUF repository, as npm ships it (node_modules/@sigstore/tuf/seeds.json).
//
//go:embed npm.json
var registryKeys []byte

// denoPattern allows the release lines that npm's registry has for Linux: packages for it exist since 2.1.
var denoPattern = regexp.MustCompile(`^2(\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2}))?$`)

// Deno is published on GitHub without signatures. npm's registry signs the packages with its programs.
var Deno = &Kind{
	Name: "deno", Title: "Deno", Programs: []string{"deno"}, Interpret: []string{"deno", "run", "--allow-all"},
	Start:         []string{"deno", "task", "start"},
	DefaultMirror: "https://registry.npmjs.org", Choices: "2, or an exact version like 2.9.6",
	parts: 1, keys: registryKeys, read: readRegistryKeys,
	accept: "application/vnd.npm.install-v1+json",
	check: func(version string) error {
		if !denoPattern.MatchString(version) {
			return errors.New("it is not a version of Deno that there is to choose")
		}
		return nil
	},
	// Deno is released for all processors at once.
	list: func(string) string { return "@deno/linux-x64-glibc" },
	find: func(list, asked string) (string, error) {
		var doc struct {
			Name     string                     `json:"name"`
			Versions map[string]json.RawMessage `json:"versions"`
		}
		if json.Unmarshal([]byte(list), &doc) != nil || doc.Name != "@deno/linux-x64-glibc" {
			return "", errNoLinux
		}
		newest := ""
		for version := range doc.Versions {
			if version == asked {
				return version, nil
			}
			if Exact(version) && denoPattern.MatchString(version) && asked == "2" && (newest == "" || Compare(version, newest) > 0) {
				newest = version
			}
		}
		if newest == "" {
			return "", ErrNone
		}
		return newest, nil
	},
}

// registry is what an npm registry has at /-/npm/v1/keys. A key is one of ECDSA (SubjectPublicKeyInfo in base64), and
// expires is the time until which it is
// valid, null for no end.
type registry struct {
	Keys []struct {
		ID      string     `json:"keyid"`
		Key     string     `json:"key"`
		Expires *time.Time `json:"expires"`
	} `json:"keys"`
}

// readRegistryKeys returns the same keys, of which each can be read.
func readRegistryKeys(text []byte) ([]byte, error) {
	var keys registry
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("they are not JSON as an npm registry has it at /-/npm/v1/keys: %w", err)
	}
	if len(keys.Keys) == 0 {
		return nil, errors.New("there is no key of an npm registry in it")
	}
	for _, k := range keys.Keys {
		der, err := base64.StdEncoding.DecodeString(k.Key)
		if err != nil {
			return nil, fmt.Errorf("the key %s is not base64: %w", k.ID, err)
		}
		parsed, err := x509.ParsePKIXPublicKey(der)
		if err != nil {
			return nil, fmt.Errorf("the key %s can't be read: %w", k.ID, err)
		}
		if is, ok := parsed.(*ecdsa.PublicKey); !ok || is.Curve != elliptic.P256() || k.ID == "" {
			return nil, fmt.Errorf("the key %s is not an ECDSA key of P-256 with an id", k.ID)
		}
	}
	return json.Marshal(keys)
}
