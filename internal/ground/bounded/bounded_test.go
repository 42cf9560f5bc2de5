package bounded_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hostlerhq/hostler/internal/ground/bounded"
	"github.com/hostlerhq/hostler/internal/ground/bounded/boundedtest"
)

// What is longer than it may be is an error, and what is exactly as long is not.
func TestNothingIsCutWithoutAWord(t *testing.T) {
	t.Parallel()
	for size, long := range map[int]bool{0: false, 9: false, 10: false, 11: true, 5000: true} {
		for _, r := range []io.Reader{strings.NewReader(strings.Repeat("x", size)), iotest.OneByteReader(strings.NewReader(strings.Repeat("x", size)))} {
			raw, err := bounded.ReadAll(r, 10)
			if errors.Is(err, bounded.ErrLong) != long || !long && (err != nil || len(raw) != size) || long && raw != nil {
				t.Errorf("of %d bytes: %d, %v", size, len(raw), err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := bounded.ReadAll(iotest.ErrReader(broken), 10); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestAnswersThatAreTooLong(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), len(req.URL.Path)))
	}))
	defer server.Close()
	client := &http.Client{Transport: bounded.Transport(http.DefaultTransport, 5)}
	for path, long := range map[string]bool{"/1234": false, "/12345": true} {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if errors.Is(err, bounded.ErrLong) != long {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// The inputs of tests are what they say.
func TestInputs(t *testing.T) {
	t.Parallel()
	in := boundedtest.Input{Begin: "ab", Repeat: "cde\n", Size: 50_001}
	raw, err := io.ReadAll(in.Reader())
	if want := ("ab" + strings.Repeat("cde\n", 20_000))[:50_001]; err != nil || string(raw) != want {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	for _, in := range boundedtest.Inputs("", "x\n")[:2] {
		if n, err := io.Copy(io.Discard, in.Reader()); err != nil || n != in.Size {
			t.Errorf("%s has %d bytes, not %d: %v", in.Name, n, in.Size, err)
		}
	}
}

//nolint:paralleltest // memory is measured
func TestReadAllOfAnything(t *testing.T) {
	boundedtest.Try(t, boundedtest.Reads{
		Name: "an answer", Line: "x\n", Refuses: true, Most: 8 << 20,
		Read: func(in boundedtest.Input) error { _, err := bounded.ReadAll(in.Reader(), 1<<20); return err },
	})
}
