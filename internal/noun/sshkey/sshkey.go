// Package sshkey is the public keys of people that may log in to accounts of a server.
package sshkey

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Aspect is the part of a server that keys belong to, deadline how long a change of them may take.
const (
	Aspect   = "keys"
	deadline = 10 * time.Minute
)

// Specification is a key that may log in to an account.
type Specification struct {
	Name string `json:"name"`
	User string `json:"user"`
	// Key is its type and its base64 (RFC 4253 section 6.6), without options and comment.
	Key string `json:"key"`
	// Options restrict what it may do, as Options.String writes them; "" for nothing.
	Options   string `json:"options,omitempty"`
	CreatedBy *int64 `json:"created_by,omitempty"`
}

// fingerprint is what ssh-keygen -l shows of the key, and sshd writes of a login with it: "SHA256:" and base64 without padding. It is "" for a key that is
// none.
func (s Specification) fingerprint() string { return fingerprint(s.Key) }

func fingerprint(key string) string {
	_, text, _ := strings.Cut(key, " ")
	blob, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(blob) == 0 {
		return ""
	}
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// removal is how a key is removed.
type removal struct {
	// CloseSessions ends the sessions that were opened with the key.
	CloseSessions bool `json:"close_sessions,omitempty"`
}

func removalOf(op query.Operation) (removal, error) {
	var r removal
	if op.ResourceType != Noun.Kind || op.Action != actionDelete || op.Request == "" {
		return r, nil
	}
	if err := json.Unmarshal([]byte(op.Request), &r); err != nil {
		return r, fmt.Errorf("read what operation %d asks for: %w", op.ID, err)
	}
	return r, nil
}

const actionDelete = "delete"

// Revoke removes a key for the operator of the installation, with the sessions that it opened. The server is locked.
func Revoke(ctx context.Context, tx *db.Tx, l *ledger.Ledger, on query.Server, row query.SSHKey) error {
	return server.Leaked[Specification]{
		Noun: Noun, Aspect: Aspect, ID: row.ID, Name: "SSH key " + row.Name + " of " + row.UnixUser,
		Request: removal{CloseSessions: true}, Needs: []access.Permission{access.ServerDeleteKeys},
	}.Revoke(ctx, tx, l, on)
}

// Noun is keys in the ledger.
var Noun = &ledger.Noun[Specification]{Kind: "keys", Version: 1, Write: write, Account: func(s Specification) string { return s.User }}

func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	var err error
	if s := row.Specification; row.Phase == ledger.Gone {
		err = tx.DeleteSSHKey(ctx, row.ID)
	} else {
		err = tx.PutSSHKey(ctx, query.PutSSHKeyParams{
			ID: row.ID, ServerID: serverID, Name: s.Name, UnixUser: s.User, Key: s.Key, Options: s.Options,
			CreatedBy: s.CreatedBy, Status: server.PartStatus(row.Phase), OperationID: row.OperationID, CreatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write SSH key %d: %w", row.ID, err)
	}
	return nil
}

// leastRSA is the shortest RSA key that is taken, in bits (NIST SP 800-57 part 1, table 2: 112 bits of security).
const leastRSA = 2048

func parse(text string) (string, error) {
	key, _, err := Parse(text, "An administrator of the organization can give them in options.")
	return key, err
}

// Parse reads one public key as OpenSSH writes it, and returns its type and base64, and its comment. Options are refused: they would bind or widen what the key
// may do; why says what there is instead of them.
func Parse(text, why string) (key, comment string, err error) {
	if strings.Contains(text, "PRIVATE KEY") {
		return "", "", errors.New("This is a private key. It is not stored; generate a new pair, since it has left your machine.")
	}
	public, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(oneLine(unwrapped(text))))
	switch {
	case err != nil:
		return "", "", errors.New(unread(text))
	case len(options) > 0 && (strings.HasPrefix(options[0], "|1|") || strings.Contains(options[0], ".") && !strings.ContainsAny(options[0], `="`)):
		return "", "", errors.New("The key must begin with its type. This is a line of known_hosts, which has the key of a server.")
	case len(options) > 0:
		return "", "", errors.New("The key must have no options before its type. " + why)
	case strings.TrimSpace(string(rest)) != "":
		return "", "", errors.New("There must be only one key.")
	}
	if certificate, ok := public.(*ssh.Certificate); ok {
		return "", "", fmt.Errorf("This is a certificate (%s). Paste the public key that it was made of, the file without -cert.", certificate.Type())
	}
	switch public.Type() {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256:
	case ssh.KeyAlgoRSA:
		crypto, ok := public.(ssh.CryptoPublicKey)
		if !ok {
			return "", "", errors.New("The key must be a public key, such as ssh-ed25519 AAAA…")
		}
		if key, ok := crypto.CryptoPublicKey().(*rsa.PublicKey); !ok || key.N.BitLen() < leastRSA {
			return "", "", fmt.Errorf("An RSA key must have at least %d bits.", leastRSA)
		}
	default:
		return "", "", fmt.Errorf("Keys of the type %s can't be used.", public.Type())
	}
	return public.Type() + " " + base64.StdEncoding.EncodeToString(public.Marshal()), comment, nil
}

// invisible are signs that a copy from a web page, a chat or a word processor has in a key, which no program shows.
var invisible = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "")

