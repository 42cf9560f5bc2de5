package certificate

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// uploadedChain reads what a person uploads: certificates as PEM, in any order, with text between them and a byte order mark. The one of the key comes first,
// then each issuer. Others are left out.
func uploadedChain(given string, key crypto.PublicKey) (leaf *x509.Certificate, chain string, err error) {
	rest := []byte(text.PEM(given))
	var all []*x509.Certificate
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return nil, "", errKeyInChain
		}
		if !certificateTypes[block.Type] {
			continue
		}
		cert, err := parseCertificate(block)
		if err != nil {
			return nil, "", errChain
		}
		all = append(all, cert)
	}
	if len(all) == 0 {
		return nil, "", noChain(given)
	}
	if bytes.Contains(rest, []byte("-----BEGIN")) {
		if err := misread(given); err != nil {
			return nil, "", err
		}
		return nil, "", errChain
	}
	leaf = all[0]
	for _, c := range all {
		if public, ok := c.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); ok && public.Equal(key) {
			leaf = c
			break
		}
	}
	var out strings.Builder
	for c := leaf; c != nil; c = issuerOf(c, all) {
		if weak[c.SignatureAlgorithm] && !selfIssued(c) {
			return nil, "", fmt.Errorf("the certificate of %s is signed with %s, which nginx and browsers refuse: have it issued again",
				quoted(c.Subject.CommonName), c.SignatureAlgorithm)
		}
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return leaf, out.String(), nil
}

// certificateTypes are the types of PEM in which OpenSSL writes certificates (PEM_read_bio_X509(3)).
var certificateTypes = map[string]bool{"CERTIFICATE": true, "X509 CERTIFICATE": true, "TRUSTED CERTIFICATE": true}

// weak are signatures that OpenSSL refuses at its level 2.
var weak = map[x509.SignatureAlgorithm]bool{
	x509.MD2WithRSA: true, x509.MD5WithRSA: true, x509.SHA1WithRSA: true, x509.ECDSAWithSHA1: true, x509.DSAWithSHA1: true,
}

// parseCertificate parses a certificate, without what OpenSSL adds behind one that it trusts.
func parseCertificate(block *pem.Block) (*x509.Certificate, error) {
	der := block.Bytes
	if block.Type == "TRUSTED CERTIFICATE" {
		var first asn1.RawValue
		if _, err := asn1.Unmarshal(der, &first); err != nil {
			return nil, err
		}
		der = first.FullBytes
	}
	return x509.ParseCertificate(der)
}

// noChain says what a text without certificates is.
func noChain(given string) error {
	if err := misread(given); err != nil {
		return err
	}
	switch given = strings.TrimSpace(given); {
	case strings.Contains(given, "BEGIN PKCS7"):
		return errors.New("the certificate is in the format PKCS #7: openssl pkcs7 -print_certs -in file.p7b converts it")
	case strings.Contains(given, "CERTIFICATE REQUEST"):
		return errors.New("this is a request for a certificate: send it to the authority, and paste the certificate that it answers with")
	case strings.Contains(given, "PUBLIC KEY"):
		return errors.New("this is a public key, and no certificate")
	case strings.HasPrefix(given, "MI") && !strings.Contains(given, "-----"): // a SEQUENCE in base64
		return errors.New("the certificate must be PEM, with its lines -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----. A file of PKCS #12 (.pfx, " +
			".p12) is converted " +
			"by openssl pkcs12 -nodes -in file.pfx")
	}
	return errChain
}

// quoted is the name of a certificate's subject, which is another's text.
func quoted(name string) string { return strconv.Quote(text.Clean(text.Line(name), 100)) }

// selfIssued reports a root.
func selfIssued(c *x509.Certificate) bool { return bytes.Equal(c.RawIssuer, c.RawSubject) }

// issuerOf returns the certificate that signed another; nil for a root, and if it is not among them. A cross-signed issuer is there twice: the one that goes on
// is preferred to a root.
func issuerOf(c *x509.Certificate, among []*x509.Certificate) *x509.Certificate {
	if selfIssued(c) {
		return nil
	}
	var found *x509.Certificate
	for _, by := range among {
		if by != c && bytes.Equal(by.RawSubject, c.RawIssuer) && c.CheckSignatureFrom(by) == nil && (found == nil || selfIssued(found)) {
			found = by
		}
	}
	return found
}

// missingIssuer returns the name of the issuer that a chain lacks, "" if it has it: clients know roots, and many do not look for what is between. An issuer
// that gives no address to fetch its certificate from is taken for a root of one's own.
func missingIssuer(text string) string {
	var last *x509.Certificate
	n := 0
	for rest := []byte(text); ; n++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		var err error
		if last, err = x509.ParseCertificate(block.Bytes); err != nil {
			return ""
		}
	}
	if n != 1 || selfIssued(last) || len(last.IssuingCertificateURL) == 0 {
		return ""
	}
	if name := last.Issuer.CommonName; name != "" {
		return name
	}
	return last.Issuer.String()
}

// missing returns the issuer that an uploaded certificate lacks.
func missing(r query.Certificate) string {
	if r.Type != Existing || r.Chain == nil {
		return ""
	}
	return missingIssuer(*r.Chain)
}
