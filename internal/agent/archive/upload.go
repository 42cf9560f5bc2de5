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
	"strings"
	"sync"
	"time"
)

// Part is a part that the storage has taken.
type Part struct {
	Number int    `json:"number"`
	ETag   string `json:"etag"`
	Size   int64  `json:"size"`
}

// Uploader cuts what is written to it into parts and sends each to its signed address. Memory is bounded: one part is being filled, and
// flights are on their way.
type Uploader struct {
	ctx    context.Context
	client *http.Client
	urls   []string
	buf    []byte
	free   chan []byte
	wg     sync.WaitGroup
	next   int
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	parts []Part
}

// flights is how many parts are on their way while the next is filled.
const flights = 2

// ErrTooLarge is returned when there are fewer addresses than parts.
var ErrTooLarge = errors.New("the dump is larger than was planned for")

// NewUploader sends parts of this size to these addresses.
func NewUploader(ctx context.Context, client *http.Client, urls []string, partSize int) *Uploader {
	u := &Uploader{client: client, urls: urls, buf: make([]byte, 0, partSize), free: make(chan []byte, flights)}
	u.ctx, u.cancel = context.WithCancelCause(ctx)
	for range flights {
		u.free <- nil
	}
	return u
}

// Write fills parts. An error of one that is on its way comes with a later call.
func (u *Uploader) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if err := context.Cause(u.ctx); err != nil {
			return 0, err
		}
		room := cap(u.buf) - len(u.buf)
		take := min(room, len(p))
		u.buf = append(u.buf, p[:take]...)
		p = p[take:]
		if len(u.buf) == cap(u.buf) {
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
	var empty []byte
	select {
	case empty = <-u.free:
	case <-u.ctx.Done():
		return context.Cause(u.ctx)
	}
	if empty == nil {
		empty = make([]byte, 0, cap(u.buf))
	}
	full, number := u.buf, u.next+1
	u.buf, u.next = empty[:0], number
	u.wg.Go(func() {
		part, err := u.send(number, full)
		if err != nil {
			u.cancel(fmt.Errorf("send part %d: %w", number, err))
		} else {
			u.mu.Lock()
			u.parts = append(u.parts, part)
			u.mu.Unlock()
		}
		u.free <- full
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
	u.cancel(nil)
	return u.parts, err
}

// Drop ends what is on its way.
func (u *Uploader) Drop(err error) {
	u.cancel(err)
	u.wg.Wait()
}

const (
	sendTries = 5
	sendFirst = 500 * time.Millisecond
)

// send puts one part, again if the storage can't be reached for a while.
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
	req, err := http.NewRequestWithContext(u.ctx, http.MethodPut, to, bytes.NewReader(content))
	if err != nil {
		return "", false, errors.New("the storage's address is not valid")
	}
	req.Header.Set("Content-MD5", sum)
	res, err := u.client.Do(req)
	if err != nil {
		return "", true, Hidden(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	if res.StatusCode/100 != 2 {
		return "", res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout, answered(res.StatusCode, answer)
	}
	if etag = strings.Trim(res.Header.Get("ETag"), `"`); etag == "" {
		return "", false, errors.New("the storage did not confirm a part")
	}
	return etag, false, nil
}

// answered is a refusal in words: its status and the code in its body, nothing else of it.
func answered(status int, body []byte) error {
	code := ""
	if _, rest, ok := strings.Cut(string(body), "<Code>"); ok {
		code, _, _ = strings.Cut(rest, "</Code>")
	}
	if code == "" || len(code) > 60 || strings.ContainsFunc(code, func(r rune) bool { return r < '0' || r > 'z' }) {
		return fmt.Errorf("the storage answered %d", status)
	}
	return fmt.Errorf("the storage answered %d %s", status, code)
}

// Hidden is an error of a request without its address, which is signed and so as good as a key.
func Hidden(err error) error {
	var with *url.Error
	if errors.As(err, &with) {
		return fmt.Errorf("the storage could not be reached: %w", with.Err)
	}
	return err
}

// NewClient speaks to storages: no proxy, no redirect, no compression.
func NewClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 15 * time.Second}).DialContext, TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: 2 * time.Minute,
			IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: flights, DisableCompression: true, WriteBufferSize: 32 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Open reads an object. A connection that breaks in the middle is made again from where it was.
func Open(ctx context.Context, client *http.Client, from string) io.ReadCloser {
	return &download{ctx: ctx, client: client, from: from}
}

type download struct {
	ctx    context.Context
	client *http.Client
	from   string
	body   io.ReadCloser
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
		n, err := d.body.Read(p)
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

func (d *download) drop() {
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

// ErrGone is returned for an object that is not there any more.
var ErrGone = errors.New("the object is not in the storage any more")

func (d *download) get() (again bool, err error) {
	req, err := http.NewRequestWithContext(d.ctx, http.MethodGet, d.from, nil)
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
		d.body = res.Body
		return false, nil
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusNotFound {
		return false, ErrGone
	}
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	return res.StatusCode >= 500, answered(res.StatusCode, answer)
}

// Close ends the reading.
func (d *download) Close() error {
	if d.body != nil {
		d.drop()
	}
	return nil
}
