package runtimes

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"
)

// npmPackage is a release in an npm registry, which signs what it publishes (docs.npmjs.com/about-registry-signatures).
type npmPackage struct{ name, version string }

// manifest is what a registry says of a version of a package.
type manifest struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Dist    struct {
		Integrity  string      `json:"integrity"`
		Signatures []signature `json:"signatures"`
	} `json:"dist"`
}

// registryKeys are the keys of a registry, as its /-/npm/v1/keys has them: ECDSA keys of P-256 in base64, and the time
// until which one is valid.
type registryKeys struct {
	Keys []struct {
		ID      string  `json:"keyid"`
		Key     string  `json:"key"`
		Expires *string `json:"expires"`
	} `json:"keys"`
}

type signature struct {
	Key       string `json:"keyid"`
	Signature string `json:"sig"`
}

// fetch fetches and verifies the package, and returns the path of its archive. The address of the archive that the registry
// names is not used: it
// can lead to another host.
func (p npmPackage) fetch(ctx context.Context, s source) (string, error) {
	text, err := s.get(ctx, p.name+"/"+p.version, maxSums)
	if err != nil {
		return "", err
	}
	var is manifest
	if err := json.Unmarshal(text, &is); err != nil {
		return "", fmt.Errorf("what %s says of %s is not JSON: %w", s.mirror, p.name, err)
	}
	if is.Name != p.name || is.Version != p.version {
		return "", fmt.Errorf("%s offers %s %s for %s %s", s.mirror, is.Name, is.Version, p.name, p.version)
	}
	if err := is.verify(s.keys, time.Now()); err != nil {
		return "", fmt.Errorf("its checksum from %s: %w", s.mirror, err)
	}
	hash := sha512.New()
	at, err := s.archive(ctx, p.name+"/-/"+path.Base(p.name)+"-"+p.version+".tgz", hash)
	if err != nil {
		return "", err
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(hash.Sum(nil)); got != is.Dist.Integrity {
		return "", fmt.Errorf("the package from %s is not the file that was signed: its checksum is %s, and not %s", s.mirror, got,
			is.Dist.Integrity)
	}
	return at, nil
}

// verify reports whether one of the keys signed the checksum. While keys change, registries sign with two of them.
func (m manifest) verify(text []byte, now time.Time) error {
	var keys registryKeys
	if err := json.Unmarshal(text, &keys); err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	if len(m.Dist.Signatures) == 0 {
		return errors.New("it has no signature")
	}
	var failed error
	for _, s := range m.Dist.Signatures {
		err := m.signedBy(s, keys, now)
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

func (m manifest) signedBy(s signature, keys registryKeys, now time.Time) error {
	for _, k := range keys.Keys {
		if k.ID != s.Key {
			continue
		}
		if k.Expires != nil {
			end, err := time.Parse(time.RFC3339, *k.Expires)
			if err != nil {
				return fmt.Errorf("read when the key %s expires: %w", k.ID, err)
			}
			if !now.Before(end) {
				return fmt.Errorf("the key %s that signed it has expired", k.ID)
			}
		}
		der, err := base64.StdEncoding.DecodeString(k.Key)
		if err != nil {
			return fmt.Errorf("read the key %s: %w", k.ID, err)
		}
		key, err := x509.ParsePKIXPublicKey(der)
		if err != nil {
			return fmt.Errorf("read the key %s: %w", k.ID, err)
		}
		public, ok := key.(*ecdsa.PublicKey)
		signed, err := base64.StdEncoding.DecodeString(s.Signature)
		digest := sha256.Sum256([]byte(m.Name + "@" + m.Version + ":" + m.Dist.Integrity))
		if !ok || err != nil || !ecdsa.VerifyASN1(public, digest[:], signed) {
			return fmt.Errorf("it is not what %s signed", k.ID)
		}
		return nil
	}
	return fmt.Errorf("it is signed by the key %q, which is not trusted", s.Key)
}
