package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Codes of authenticator apps (RFC 6238): SHA-1, six digits, thirty seconds, one step of clock skew to either side.
const (
	codePeriod    = 30
	recoveryCodes = 10
)

func sealedAt(user int64) secret.Place {
	return secret.Place{Table: "two_factors", Row: strconv.FormatInt(user, 10), Column: "secret"}
}

// newTwoFactor generates a secret, sealed and in the form that a person enters.
func newTwoFactor(box *secret.Box, user int64) (text string, sealed []byte, err error) {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw) // never fails since Go 1.24
	text = base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)
	sealed, err = box.Seal(sealedAt(user), []byte(text))
	return text, sealed, err
}

func otpURL(email, text string) string {
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/Hostler:" + email, RawQuery: url.Values{"secret": {text}, "issuer": {"Hostler"}}.Encode()}
	return u.String()
}

// useCode accepts a code of the app. Each works once.
func useCode(ctx context.Context, tx *db.Tx, box *secret.Box, person query.Person, code string) (bool, error) {
	row, err := tx.GetTwoFactor(ctx, person)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read second factor: %w", err)
	}
	text, err := box.Open(sealedAt(person.Person()), row.Secret)
	if err != nil {
		return false, err
	}
	now := tx.Now.Unix() / codePeriod
	var step int64
	for _, candidate := range []int64{now - 1, now, now + 1} {
		want, err := totp.GenerateCode(string(text), time.Unix(candidate*codePeriod, 0))
		if err != nil {
			return false, fmt.Errorf("make code: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(strings.ReplaceAll(code, " ", ""))) == 1 {
			step = candidate
		}
	}
	if step == 0 {
		return false, nil
	}
	n, err := tx.UseTwoFactor(ctx, person.Person(), step)
	return n == 1, err
}

func hashRecovery(code string) string {
	return secret.Hash(strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code)))
}

// newRecoveryCodes replaces all recovery codes. Each has 80 random bits, so that a plain digest is sufficient.
func newRecoveryCodes(ctx context.Context, tx *db.Tx, user int64) ([]string, error) {
	if err := tx.DeleteRecoveryCodes(ctx, user); err != nil {
		return nil, fmt.Errorf("make recovery codes: %w", err)
	}
	out := make([]string, recoveryCodes)
	for i := range out {
		raw := make([]byte, 10)
		_, _ = rand.Read(raw)
		text := strings.ToLower(base32.StdEncoding.EncodeToString(raw))
		out[i] = text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
		if err := tx.InsertRecoveryCode(ctx, user, hashRecovery(out[i]), tx.Micros()); err != nil {
			return nil, fmt.Errorf("make recovery codes: %w", err)
		}
	}
	return out, nil
}
