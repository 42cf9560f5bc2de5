package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// remote is a bucket of S3, or of what speaks like it.
type remote struct {
	name string
	core *minio.Core
	// within is how long a short call may take, with its repetitions; longer ones may take longTimes as long.
	within time.Duration
}

// answerWithin is how long a storage may take for a call that an honest one answers within a second. Listing and completing an upload take longer: Amazon
// S3 documents minutes.
const (
	answerWithin = 2 * time.Minute
	longTimes    = 5
)

func (b *remote) short(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, b.within)
}

func (b *remote) long(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, longTimes*b.within)
}

const lockedReason = "The storage keeps its objects from being deleted or replaced: the bucket has a lock or a time for which it holds them."

const notAllowed = "The storage does not allow this with these keys."

// notStorage is also said of the page that a proxy or a firewall shows in its place.
const notStorage = "What answers there is not the API of a storage."

const lateReason = "The storage did not answer in time."

// tries is how often the library retries; a failed job is retried later anyway.
const tries = 3

func newRemote(row query.StorageProvider, k Keys, name string, guard outbound.Guard) (*remote, error) {
	if row.AssumeRole { // of a provider from before roles were refused
		return nil, &Problem{Reason: roleRefused, Lasting: true}
	}
	u, err := Endpoint(row)
	if err != nil {
		return nil, err
	}
	lookup, region := minio.BucketLookupDNS, "us-east-1"
	if row.Provider == Custom || row.Endpoint != nil || strings.Contains(name, ".") { // a name with dots matches no certificate
		lookup = minio.BucketLookupPath
	}
	if row.Region != nil && *row.Region != "" {
		region = *row.Region
	}
	transport := bounded{guard.Transport()}
	opened := credentials.NewStaticV4(k.AccessKey, k.SecretKey, "")
	core, err := minio.NewCore(u.Host, &minio.Options{
		Creds: opened, Secure: u.Scheme == "https", Transport: transport, Region: region,
		BucketLookup: lookup, MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("open storage provider %d: %w", row.ID, err)
	}
	core.SetAppInfo("hostler", "1")
	return &remote{name: name, core: core, within: answerWithin}, nil
}

// maxAnswer is the longest list or error that is read of an endpoint, which belongs to a tenant: the library decodes each as a whole. A page of
// 1000 objects with the longest keys has about a quarter of it.
const maxAnswer = 4 << 20

// bounded is a transport that cuts answers off, except for objects, which are read in pieces.
type bounded struct{ http.RoundTripper }

// anObject marks the context of a request for an object's content.
type anObject struct{}

func (t bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	if p, ok := req.Context().Value(aListing{}).(*pages); ok {
		if err := p.next(req.URL.RawQuery); err != nil {
			return nil, err
		}
	}
	resp, err := t.RoundTripper.RoundTrip(req)
	if err == nil && resp.StatusCode/100 == 3 {
		// No redirect is followed, and net/http must not see one: it closes a body that the transport still sends, which the library's reader is not made for.
		resp.StatusCode = http.StatusBadRequest
	}
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		asError(req, resp)
	}
	if err == nil && (req.Context().Value(anObject{}) == nil || resp.StatusCode/100 != 2) {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}

// content opens an object. Its size is -1 if the storage does not say it.
func (b *remote) content(ctx context.Context, key string, opts minio.GetObjectOptions) (io.ReadCloser, int64, error) {
	r, info, _, err := b.core.GetObject(context.WithValue(ctx, anObject{}, true), b.name, key, opts)
	return r, info.Size, explain(err)
}

// ErrNoObject is returned for an object that is not there.
var ErrNoObject = errors.New("the object is not in the bucket")

// Problem is a failure at the storage, for the user: it quotes only the error code of the other side.
type Problem struct {
	Reason string
	Err    error
	// Lasting is set where trying again will not help: wrong keys, no such bucket.
	Lasting bool
}

func (p *Problem) Error() string { return p.Reason }

// Unwrap gives the cause, for the log.
func (p *Problem) Unwrap() error { return p.Err }

// explain turns an error of the library into a Problem.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var answered minio.ErrorResponse
	var unknown *net.DNSError
	var known *Problem
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, outbound.ErrForbidden):
		return &Problem{Reason: "The storage's address is private, and connections to private addresses are not allowed here.", Err: err, Lasting: true}
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return &Problem{Reason: "The storage's host name does not exist.", Err: err}
	case errors.As(err, &answered) && (answered.Code == minio.NoSuchKey || answered.Code == "NotFound"):
		return fmt.Errorf("%w: %w", ErrNoObject, err)
	case errors.As(err, &answered) && answered.StatusCode != 0:
		return &Problem{
			Reason: inWords(answered), Err: err,
			Lasting: answered.StatusCode/100 == 4 && answered.StatusCode != http.StatusTooManyRequests && answered.StatusCode != http.StatusRequestTimeout,
		}
	case errors.Is(err, context.DeadlineExceeded):
		return &Problem{Reason: lateReason, Err: err}
	case errors.As(err, &answered): // an answer that is no error, and lacks what each answer of a storage has
		return &Problem{Reason: notStorage, Err: err, Lasting: true}
	default:
		return unreached(err)
	}
}

