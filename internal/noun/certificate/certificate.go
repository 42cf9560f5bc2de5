// Package certificate manages the certificates of domains: issued by a certificate authority through ACME (RFC 8555) and renewed,
// uploaded, signed elsewhere from a request of ours, or cloned.
package certificate

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/domain"
)

// The types of a certificate. A clone is an existing one.
const (
	LetsEncrypt = "letsencrypt"
	CSR         = "csr"
	Existing    = "existing"
	Clone       = "clone"
)

// The validation methods.
const (
	HTTP01 = "http-01"
	DNS01  = "dns-01"
)

// The types of keys.
const (
	ECDSA = "ecdsa"
	RSA   = "rsa"
)

// The states of a certificate, and of its request.
const (
	StatusInstalling = "installing"
	StatusInstalled  = "installed"
	StatusRenewing   = "renewing"
	StatusEnabling   = "enabling"
	StatusDisabling  = "disabling"
	StatusRemoving   = "removing"
	StatusFailed     = "failed"

	requestVerifying = "verifying"
	requestCreating  = "creating"
	requestCreated   = "created"
)

const resource = "certificates"

// Path is a certificate that the caller can see.
type Path struct {
	domain.Path
	Certificate query.Certificate
}

// Store reads the certificates of domains that were loaded for the caller.
type Store struct {
	DB      *db.DB
	Domains *domain.Store
}

// InPath loads organization, server, site, domain and certificate.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := s.Domains.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("certificate")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetSiteCertificate(ctx, parent.Row, id)
	if err != nil {
		return Path{}, fmt.Errorf("read certificate %d: %w", id, err)
	}
	if row.DomainID != parent.Row.ID {
		return Path{}, access.ErrNotFound
	}
	return Path{Path: parent, Certificate: row}, nil
}

// Active loads a domain with its active certificate; without one the error is not found.
func (s *Store) Active(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := s.Domains.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	if parent.Row.CertificateID == nil {
		return Path{Path: parent}, access.ErrNotFound
	}
	row, err := s.DB.Read().GetSiteCertificate(ctx, parent.Row, *parent.Row.CertificateID)
	if err != nil {
		return Path{Path: parent}, fmt.Errorf("read certificate of domain %d: %w", parent.Row.ID, err)
	}
	return Path{Path: parent, Certificate: row}, nil
}

// Vault seals private keys.
type Vault struct{ Box *secret.Box }

func sealedAt(id int64, column string) secret.Place {
	return secret.Place{Table: "certificates", Row: strconv.FormatInt(id, 10), Column: column}
}

const (
	columnKey  = "private_key"
	columnNext = "next_private_key"
)

