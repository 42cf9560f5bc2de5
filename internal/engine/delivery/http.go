package delivery

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// How much is kept of receivers' answers.
const (
	maxResponse = 2 << 10
	maxFailure  = 500
)

// secretPrefix marks a signing secret; it is followed by the base64 of the key (standardwebhooks.com, the specification's section "Symmetric").
const secretPrefix = "whsec_"

// NewSecret generates a signing secret.
func NewSecret() secret.String {
	return SecretOf([]byte(secret.Random(24)))
}

// SecretOf returns a key as a signing secret.
func SecretOf(key []byte) secret.String {
	return secret.String(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// MAC returns what signs the body that is written to it: HMAC-SHA256 over the id of a message, the time of the attempt in seconds and the
// body, separated by dots.
func MAC(key []byte, id, timestamp string) hash.Hash {
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, id+"."+timestamp+".")
	return mac
}

// Signature returns the signature that a MAC has made, as it stands in the header.
func Signature(mac hash.Hash) string { return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)) }

// The headers of a signed message.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// Sign returns the signature of a message. The time lets receivers refuse replays.
func Sign(key secret.String, id string, at time.Time, body []byte) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key.Reveal(), secretPrefix))
	if err != nil {
		return "", fmt.Errorf("read signing secret: %w", err)
	}
	mac := MAC(raw, id, strconv.FormatInt(at.Unix(), 10))
	mac.Write(body)
	return Signature(mac), nil
}

// Signed returns the headers of a message.
func Signed(key secret.String, id string, at time.Time, body []byte) (http.Header, error) {
	signature, err := Sign(key, id, at, body)
	if err != nil {
		return nil, err
	}
	return http.Header{HeaderID: {id}, HeaderTimestamp: {strconv.FormatInt(at.Unix(), 10)}, HeaderSignature: {signature}}, nil
}

// UserAgent is what receivers see in their logs.
const UserAgent = "Hostler"

// Post sends a body. Any 2xx is a success; 410 ends the delivery.
func Post(ctx context.Context, client *http.Client, url string, header http.Header, body []byte) Outcome {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return Outcome{Failure: "The URL is not valid.", Lasting: true}
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", UserAgent)
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return Outcome{Failure: outbound.Explain(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	excerpt, _ := io.ReadAll(io.LimitReader(plain(resp), maxResponse)) // what was read before it broke off
	return OfAnswer(resp, excerpt)
}

// plain returns the body of an answer, which some servers compress without being asked.
func plain(resp *http.Response) io.Reader {
	if !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return resp.Body
	}
	unpacked, err := gzip.NewReader(resp.Body)
	if err != nil {
		return strings.NewReader("")
	}
	return unpacked
}

// OfAnswer returns the outcome of an HTTP answer.
func OfAnswer(resp *http.Response, body []byte) Outcome {
	out := Outcome{Status: resp.StatusCode, Response: string(body)}
	switch {
	case resp.StatusCode/100 == 2:
	case resp.StatusCode/100 == 3:
		out.Failure = "It answered with a redirect" + target(resp) + ", and those are not followed."
	case resp.StatusCode == http.StatusGone:
		out.Failure, out.Lasting = "It answered 410: it wants no more messages.", true
	default:
		out.Failure = fmt.Sprintf("It answered %d.", resp.StatusCode)
		out.After = retryAfter(resp.Header)
	}
	return out
}

// target names the host that a redirect leads to, which is what differs where http becomes https or www is added. The rest may be the secret of the address.
func target(resp *http.Response) string {
	at, err := resp.Location()
	if err != nil || at.Host == "" {
		return ""
	}
	return " to " + at.Scheme + "://" + at.Host
}

// retryAfter returns how long an answer asks to wait: seconds, or a time, which is compared with the answer's own (RFC 9110,
// section 10.2.3). Discord sends fractions of seconds.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	var after time.Duration
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		after = time.Duration(min(math.Ceil(seconds), mostAfter.Seconds())) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			after = at.Sub(sent)
		}
	}
	return max(0, min(after, mostAfter))
}
