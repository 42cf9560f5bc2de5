package certificate

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// uploadedChain reads what a person uploads: certificates as PEM, in any order, with text between them and a byte order mark. The one of the key comes first,
// then each issuer. Others are left out.
func uploadedChain(text string, key crypto.PublicKey) (leaf *x509.Certificate, chain string, err error) {
	rest := []byte(pasted(strings.TrimPrefix(strings.TrimSpace(text), "\ufeff")))
	var all []*x509.Certificate
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return nil, "", errKeyInChain
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, "", errChain
		}
		all = append(all, cert)
	}
	if len(all) == 0 || bytes.Contains(rest, []byte("-----BEGIN")) {
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
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return leaf, out.String(), nil
}

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
