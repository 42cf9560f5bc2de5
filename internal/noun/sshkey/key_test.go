package sshkey

import (
	stded25519 "crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// broken returns a key with its base64 in lines of 76 signs.
func broken(key, lineEnd string) string {
	kind, encoded, _ := strings.Cut(key, " ")
	var lines []string
	for ; len(encoded) > 76; encoded = encoded[76:] {
		lines = append(lines, encoded[:76])
	}
	return kind + " " + strings.Join(append(lines, encoded), lineEnd)
}

// certificate returns one that a user signs in with.
func certificate(t *testing.T) string {
	t.Helper()
	_, key, err := stded25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c := &ssh.Certificate{Key: signer.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"forge"}}
	if err := c.SignCert(rand.Reader, signer); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(c)))
}

// A comment says whose key it is: it stays, however the key was pasted.
func TestCommentStays(t *testing.T) {
	t.Parallel()
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBLyO0V2X8mP0j0q5Ypm7zVv1cVYb2yV0u3GqGm3T0cF"
	for text, want := range map[string]string{
		key:                          "",
		key + " ann@laptop\n":        "ann@laptop",
		`"` + key + ` Ann's laptop"`: "Ann's laptop",
		strings.Replace(key, "V0u3", "V0\nu3", 1) + "  ann@laptop": "ann@laptop",
	} {
		if got, comment, err := Parse(text, ""); err != nil || got != key || comment != want {
			t.Errorf("%q has the comment %q (%v, %q), want %q", text, comment, err, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBLyO0V2X8mP0j0q5Ypm7zVv1cVYb2yV0u3GqGm3T0cF"
	line := func(bits int) string {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			t.Fatal(err)
		}
		public, err := ssh.NewPublicKey(&key.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
	}
	long := line(2048)
	for name, c := range map[string]struct{ text, want, refused string }{
		"plain":            {ed25519, ed25519, ""},
		"with a comment":   {ed25519 + " ann@laptop\n", ed25519, ""},
		"RSA":              {long, long, ""},
		"a short RSA key":  {line(1024), "", "2048 bits"},
		"options":          {`command="/bin/sh" ` + ed25519, "", "no options"},
		"a source address": {`from="10.0.0.1" ` + ed25519, "", "no options"},
		"two keys":         {ed25519 + "\n" + ed25519, "", "only one key"},
		"a private key":    {"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", "", "private key"},
		"no key":           {"ssh-ed25519 hello", "", "must be a public key"},
		"nothing":          {"", "", "must be a public key"},
		// As people paste them: pages and chats have signs that can't be seen, terminals and mails break lines.
		"broken lines":           {broken(long, "\n"), long, ""},
		"broken lines of a mail": {broken(long, "\r\n  ") + " ann@laptop", long, ""},
		"a blank of a page":      {strings.Replace(ed25519, " ", "\u00a0", 1) + "\u00a0ann", ed25519, ""},
		"an invisible sign":      {"\u200b" + ed25519 + "\u200b", ed25519, ""},
		"quotes":                 {`"` + ed25519 + ` ann"`, ed25519, ""},
		"a fence":                {"```\n" + ed25519 + "\n```", ed25519, ""},
		"a line of known_hosts":  {"git.example.com " + ed25519, "", "known_hosts"},
		"PKCS #8":                {"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "", "ssh-keygen -i"},
		"an address":             {"https://github.com/ann.keys", "", "what this address shows"},
		"DSA":                    {"ssh-dss AAAAB3NzaC1kc3MAAACBAPBv ann", "", "ssh-dss"},
		"an SSH certificate":     {"ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t ada", "", "certificate of SSH"},
		"a fingerprint":          {"SHA256:uNiVztksCsDhcc0u9e8BrqG2V2Zy3GhVPkF4CDhVtEk", "", "fingerprint"},
		"a certificate":          {certificate(t), "", "This is a certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(c.text)
			switch {
			case c.refused == "" && (err != nil || got != c.want):
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("got %q, %v; want an error with %q", got, err, c.refused)
			}
		})
	}
}
