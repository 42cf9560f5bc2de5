package e2e_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// signer is a certificate authority of the test's own, without a protocol.
type signer struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(1000 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{key, cert}
}

func (s *signer) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(s.cert)
	return p
}

// sign makes a certificate for names and a key, as PEM.
func (s *signer) sign(t *testing.T, serial int64, key crypto.PublicKey, names ...string) string {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: names, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(500 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, s.cert, key, s.key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// about returns meta.certificate of an answer.
func about(t *testing.T, a panel.Answer) (c struct {
	Names   []string
	CSR     string
	Failure string
	RenewAt time.Time `json:"renew_at"`
},
) {
	t.Helper()
	var doc struct {
		Data struct{ Meta struct{ Certificate any } }
	}
	doc.Data.Meta.Certificate = &c
	if err := json.Unmarshal([]byte(a.Body), &doc); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return c
}

// serving waits until a certificate is the one that a domain is served with.
func (w *World) serving(t *testing.T, s panel.Server, path string) {
	t.Helper()
	a, _ := w.Until(t, time.Minute, path, "served", func(a panel.Answer) bool {
		state := a.Data.Operation().State
		return a.Data.Text("status") == "installed" && a.Data.Attributes["active"] == true || state == "failed"
	})
	if a.Data.Operation().State == "failed" {
		t.Fatalf("the certificate is %s: %+v\n%s", a.Data.Text("status"), a.Data.Operation(), w.Output(t, s, a.Data.Operation().EventID))
	}
}

// kinds serves certificates that no authority of ours issued: one that was brought along, one signed elsewhere from our request, and a clone, which
// a load balancer serves.
func (w *World) kinds(t *testing.T) {
	t.Helper()
	own, web, lb := newSigner(t), w.Server(1), w.Server(2)
	const name = "kinds.example.com"
	r := site(t, w, web, map[string]any{"name": name, "type": "static-html", "allow_wildcard_subdomains": true})
	domain := w.first(t, web.Path("/sites/"+r.ID)+"/domains")
	serial := func(s panel.Server, name string) int64 {
		t.Helper()
		res, leaf := visit(t, s.Host, own.pool(), "https", name, "/")
		if res.StatusCode != http.StatusOK && s.ID == web.ID {
			t.Errorf("https://%s answers %d", name, res.StatusCode)
		}
		return leaf.SerialNumber.Int64()
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pair := map[string]any{
		"certificate": own.sign(t, 11, key.Public(), name, "*."+name),
		"key":         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	}
	existing := w.Want(t, http.StatusAccepted, http.MethodPost, domain+"/certificates", map[string]any{"type": "existing", "existing": pair}).Data
	w.serving(t, web, domain+"/certificates/"+existing.ID)
	if got := serial(web, name); got != 11 {
		t.Errorf("brought along: served is certificate %d", got)
	}
	if got := serial(web, "any."+name); got != 11 {
		t.Errorf("brought along, below the wildcard: served is certificate %d", got)
	}
	if mode := strings.TrimSpace(web.Host.Exec(t, "stat", "-c", "%a %U", "/etc/ssl/hostler/"+existing.ID+"/key.pem",
		"/etc/ssl/hostler/"+existing.ID)); mode != "600 root\n700 root" {
		t.Errorf("the key is kept as %q", mode)
	}

	asked := w.Want(t, http.StatusAccepted, http.MethodPost, domain+"/certificates", map[string]any{"type": "csr", "csr": map[string]any{
		"domain":       name,
		"sans":         "*." + name,
		"country":      "DE",
		"state":        "Berlin",
		"city":         "Berlin",
		"organization": "Acme",
		"department":   "Web",
	}})
	path := domain + "/certificates/" + asked.Data.ID
	text := about(t, w.Want(t, http.StatusOK, http.MethodGet, path, nil)).CSR
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		t.Fatalf("the request is %q", text)
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil || request.CheckSignature() != nil || request.Subject.CommonName != name ||
		request.Subject.Organization[0] != "Acme" || len(request.DNSNames) != 2 {
		t.Fatalf("the request is for %v %v: %v", request.Subject, request.DNSNames, err)
	}
	if strings.Contains(asked.Body, "PRIVATE") {
		t.Error("the answer has the key in it")
	}
	if got := serial(web, name); got != 11 {
		t.Errorf("while the request waits, served is certificate %d", got)
	}
	if a, err := w.Do(http.MethodPut, path, map[string]any{"certificate": own.sign(t, 12, key.Public(), name)}); err != nil ||
		a.Code != http.StatusUnprocessableEntity {
		t.Errorf("a certificate for another key is answered %d %v", a.Code, err)
	}
	w.Want(t, http.StatusAccepted, http.MethodPut, path, map[string]any{"certificate": own.sign(t, 13, request.PublicKey, name, "*."+name)})
	w.serving(t, web, path)
	if got := serial(web, name); got != 13 {
		t.Errorf("signed elsewhere: served is certificate %d", got)
	}

	// Back to the other one, and away from it.
	w.Want(t, http.StatusAccepted, http.MethodPost, domain+"/certificates/"+existing.ID+"/actions", map[string]any{"action": "enable"})
	w.serving(t, web, domain+"/certificates/"+existing.ID)
	if got := serial(web, name); got != 11 {
		t.Errorf("enabled again: served is certificate %d", got)
	}

	b := site(t, w, lb, map[string]any{"domain": "clone." + name, "balancing": []any{map[string]any{"server_id": number(web.ID)}}})
	there := w.first(t, lb.Path("/sites/"+b.ID)+"/domains")
	clone := w.Want(t, http.StatusAccepted, http.MethodPost, there+"/certificates", map[string]any{
		"type": "clone", "clone": map[string]any{"certificate_id": number(asked.Data.ID)},
	}).Data
	w.serving(t, lb, there+"/certificates/"+clone.ID)
	if got := serial(lb, "clone."+name); got != 13 {
		t.Errorf("cloned to a load balancer: served is certificate %d", got)
	}

	w.Want(t, http.StatusAccepted, http.MethodDelete, domain+"/certificates/"+existing.ID, nil)
	w.Gone(t, time.Minute, domain+"/certificates/"+existing.ID)
	if res, _ := visit(t, web.Host, own.pool(), "http", name, "/"); res.StatusCode != http.StatusOK {
		t.Errorf("without a certificate plain HTTP answers %d", res.StatusCode)
	}
	if out, err := web.Host.TryExec("ls", "/etc/ssl/hostler/"+existing.ID); err == nil {
		t.Errorf("a certificate that was deleted is left: %s", out)
	}
	if got := serial(lb, "clone."+name); got != 13 {
		t.Errorf("after the other was deleted the clone is certificate %d", got)
	}
}

// advised looks at when the authority wants a certificate renewed, has it revoked, and sees another one served.
func (w *World) advised(t *testing.T, ca *authority, s panel.Server, domain string) {
	t.Helper()
	client := &acme.Client{Directory: ca.Directory, HTTPClient: ca.Client}
	_, leaf := ca.get(t, s.Host, "https", "shop.example.com", "/")
	info, err := client.GetRenewalInfo(context.Background(), leaf)
	if err != nil {
		t.Fatal(err)
	}
	w.look(t)
	w.Until(t, time.Minute, domain+"/certificates/active", "renewed when the authority wants it", func(a panel.Answer) bool {
		at := about(t, a).RenewAt
		return !at.Before(info.SuggestedWindow.Start) && !at.After(info.SuggestedWindow.End)
	})
	id := w.Want(t, http.StatusOK, http.MethodGet, domain+"/certificates/active", nil).Data.ID
	block, _ := pem.Decode([]byte(s.Host.Exec(t, "cat", "/etc/ssl/hostler/"+id+"/key.pem")))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	key := parsed.(crypto.Signer)
	if err := client.RevokeCertificate(context.Background(), acme.Account{PrivateKey: key}, leaf, key, acme.ReasonKeyCompromise); err != nil {
		t.Fatal(err)
	}
	w.SQL(t, "UPDATE certificates SET ask_at = NULL")
	w.look(t)
	w.Until(t, 2*time.Minute, domain+"/certificates/active", "renewed after it was revoked", func(a panel.Answer) bool {
		_, now := ca.get(t, s.Host, "https", "shop.example.com", "/")
		return a.Data.Text("status") == "installed" && now.SerialNumber.Cmp(leaf.SerialNumber) != 0
	})
}

// look makes the panel check for due renewals.
func (w *World) look(t *testing.T) {
	t.Helper()
	w.Kill()
	if _, err := w.DB(t).Exec("DELETE FROM river_job WHERE kind = 'certificate.renew'"); err != nil { // none where it had no time to begin
		t.Fatal(err)
	}
	if err := w.Up(); err != nil {
		t.Fatal(err)
	}
}

// writeFile puts a text into a file of the test's.
func writeFile(t *testing.T, name string, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
