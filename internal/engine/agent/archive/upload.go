package archive

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the protocol's checksum of a part; what protects the content is age's
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Part is a part that the storage has accepted.
type Part struct {
	Number int    `json:"number"`
	ETag   string `json:"etag"`
	Size   int64  `json:"size"`
}

// MinPart is the smallest part that storages accept before the last one (Amazon S3: 5 MiB), MaxPart the largest whose buffers fit
// into the agent's memory, and MaxParts the maximum number of parts of an object (Amazon S3).
const (
	MinPart  = 5 << 20
	MaxPart  = 16 << 20
	MaxParts = 10000
)

// Uploader cuts what is written to it into parts and sends each to its signed address. Memory is limited: one part is being
// filled, and one or two are in flight.
type Uploader struct {
	ctx     context.Context
	client  *http.Client
	urls    []string
	size    int
	buf     []byte
	buffers *Buffers
	free    chan struct{}
	wg      sync.WaitGroup
	next    int
	cancel  context.CancelCauseFunc

	mu    sync.Mutex
	parts []Part
}

// Buffers keeps buffers for the next upload: allocating them for each costs more than a small dump.
type Buffers struct {
	mu   sync.Mutex
	free [][]byte
}

// take returns an empty buffer with a capacity of size bytes.
func (b *Buffers) take(size int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, buf := range b.free {
		if cap(buf) >= size {
			b.free = slices.Delete(b.free, i, i+1)
			return buf[:0]
		}
	}
	b.free = nil // they are too small, and would only take memory
	return make([]byte, 0, size)
}

func (b *Buffers) put(buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, buf)
}

// flightBytes limits how much is in flight while the next part is filled.
const flightBytes = 16 << 20

// flights returns how many parts of a size are in flight while the next is filled.
func flights(size int) int { return min(max(flightBytes/size, 1), maxFlights) }

const maxFlights = 2

// ErrTooLarge is returned if there are fewer addresses than parts.
var ErrTooLarge = errors.New("the dump is larger than planned")

// NewUploader sends parts of the given size to urls.
func NewUploader(ctx context.Context, client *http.Client, urls []string, size int, buffers *Buffers) *Uploader {
	u := &Uploader{client: client, urls: urls, size: size, buffers: buffers, free: make(chan struct{}, flights(size))}
	u.ctx, u.cancel = context.WithCancelCause(ctx)
	return u
}

