package attack_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/s3"
)

// Work that is watched for secrets in addition to accounts and files: it brings a key to the host, uses it there and removes it.
// Each returns its secrets by name.

// privateRepository deploys a separate site from a repository on another host that only its deploy key opens. The site's script
// keeps the files beside it, so that the key is known.
func (h *TenantHost) privateRepository(t *testing.T) map[string]string {
	t.Helper()
	w, git := h.world, h.world.MariaDB.Host
	if h == h.world.MariaDB {
		git = h.world.Postgres.Host
	}
	git.Exec(t, "sh", "-c", `useradd -m -s /usr/bin/git-shell repo && install -d -o repo -g repo -m 700 /home/repo/.ssh &&
		cd /home/repo && git init -q --bare -b main page.git && git clone -q page.git work 2>/dev/null && cd work &&
		echo page >index.html && git add -A && git -c user.name=Ada -c user.email=ada@example.com commit -q -m First &&
		git push -q origin HEAD:main && cd .. && rm -r work && chown -R repo: page.git`)
	t.Cleanup(func() { git.Exec(t, "userdel", "-r", "-f", "repo") })
	id := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/sites"), map[string]any{
		"type":          "static-html",
		"name":          "private.example.com",
		"is_isolated":   true,
		"isolated_user": "private",
		"web_directory": "/",
		"repository":    "ssh://repo@" + git.IP + "/home/repo/page.git",
		"branch":        "main",
	}).Data.ID
	site := h.Path("/sites/" + id)
	t.Cleanup(func() {
		w.Want(t, http.StatusAccepted, http.MethodDelete, site, nil)
		w.Gone(t, 2*time.Minute, "/sites/"+id)
	})
	if got := w.Settled(t, 2*time.Minute, "/sites/"+id); got.Text("status") != "installed" {
		t.Fatalf("the site is %s: %+v\n%s", got.Text("status"), got.Operation(), w.Output(t, h.Server, got.Operation().EventID))
	}
	git.WriteFile(t, "/home/repo/.ssh/authorized_keys", []byte(w.Get(t, site+"/deploy-key").Text("key")+"\n"), 0o644)
	w.Want(t, http.StatusOK, http.MethodPut, site+"/deployments/script",
		map[string]any{"content": "$CREATE_RELEASE()\numask 077; cat \"$HOSTLER_RUN_DIRECTORY\"/* >~/kept 2>/dev/null || true\n$ACTIVATE_RELEASE()\n"})
	d := w.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments", nil).Data
	if got := w.Settled(t, 2*time.Minute, site+"/deployments/"+d.ID); got.Text("status") != "finished" {
		t.Fatalf("the deployment is %s: %+v\n%s", got.Text("status"), got.Operation(), w.Output(t, h.Server, got.Operation().EventID))
	}
	kept := h.Host.Exec(t, "cat", "/home/private/kept")
	h.Host.Exec(t, "rm", "/home/private/kept")
	return keyLines(t, "the deploy key", kept)
}

// broughtCertificate serves the domain of a tenant with a certificate and a key that were brought along.
func (h *TenantHost) broughtCertificate(t *testing.T, n *Tenant) map[string]string {
	t.Helper()
	w := h.world
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), DNSNames: []string{n.Domain}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(500 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
	domains := h.Path("/sites/" + n.Site.ID + "/domains")
	at := domains + "/" + w.Want(t, http.StatusOK, http.MethodGet, domains, nil).List[0].ID + "/certificates"
	id := w.Want(t, http.StatusAccepted, http.MethodPost, at, map[string]any{
		"type":     "existing",
		"existing": map[string]any{"certificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})), "key": text},
	}).Data.ID
	t.Cleanup(func() {
		w.Want(t, http.StatusAccepted, http.MethodDelete, at+"/"+id, nil)
		w.Gone(t, 2*time.Minute, at+"/"+id)
	})
	if got := w.Settled(t, 2*time.Minute, at+"/"+id); got.Text("status") != "installed" {
		t.Fatalf("the certificate is %s: %+v\n%s", got.Text("status"), got.Operation(), w.Output(t, h.Server, got.Operation().EventID))
	}
	return keyLines(t, "the key of a certificate", text)
}

// backedUp backs a tenant's database up, proves and restores it.
func (h *TenantHost) backedUp(t *testing.T, n *Tenant) map[string]string {
	t.Helper()
	newVault(t, n).round(t)
	return map[string]string{"the storage's key": s3.SecretKey, "a signed address": "X-Amz-Signature=", "the key of backups": "AGE-SECRET-KEY-"}
}

// keyLines returns the lines of private keys in a text.
func keyLines(t *testing.T, name, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "-----"):
			inside = strings.Contains(line, "BEGIN") && strings.Contains(line, "PRIVATE KEY")
		case inside && len(line) >= 40 && !strings.HasPrefix(line, "b3BlbnNzaC1rZXktdjE"): // how every key of OpenSSH begins
			out[name+", line "+strconv.Itoa(len(out)+1)] = line
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s was not found: %.100q", name, text)
	}
	return out
}
