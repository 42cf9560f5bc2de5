package storage

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/hostlerhq/hostler/test/s3"
)

// Keys that lack a right which backups need are refused with it; the right to list and abort uploads is not one of them.
func TestRightsOfKeys(t *testing.T) {
	t.Parallel()
	denied := func(when func(req *http.Request) bool) *Bucket {
		l := s3.StartLiar(t)
		l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
			if when(req) {
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
				return true
			}
			return false
		}
		return openLiar(t, l)
	}
	for do, when := range map[string]func(req *http.Request) bool{
		"write": func(req *http.Request) bool { return req.Method == http.MethodPut },
		"read": func(req *http.Request) bool {
			return req.Method == http.MethodGet && req.URL.Query().Get("list-type") == ""
		},
		"list":   func(req *http.Request) bool { return req.URL.Query().Get("list-type") != "" },
		"delete": func(req *http.Request) bool { return req.Method == http.MethodDelete },
	} {
		if err := denied(when).Probe(t.Context(), "some/where"); err == nil || !strings.Contains(err.Error(), "these keys to "+do+" objects") {
			t.Errorf("%s: %v", do, err)
		}
	}
	b := denied(func(req *http.Request) bool { return req.URL.Query().Has("uploads") && req.Method == http.MethodGet })
	if err := b.Probe(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if err := b.AbortAll(t.Context(), "x/"); err != nil {
		t.Errorf("uploads can't be listed: %v", err)
	}
	b = denied(func(req *http.Request) bool {
		return req.Method == http.MethodDelete && req.URL.Query().Has("uploadId")
	})
	if _, err := b.Begin(t.Context(), "x/1"); err != nil {
		t.Fatal(err)
	}
	if err := b.AbortAll(t.Context(), "x/"); err != nil {
		t.Errorf("uploads can't be aborted: %v", err)
	}
}

// What a storage says is put in words that name what to change, and none of its own text is shown.
func TestExplained(t *testing.T) {
	t.Parallel()
	answer := func(status int, code, message, region string) error {
		return minio.ErrorResponse{StatusCode: status, Code: code, Message: message, Region: region}
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{answer(400, "AuthorizationHeaderMalformed", "the region 'us-east-1' is wrong", "eu-central-1"), "The bucket is in another region: enter eu-central-1."},
		{answer(301, "PermanentRedirect", "", "<script>"), "The bucket is in another region than the one that is entered."},
		{answer(403, "AccessDenied", "Access Denied because object protected by object lock.", ""), lockedReason},
		{answer(403, "AccessDenied", "Access Denied.", ""), "The storage does not allow this with these keys."},
		{answer(403, "QuotaExceeded", "", ""), "The storage is full, or what it allows is used up (QuotaExceeded)."},
		{answer(400, "InvalidArgument", "Credential access key has length 20, should be 32", ""), "The storage does not know this access key."},
		{answer(400, "InvalidArgument", "", ""), "The storage answered InvalidArgument."},
		{answer(503, "SlowDown", "", ""), "The storage is asked for too much at the moment."},
		{answer(501, "NotImplemented", "CreateMultipartUpload", ""),
			"The storage can't do this (NotImplemented): it has no CreateMultipartUpload, which backups need. Update it, or use another one for backups."},
		{answer(501, "NotImplemented", "A header <b>", ""),
			"The storage can't do this (NotImplemented): a call of the S3 API that backups need. Update it, or use another one for backups."},
		{answer(400, "InvalidRequest", "S3 API Requests must come to the API port.", ""),
			"This is the port of the storage's console. Its API has another, such as 9000."},
		{answer(0, "InternalError", "Last-Modified time format is invalid.", ""), notStorage},
		{&url.Error{Op: "Put", URL: "https://k:s@a", Err: errors.New("net/http: HTTP/1.x transport connection broken: malformed HTTP response \"SSH-2.0\"")},
			"The storage could not be reached. What answers there does not speak HTTP."},
		{fmt.Errorf("put: %w", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}),
			"The storage could not be reached. The certificate is not valid: x509: certificate signed by unknown authority."},
	} {
		if got := explain(tt.err).Error(); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

// The page of a proxy is no word of the storage behind it: it says nothing of keys, buckets or objects.
func TestPagesOfProxies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		page   string
		want   string
	}{
		{403, "<html>\r\n<head><title>403 Forbidden</title></head>", "A proxy or firewall in front of the storage refuses the request (403)"},
		{404, "<!DOCTYPE html><title>404</title>", notStorage},
		{413, "<html><head><title>413 Request Entity Too Large</title></head>", "client_max_body_size"},
		{502, "\n<!-- a padding --><!doctype HTML><title>Bad Gateway</title>", "check whether the storage itself runs"},
		{523, "<?xml version=\"1.0\"?><html xmlns=\"x\">", "check whether the storage itself runs"},
		{501, "", "it has no PutObject, which backups need"},
		{501, "<Error><Code>NotImplemented</Code><Message>A header you provided implies functionality</Message></Error>", "it has no PutObject"},
		{403, "<Error><Code>AccessDenied</Code></Error>", notAllowed},
	} {
		l := s3.StartLiar(t)
		l.Lie = func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPut {
				return false
			}
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.page)
			return true
		}
		err := openLiar(t, l).Put(t.Context(), "some/where", []byte("x"))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d %s: %v", tt.status, tt.page, err)
		}
	}
}