// Write fills parts. An error of a part in flight is returned by a later call.
func (u *Uploader) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if err := context.Cause(u.ctx); err != nil {
			return 0, err
		}
		if u.buf == nil {
			u.buf = u.buffers.take(u.size)
		}
		take := min(u.size-len(u.buf), len(p))
		u.buf = append(u.buf, p[:take]...)
		p = p[take:]
		if len(u.buf) == u.size {
			if err := u.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func (u *Uploader) flush() error {
	if u.next >= len(u.urls) {
		u.cancel(ErrTooLarge)
		return ErrTooLarge
	}
	select {
	case u.free <- struct{}{}:
	case <-u.ctx.Done():
		return context.Cause(u.ctx)
	}
	full, number := u.buf, u.next+1
	u.buf, u.next = nil, number
	u.wg.Go(func() {
		part, err := u.send(number, full)
		if err != nil {
			u.cancel(fmt.Errorf("send part %d: %w", number, err))
		} else {
			u.mu.Lock()
			u.parts = append(u.parts, part)
			u.mu.Unlock()
		}
		if full != nil {
			u.buffers.put(full)
		}
		<-u.free
	})
	return nil
}

// Close sends the last part and waits for all.
func (u *Uploader) Close() ([]Part, error) {
	var err error
	if len(u.buf) > 0 || u.next == 0 {
		err = u.flush()
	}
	u.wg.Wait()
	if cause := context.Cause(u.ctx); cause != nil {
		err = cause
	}
	u.done(nil)
	return u.parts, err
}

// done releases the resources of an upload that has ended.
func (u *Uploader) done(err error) {
	u.cancel(err)
	u.wg.Wait()
	if u.buf != nil {
		u.buffers.put(u.buf)
		u.buf = nil
	}
}

// Drop aborts the parts in flight.
func (u *Uploader) Drop(err error) { u.done(err) }

const (
	sendTries = 5
	sendFirst = 500 * time.Millisecond
)

// send uploads one part, with retries if the storage can't be reached for a while.
func (u *Uploader) send(number int, content []byte) (Part, error) {
	sum := md5.Sum(content) //nolint:gosec // see the import
	pause := sendFirst
	for try := 1; ; try++ {
		etag, again, err := u.put(u.urls[number-1], content, base64.StdEncoding.EncodeToString(sum[:]))
		if err == nil {
			return Part{Number: number, ETag: etag, Size: int64(len(content))}, nil
		}
		if !again || try == sendTries {
			return Part{}, err
		}
		select {
		case <-time.After(pause):
		case <-u.ctx.Done():
			return Part{}, context.Cause(u.ctx)
		}
		pause *= 3
	}
}

func (u *Uploader) put(to string, content []byte, sum string) (etag string, again bool, err error) {
	// A transport may read a body for a while after it gave up on it; only then can its buffer be reused.
	var reading sync.WaitGroup
	defer reading.Wait()
	body := func() (io.ReadCloser, error) {
		reading.Add(1)
		return &sending{Reader: bytes.NewReader(content), done: sync.OnceFunc(reading.Done)}, nil
	}
	req, err := http.NewRequestWithContext(u.ctx, http.MethodPut, to, nil)
	if err != nil {
		return "", false, errors.New("the storage's address is not valid")
	}
	req.ContentLength = int64(len(content))
	if len(content) > 0 {
		req.Body, _ = body()
		req.GetBody = body
	}
	req.Header.Set("Content-MD5", sum)
	res, err := u.client.Do(req)
	if err != nil {
		return "", true, Hidden(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	if res.StatusCode/100 != 2 {
		return "", res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests ||
			res.StatusCode == http.StatusRequestTimeout, answered(res.StatusCode, answer)
	}
	etag = strings.Trim(res.Header.Get("ETag"), `"`)
	if etag == "" || len(etag) > maxETag || strings.ContainsFunc(etag, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", false, errors.New("the storage did not confirm a part")
	}
	return etag, false, nil
}

// maxETag is the longest checksum of a part that is taken. It is the storage's text, and the report of a run has one for each part.
const maxETag = 256

// sending is the body of a request, which reports when it is no longer read.
type sending struct {
	*bytes.Reader
	done func()
}

// Close ends the reading.
func (s *sending) Close() error {
	s.done()
	return nil
}

// answered returns a refusal as an error: its status and the code in its body, nothing else; for the page of a proxy what it is about.
func answered(status int, body []byte) error {
	if words := PageInWords(status); words != "" && IsPage(body) {
		return errors.New(strings.TrimSuffix(words, "."))
	}
	code := ""
	if _, rest, ok := strings.Cut(string(body), "<Code>"); ok {
		code, _, _ = strings.Cut(rest, "</Code>")
	}
	if code == "" || len(code) > 60 || strings.ContainsFunc(code, func(r rune) bool { return r < '0' || r > 'z' }) {
		return fmt.Errorf("the storage answered %d", status)
	}
	return fmt.Errorf("the storage answered %d %s", status, code)
}

// Hidden returns an error of a request without its address, which is signed and so as good as a key.
func Hidden(err error) error {
	var with *url.Error
	if errors.As(err, &with) {
		return fmt.Errorf("the storage could not be reached: %w", with.Err)
	}
	return err
}

// NewClient returns a client for storages: no proxy, no redirect, no compression.
func NewClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: 15 * time.Second}).DialContext, TLSHandshakeTimeout: 15 * time.Second,
			ResponseHeaderTimeout: 2 * time.Minute, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: maxFlights,
			DisableCompression: true, WriteBufferSize: 32 << 10, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Open reads an object. A broken connection is resumed at its offset.
func Open(ctx context.Context, client *http.Client, from string) io.ReadCloser {
	return &download{ctx: ctx, client: client, from: from, stall: stallAfter}
}

// stallAfter is how long a storage may send nothing in the middle of an object before the connection counts as broken.
const stallAfter = 2 * time.Minute

var errStalled = errors.New("the storage stopped sending")

type download struct {
	ctx    context.Context
	client *http.Client
	from   string
	stall  time.Duration
	body   io.ReadCloser
	cancel context.CancelCauseFunc // of the request that body is the answer to
	cause  context.Context
	at     int64
	tries  int
}

func (d *download) Read(p []byte) (int, error) {
	for {
		if d.body == nil {
			if err := d.open(); err != nil {
				return 0, err
			}
		}
		n, err := d.some(p)
		d.at += int64(n)
		if n > 0 {
			d.tries = 0
		}
		if err == nil || errors.Is(err, io.EOF) || n > 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				d.drop()
				err = nil
			}
			return n, err
		}
		d.drop()
		if d.tries++; d.tries >= sendTries || d.ctx.Err() != nil {
			return 0, Hidden(err)
		}
	}
}

// some reads what has arrived, or fails after a while without anything.
func (d *download) some(p []byte) (int, error) {
	timer := time.AfterFunc(d.stall, func() { d.cancel(errStalled) })
	defer timer.Stop()
	n, err := d.body.Read(p)
	if err != nil && errors.Is(context.Cause(d.cause), errStalled) {
		err = errStalled
	}
	return n, err
}

func (d *download) drop() {
	d.cancel(nil)
	_ = d.body.Close()
	d.body = nil
}

func (d *download) open() error {
	pause := sendFirst
	for try := 1; ; try++ {
		again, err := d.get()
		if err == nil || !again || try == sendTries {
			return err
		}
		select {
		case <-time.After(pause):
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		}
		pause *= 3
	}
}

// ErrGone is returned for an object that no longer exists.
var ErrGone = errors.New("the object is no longer in the storage")

func (d *download) get() (again bool, err error) {
	ctx, cancel := context.WithCancelCause(d.ctx)
	defer func() {
		if d.body == nil {
			cancel(nil)
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.from, nil)
	if err != nil {
		return false, errors.New("the storage's address is not valid")
	}
	want := http.StatusOK
	if d.at > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.at))
		want = http.StatusPartialContent
	}
	res, err := d.client.Do(req)
	if err != nil {
		return true, Hidden(err)
	}
	if res.StatusCode == want {
		d.body, d.cancel, d.cause = res.Body, cancel, ctx
		return false, nil
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusNotFound {
		return false, ErrGone
	}
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	return res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests, answered(res.StatusCode, answer)
}

// Close ends the reading.
func (d *download) Close() error {
	if d.body != nil {
		d.drop()
	}
	return nil
}