// newKey generates a key of a type.
func newKey(kind string) (crypto.Signer, error) {
	if kind == RSA {
		return rsa.GenerateKey(rand.Reader, 2048)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func encodeKey(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("write key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// Errors of a certificate or a key that a user uploads.
var (
	errKey        = errors.New("the key must be a private RSA or ECDSA key as PEM, without a password")
	errEncrypted  = errors.New("the key has a passphrase, which nginx could not be asked for: remove it, as with openssl pkey -in key.pem -out plain.pem")
	errChain      = errors.New("the certificate must be one or more certificates as PEM")
	errKeyInChain = errors.New("the certificate must not contain the private key, which has a field of its own")
	errShort      = fmt.Errorf("an RSA key must have at least %d bits: nginx refuses shorter ones", leastRSA)
	errCurve      = errors.New("a key on an elliptic curve must be on P-256, P-384 or P-521: browsers know no others")
	errPublicKey  = errors.New("this is the public key: the private one is meant, which stays on the server")
	errPath       = errors.New("this is the path of a file: paste what the file contains")
	errCut        = errors.New("the last block has no line -----END …-----: it was not copied whole")
	errSSH        = errors.New("this is a key of SSH: the certificate belongs to another one, which begins with -----BEGIN PRIVATE KEY----- or the like")
	errNoKey      = errors.New("this is a certificate: its private key is in another file, such as privkey.pem")
	errPair       = errors.New("the key does not belong to the certificate")
)

// leastRSA is the shortest RSA key that OpenSSL takes for a server at its level 2, which Debian and Ubuntu set (SSL_CTX_set_security_level(3)), in bits.
const leastRSA = 2048

// forServers returns a key if nginx and browsers take it.
func forServers(key crypto.Signer) (crypto.Signer, error) {
	switch key := key.(type) {
	case *rsa.PrivateKey:
		if key.N.BitLen() < leastRSA {
			return nil, errShort
		}
		return key, nil
	case *ecdsa.PrivateKey:
		if key.Curve == elliptic.P224() {
			return nil, errCurve
		}
		return key, nil
	}
	return nil, errKey
}

// parseKey parses the one key of a text, which may have its parameters and certificates too, as the files of many servers do.
func parseKey(given string) (crypto.Signer, error) {
	rest := []byte(text.PEM(given))
	var block *pem.Block
	certificates := false
	for {
		var next *pem.Block
		if next, rest = pem.Decode(rest); next == nil {
			break
		}
		switch {
		case next.Type == "EC PARAMETERS" || next.Type == "CERTIFICATE":
			certificates = certificates || next.Type == "CERTIFICATE"
		case block != nil:
			return nil, errKey
		default:
			block = next
		}
	}
	if block == nil || bytes.Contains(rest, []byte("-----BEGIN")) {
		if err := misread(given); err != nil {
			return nil, err
		}
		if certificates && block == nil {
			return nil, errNoKey
		}
		return nil, errKey
	}
	if block.Type == "OPENSSH PRIVATE KEY" {
		return nil, errSSH
	}
	if block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") { // PKCS #8, and OpenSSL's older form
		return nil, errEncrypted
	}
	if strings.HasSuffix(block.Type, "PUBLIC KEY") {
		return nil, errPublicKey
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		if signer, ok := key.(crypto.Signer); ok {
			return forServers(signer)
		}
		return nil, errKey
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return forServers(key)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err == nil {
		return forServers(key)
	}
	if strings.Contains(err.Error(), "elliptic curve") {
		return nil, errCurve
	}
	return nil, errKey
}

// parseChain parses certificates and encodes them again, so that nothing else gets into the file.
func parseChain(text string) (leaf *x509.Certificate, chain string, err error) {
	var out strings.Builder
	rest := []byte(strings.TrimSpace(text))
	for len(rest) > 0 {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return nil, "", errChain
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, "", errChain
		}
		if leaf == nil {
			leaf = cert
		}
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: block.Bytes}))
		rest = []byte(strings.TrimSpace(string(rest)))
	}
	if leaf == nil {
		return nil, "", errChain
	}
	return leaf, out.String(), nil
}

// fits returns why a domain can't be served with a certificate.
func fits(leaf *x509.Certificate, key crypto.PublicKey, name string, now time.Time) error {
	public, ok := leaf.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	switch {
	case !ok || !public.Equal(key):
		return errPair
	case !now.Before(leaf.NotAfter):
		return errors.New("the certificate expired on " + leaf.NotAfter.UTC().Format(time.DateOnly))
	case len(leaf.DNSNames) == 0 && leaf.Subject.CommonName != "":
		return errors.New("the certificate names its domain only as its common name, which browsers do not read: it needs a subject alternative name")
	case leaf.VerifyHostname(name) != nil:
		return fmt.Errorf("the certificate is not for %s, but for %s", name, namesOf(leaf))
	}
	if (len(leaf.ExtKeyUsage) > 0 || len(leaf.UnknownExtKeyUsage) > 0) && !slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageServerAuth) &&
		!slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageAny) {
		return errors.New("the certificate is not for servers: its extended key usage lacks serverAuth")
	}
	return nil
}

// namesOf lists the names that a certificate is for, the first of many. They are another's text.
func namesOf(leaf *x509.Certificate) string {
	const most = 5
	var names []string
	for _, n := range leaf.DNSNames {
		if _, err := value.ParseWildcardDomain(n); err == nil {
			names = append(names, n)
		}
	}
	switch {
	case len(names) == 0:
		return "no domain"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

// wanted returns the names of a domain's certificate: the wildcard covers www, and can be validated only by dns-01.
func wanted(d query.Domain, method string) []string {
	names := []string{d.Name}
	if d.Wildcard && method != HTTP01 {
		return append(names, "*."+d.Name)
	}
	if d.WWWRedirectType != "none" && len("www."+d.Name) <= 253 {
		names = append(names, "www."+d.Name)
	}
	return names
}
