package storage

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/minio/minio-go/v7"
)

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
		{answer(503, "SlowDown", "", ""), "The storage is asked for too much at the moment."},
		{answer(403, "Forbidden", "<!DOCTYPE html><title>nginx</title>", ""), notStorage},
		{answer(400, "InvalidRequest", "S3 API Requests must come to the API port.", ""), "This is the port of the storage's console. Its API has another, such as 9000."},
		{answer(0, "InternalError", "Last-Modified time format is invalid.", ""), notStorage},
		{&url.Error{Op: "Put", URL: "https://k:s@a", Err: errors.New("net/http: HTTP/1.x transport connection broken: malformed HTTP response \"SSH-2.0\"")},
			"The storage could not be reached. What answers there does not speak HTTP."},
		{fmt.Errorf("put: %w", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), "The storage could not be reached. The certificate is not valid: x509: certificate signed by unknown authority."},
	} {
		if got := explain(tt.err).Error(); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}
