package git

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
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

// maxKnownHosts is how many bytes of host keys are pinned for a site.
const maxKnownHosts = 16 << 10

// PinHosts adds the keys of servers that a host claims to have met to those that are pinned: each server's are pinned once, and never by a claim where they
// are published. A claim has no patterns, and no authorities.
func PinHosts(pinned, claimed string) string {
	known := servers(pinned + published())
	out := pinned
	for rest := []byte(claimed); len(rest) > 0; {
		marker, hosts, key, _, next, err := ssh.ParseKnownHosts(rest)
		if err != nil {
			break
		}
		rest = next
		if marker != "" || len(hosts) != 1 || !serverPattern.MatchString(hosts[0]) || known[strings.ToLower(hosts[0])] {
			continue
		}
		if line := strings.ToLower(hosts[0]) + " " + string(ssh.MarshalAuthorizedKey(key)); len(out)+len(line) <= maxKnownHosts {
			out += line
		}
	}
	return out
}

// ForgetHost returns pinned keys without those of a server.
func ForgetHost(pinned, server string) string {
	var out strings.Builder
	for line := range strings.Lines(pinned) {
		if !servers(line)[strings.ToLower(server)] {
			out.WriteString(line)
		}
	}
	return out.String()
}

// Fingerprints returns those of a server's keys in a text in the format of known_hosts, as ssh shows them: SHA256:….
func Fingerprints(known, server string) []string {
	var out []string
	for rest := []byte(known); len(rest) > 0; {
		_, hosts, key, _, next, err := ssh.ParseKnownHosts(rest)
		if err != nil {
			break
		}
		if rest = next; slices.Contains(hosts, strings.ToLower(server)) {
			out = append(out, ssh.FingerprintSHA256(key))
		}
	}
	return out
}

// serverPattern matches a server in a line of known_hosts: a host, or one in brackets with its port.
var serverPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|[0-9a-fA-F:]+|\[[A-Za-z0-9.:-]{1,253}\]:[1-9][0-9]{0,4})$`)

// AllKnownHosts returns the pinned keys, and the published ones of the large Git servers: submodules and packages come from there too.
func AllKnownHosts(pinned string) string {
	known, out := servers(pinned), pinned
	for line := range strings.Lines(published()) {
		if host, _, _ := strings.Cut(line, " "); !known[host] {
			out += line
		}
	}
	return out
}

// servers returns the servers that a text in the format of known_hosts has keys of.
func servers(known string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(known) {
		names, _, _ := strings.Cut(line, " ")
		for name := range strings.SplitSeq(names, ",") {
			out[strings.ToLower(name)] = true
		}
	}
	return out
}