// wrapped is a key whose base64 was broken into lines by a terminal or a mail: its type, and lines of base64 alone. What follows is the comment.
var wrapped = regexp.MustCompile(`^((?:ssh|ecdsa|sk)-[a-z0-9@.-]+)\s+([A-Za-z0-9+/]+(?:\s*\n\s*[A-Za-z0-9+/]+)*={0,2})(?:[ \t]+([^\n]*))?$`)

// unwrapped returns a key as people paste it, without quotes or a fence around it, signs that can't be seen, and breaks of lines in its base64. A text that is
// no key afterwards stays.
func unwrapped(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(invisible.Replace(text), "\r\n", "\n"))
	if inside, ok := strings.CutPrefix(text, "```"); ok {
		inside, _ = strings.CutSuffix(inside, "```")
		text = strings.TrimSpace(inside)
	}
	for _, quote := range []string{`"`, "'", "`"} {
		if len(text) > 2 && strings.HasPrefix(text, quote) && strings.HasSuffix(text, quote) {
			text = strings.TrimSpace(text[1 : len(text)-1])
		}
	}
	m := wrapped.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	encoded := strings.Join(strings.Fields(m[2]), "")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return text
	}
	if key, err := ssh.ParsePublicKey(raw); err != nil || key.Type() != m[1] {
		return text
	}
	return strings.TrimSpace(m[1] + " " + encoded + " " + m[3])
}

// unread says why a text is no public key.
func unread(text string) string {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "ssh-dss"):
		return "Keys of the type ssh-dss can't be used: servers no longer accept them. Generate one of the type ed25519."
	case strings.Contains(text, "-----BEGIN") && strings.Contains(text, "PUBLIC KEY"):
		return "The key must be a public key as OpenSSH writes it, such as ssh-ed25519 AAAA…. ssh-keygen -i -m PKCS8 -f key.pem converts this one (-m PEM, " +
			"if it is of RSA's own form)."
	case strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://"):
		return "The key must be a public key, such as ssh-ed25519 AAAA…. Paste what this address shows."
	case strings.Contains(text, "-cert-v01@openssh.com "):
		return "This is a certificate of SSH, which servers here do not take: paste the public key that it is for."
	case strings.HasPrefix(text, "SHA256:") || strings.HasPrefix(text, "MD5:"):
		return "The key must be a public key, such as ssh-ed25519 AAAA…. This is the fingerprint of one."
	}
	return "The key must be a public key, such as ssh-ed25519 AAAA…"
}

// savedByPuTTY is a key in the format of RFC 4716, in which PuTTY saves public keys: headers, and base64 on several lines.
var savedByPuTTY = regexp.MustCompile(`^---- BEGIN SSH2 PUBLIC KEY ----\s*\n((?s:.*)\n)---- END SSH2 PUBLIC KEY ----$`)

// header is one of RFC 4716, which goes on after a backslash at the end of a line.
var header = regexp.MustCompile(`(?m)^[^:\n]+:(?:[^\n]*\\\n)*[^\n]*\n`)

// oneLine returns a key of RFC 4716 as OpenSSH writes it; any other text stays.
func oneLine(text string) string {
	m := savedByPuTTY.FindStringSubmatch(strings.ReplaceAll(text, "\r\n", "\n"))
	if m == nil {
		return text
	}
	encoded := strings.Join(strings.Fields(header.ReplaceAllString(m[1], "")), "")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return text
	}
	key, err := ssh.ParsePublicKey(raw)
	if err != nil {
		return text
	}
	return key.Type() + " " + encoded
}
