package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
)

// issued is a certificate with its key.
type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func (i issued) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.cert.Raw}))
}

// issue makes a certificate, signed by another or self-signed.
func issue(t *testing.T, name string, by *issued, change func(*x509.Certificate)) issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	if change != nil {
		change(template)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return issued{cert, key}
}

// What vendors deliver and people paste becomes a chain that clients accept: the certificate first, then each issuer.
func TestUploadedChainIsPutRight(t *testing.T) {
	t.Parallel()
	root := issue(t, "Root", nil, nil)
	first := issue(t, "Intermediate 1", &root, nil)
	second := issue(t, "Intermediate 2", &first, nil)
	leaf := issue(t, "shop.example.com", &second, func(c *x509.Certificate) {
		c.IsCA, c.DNSNames, c.IssuingCertificateURL = false, []string{"shop.example.com"}, []string{"http://ca.example.com/2.crt"}
	})
	other := issue(t, "Other", nil, nil)
	whole := leaf.pem() + second.pem() + first.pem()
	for name, c := range map[string]struct{ text, want string }{
		"in order":              {whole, whole},
		"backwards":             {first.pem() + second.pem() + leaf.pem(), whole},
		"issuers swapped":       {leaf.pem() + first.pem() + second.pem(), whole},
		"with the root":         {root.pem() + whole, whole + root.pem()},
		"with another's":        {leaf.pem() + other.pem() + second.pem() + first.pem(), whole},
		"twice":                 {whole + whole, whole},
		"a byte order mark":     {"\ufeff" + whole, whole},
		"lines of Windows":      {strings.ReplaceAll(whole, "\n", "\r\n"), whole},
		"text between":          {"Bag Attributes\n  friendlyName: x\nsubject=CN=shop\n" + leaf.pem() + "\nissuer\n" + second.pem() + first.pem() + "\nend\n", whole},
		"blanks around":         {"\n\n  " + whole + "\n \n", whole},
		"without intermediates": {leaf.pem(), leaf.pem()},
	} {
		got, chain, err := uploadedChain(c.text, leaf.key.Public())
		if err != nil || got == nil || !got.Equal(leaf.cert) || chain != c.want {
			t.Errorf("%s: %v, %d certificates, want %d", name, err, strings.Count(chain, "BEGIN"), strings.Count(c.want, "BEGIN"))
		}
	}
	if got := missingIssuer(leaf.pem()); got != "Intermediate 2" {
		t.Errorf("missing is %q", got)
	}
	if got := missingIssuer(whole) + missingIssuer(other.pem()); got != "" {
		t.Errorf("missing is %q, of a whole chain and one that is its own", got)
	}
	own := issue(t, "intranet", &root, nil) // a root of one's own that clients know
	if got := missingIssuer(own.pem()); got != "" {
		t.Errorf("missing is %q", got)
	}
	raw, err := encodeKey(leaf.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := uploadedChain(string(raw)+whole, leaf.key.Public()); !errors.Is(err, errKeyInChain) {
		t.Errorf("a key in it: %v", err)
	}
	for _, text := range []string{"", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"} {
		if _, _, err := uploadedChain(text, leaf.key.Public()); !errors.Is(err, errChain) {
			t.Errorf("%.30q: %v", text, err)
		}
	}
	if _, _, err := uploadedChain(whole[:len(whole)-40], leaf.key.Public()); !errors.Is(err, errCut) {
		t.Errorf("a part of it: %v", err)
	}
}
