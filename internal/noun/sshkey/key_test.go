package sshkey

import (
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

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
