package git

import (
	"bytes"
	"errors"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// ReadKey parses a user's private key, which must have no passphrase, and returns its public half with a comment.
func ReadKey(private, comment string) (public string, err error) {
	signer, err := ssh.ParsePrivateKey([]byte(private))
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return "", value.Error("The private key must have no passphrase.")
	}
	if err != nil {
		return "", value.Error("The private key must be an SSH private key.")
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))) + " " + comment, nil
}

// SameKey reports whether two public keys in the format of authorized_keys are equal, ignoring comments.
func SameKey(a, b string) bool {
	one, _, _, _, err := ssh.ParseAuthorizedKey([]byte(a))
	if err != nil {
		return false
	}
	other, _, _, _, err := ssh.ParseAuthorizedKey([]byte(b))
	return err == nil && bytes.Equal(one.Marshal(), other.Marshal())
}

// CheckKnownHosts returns the lines of a known_hosts text that are for u's host: what a server claims is not trusted.
func CheckKnownHosts(u URL, text string) string {
	want := u.Server()
	var out strings.Builder
	rest := []byte(text)
	for len(rest) > 0 && out.Len() < 16<<10 {
		marker, hosts, key, _, next, err := ssh.ParseKnownHosts(rest)
		if err != nil {
			break
		}
		rest = next
		if marker == "" && len(hosts) == 1 && strings.EqualFold(hosts[0], want) {
			out.WriteString(want + " " + string(ssh.MarshalAuthorizedKey(key)))
		}
	}
	return out.String()
}