// unreached is a failure before the storage answered.
func unreached(err error) error {
	return &Problem{Reason: "The storage could not be reached. " + outbound.Explain(err), Err: err}
}

// consolePort matches what MinIO answers at the port of its console.
var consolePort = regexp.MustCompile(`S3 API Requests must`)

// whereRegion matches the name of a region, as a storage says where a bucket is.
var whereRegion = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,39}$`)

// locked matches what storages say of objects that a lock protects.
var locked = regexp.MustCompile(`(?i)object.?lock|legal.?hold|retention|worm|immutab|compliance`)

// inWords says why a storage refused a call. Its own words are not shown: what answers there may be anything that the panel can reach.
func inWords(e minio.ErrorResponse) string {
	if e.Code == pageCode {
		return pageInWords(e.StatusCode)
	}
	if consolePort.MatchString(e.Message) {
		return "This is the port of the storage's console. Its API has another, such as 9000."
	}
	switch e.Code {
	case "InvalidArgument": // R2, of keys that are another service's
		if strings.Contains(e.Message, "access key") {
			return "The storage does not know this access key."
		}
	case "InvalidAccessKeyId", "XAdminUserNotFound": // the latter is what versitygw says
		return "The storage does not know this access key."
	case "SignatureDoesNotMatch":
		return "The storage rejects this secret key."
	case minio.AccessDenied, "MethodNotAllowed":
		if locked.MatchString(e.Message) {
			return lockedReason
		}
		return notAllowed
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException", minio.InvalidRegion:
		if whereRegion.MatchString(e.Region) {
			return "The bucket is in another region: enter " + e.Region + "."
		}
		return "The bucket is in another region than the one that is entered."
	case "ObjectLocked", "InvalidObjectState":
		return lockedReason
	case "SlowDown", "TooManyRequests":
		return "The storage is asked for too much at the moment."
	case "QuotaExceeded", "XMinioStorageFull", "TransactionCapExceeded", "InsufficientStorage", "507 Insufficient Storage":
		return "The storage is full, or what it allows is used up (" + e.Code + ")."
	case "InvalidBucketName":
		return "The storage takes no bucket of this name."
	case "ExpiredToken", "InvalidTokenId":
		return "These keys are temporary ones, and no longer valid."
	case minio.NoSuchBucket:
		return "The storage has no bucket of this name."
	case "RequestTimeTooSkewed":
		return "The clocks of Hostler and of the storage differ by too much."
	case minio.NotImplemented:
		return "The storage can't do this (NotImplemented): " + callInWords(e.Message) + ". Update it, or use another one for backups."
	case minio.NoSuchUpload:
		return "The storage no longer has this upload."
	}
	code := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, e.Code)
	if code == "" || len(code) > 60 {
		code = strconv.Itoa(e.StatusCode)
	}
	return "The storage answered " + code + "."
}

// ProbeKeys checks whether the storage accepts the keys, if no bucket is named yet. Keys without the right to list buckets are fine.
func (b *remote) ProbeKeys(ctx context.Context) error {
	_, err := b.core.ListBuckets(ctx)
	var answered minio.ErrorResponse
	if errors.As(err, &answered) && answered.Code == minio.AccessDenied {
		return nil
	}
	return explain(err)
}

// Put writes a small object.
func (b *remote) Put(ctx context.Context, key string, content []byte) error {
	ctx, cancel := b.short(ctx)
	defer cancel()
	_, err := b.core.PutObject(ctx, b.name, key, bytes.NewReader(content), int64(len(content)), "", "",
		minio.PutObjectOptions{ContentType: "application/octet-stream", SendContentMd5: true, DisableContentSha256: false})
	return explain(err)
}

// Get reads the first bytes of an object, at most so many.
func (b *remote) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	ctx, cancel := b.short(ctx)
	defer cancel()
	opts := minio.GetObjectOptions{}
	if err := opts.SetRange(0, limit-1); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	r, _, err := b.content(ctx, key, opts)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	raw, err := io.ReadAll(io.LimitReader(r, limit))
	return raw, explain(err)
}

// Store writes an object of any size, in parts if it is large.
func (b *remote) Store(ctx context.Context, key string, content io.Reader, size int64) error {
	_, err := b.core.Client.PutObject(ctx, b.name, key, content, size, minio.PutObjectOptions{ContentType: "application/octet-stream", SendContentMd5: true})
	return explain(err)
}

// Fetch copies an object.
func (b *remote) Fetch(ctx context.Context, key string, to io.Writer) error {
	r, size, err := b.content(ctx, key, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	if size < 0 {
		return &Problem{Reason: "The storage does not say how large the object is.", Lasting: true}
	}
	_, err = io.Copy(to, r)
	return explain(err)
}

// Stat returns an object's size; ErrNoObject if it does not exist.
func (b *remote) Stat(ctx context.Context, key string) (Object, error) {
	ctx, cancel := b.short(ctx)
	defer cancel()
	info, err := b.core.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	if err != nil {
		return Object{}, explain(err)
	}
	return Object{Key: key, Size: info.Size}, nil
}

// Remove deletes an object; one that is not there is no error.
func (b *remote) Remove(ctx context.Context, key string) error {
	ctx, cancel := b.short(ctx)
	defer cancel()
	err := explain(b.core.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{}))
	if errors.Is(err, ErrNoObject) {
		return nil
	}
	return err
}

// Begin opens an upload in parts.
func (b *remote) Begin(ctx context.Context, key string) (upload string, err error) {
	ctx, cancel := b.short(ctx)
	defer cancel()
	upload, err = b.core.NewMultipartUpload(ctx, b.name, key, minio.PutObjectOptions{ContentType: "application/octet-stream"})
	if err == nil && !isUpload(upload) {
		return "", &Problem{Reason: "The storage did not begin an upload.", Lasting: true}
	}
	return upload, explain(err)
}

// Complete makes an object of the parts. One that was completed before is found by its size instead.
func (b *remote) Complete(ctx context.Context, key, upload string, parts []Part) error {
	ctx, cancel := b.long(ctx)
	defer cancel()
	list := make([]minio.CompletePart, len(parts))
	for i, p := range parts {
		list[i] = minio.CompletePart{PartNumber: p.Number, ETag: p.ETag}
	}
	_, err := b.core.CompleteMultipartUpload(ctx, b.name, key, upload, list, minio.PutObjectOptions{})
	return explain(err)
}

// abort drops an unfinished upload; one that is gone is no error.
func (b *remote) abort(ctx context.Context, key, upload string) error {
	ctx, cancel := b.short(ctx)
	defer cancel()
	err := b.core.AbortMultipartUpload(ctx, b.name, key, upload)
	var answered minio.ErrorResponse
	if errors.As(err, &answered) && (answered.Code == minio.NoSuchUpload || answered.Code == minio.NoSuchKey) {
		return nil
	}
	return explain(err)
}

// maxSigned is how long a signed address may work (Signature Version 4).
const maxSigned = 7 * 24 * time.Hour

// SignPart returns the address that takes one part of an upload, for a while.
func (b *remote) SignPart(ctx context.Context, key, upload string, p Part, valid time.Duration) (string, error) {
	return b.sign(ctx, http.MethodPut, key, valid, url.Values{"partNumber": {strconv.Itoa(p.Number)}, "uploadId": {upload}})
}

// SignGet returns the address that gives an object, for a while. name is what a browser saves it as.
func (b *remote) SignGet(ctx context.Context, key string, valid time.Duration, name string) (string, error) {
	values := url.Values{}
	if name != "" {
		values.Set("response-content-disposition", `attachment; filename="`+strings.NewReplacer(`"`, "", `\`, "").Replace(name)+`"`)
	}
	return b.sign(ctx, http.MethodGet, key, valid, values)
}

func (b *remote) sign(ctx context.Context, method, key string, valid time.Duration, values url.Values) (string, error) {
	u, err := b.core.Presign(ctx, method, b.name, key, min(valid, maxSigned), values)
	if err != nil {
		return "", explain(err)
	}
	return u.String(), nil
}
