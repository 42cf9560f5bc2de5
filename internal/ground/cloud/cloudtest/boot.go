package cloudtest

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// lineOf finds the address of Hostler, the server's number there, and its secret in a script for a first boot.
var lineOf = regexp.MustCompile(`'(https?://[^']+)/bootstrap/(\d+)/script'(?s:.*)HOSTLER_SECRET=([0-9a-f]+)`)

// FirstBoot does what the first boot of a server does, without a server: it calls Hostler until it answers, and returns with which status.
func FirstBoot(ctx context.Context, m Machine) (status int, err error) {
	line := lineOf.FindStringSubmatch(m.UserData)
	if line == nil {
		return 0, fmt.Errorf("the script has no line:\n%s", m.UserData)
	}
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return 0, fmt.Errorf("make a host key: %w", err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return 0, fmt.Errorf("make a host key: %w", err)
	}
	secret, err := hex.DecodeString(line[3])
	if err != nil {
		return 0, fmt.Errorf("read the secret: %w", err)
	}
	report := "host-key " + string(ssh.MarshalAuthorizedKey(key)) + "ssh-port 22\nos ubuntu\nos-version 24.04\narch amd64\nhostname web-1\n"
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(report))
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, line[1]+"/bootstrap/"+line[2], strings.NewReader(report))
		if err != nil {
			return 0, fmt.Errorf("call Hostler: %w", err)
		}
		req.Header.Set("X-Hostler-Signature", hex.EncodeToString(mac.Sum(nil)))
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			switch resp.StatusCode {
			case http.StatusOK, http.StatusForbidden, http.StatusConflict:
				return resp.StatusCode, nil
			}
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("call Hostler: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond): // it may be down
		}
	}
}
