package https

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock"
)

// lookEvery is how often files are checked for changes, at most: with the next handshake.
const lookEvery = time.Second

// files is a certificate and its key in two files. They are rarely replaced together: while they do not belong together, the last pair that did is served.
type files struct {
	certificateFile, keyFile string
	names                    []string
	clock                    clock.Clock

	mu     sync.Mutex
	looked time.Time
	seen   [2]stamp
	pair   *tls.Certificate
	err    error
}

// stamp identifies the contents of a file.
type stamp struct {
	changed time.Time
	size    int64
}

// read reads the files for the first time.
func (f *files) read() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f.err
}

func (f *files) certificate() (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) >= lookEvery {
		f.look()
	}
	return f.pair, nil
}

func (f *files) problem() string {
	if _, err := f.certificate(); err != nil {
		return err.Error()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return fmt.Sprintf("The panel's certificate was changed and can't be used, so the one before is served: %s.", f.err)
	}
	return judge(f.pair.Leaf, f.names, f.clock.Now())
}

// look reads the files if they have changed, or could not be used before.
func (f *files) look() {
	f.looked = time.Now()
	seen, err := f.stamps()
	if err == nil && f.err == nil && f.pair != nil && seen == f.seen {
		return
	}
	var pair *tls.Certificate
	if err == nil {
		pair, err = readPair(f.certificateFile, f.keyFile)
	}
	if f.err = err; err == nil {
		f.pair, f.seen = pair, seen
	}
}

func (f *files) stamps() (out [2]stamp, err error) {
	for i, file := range []struct{ setting, path string }{{"tls-certificate-file", f.certificateFile}, {"tls-key-file", f.keyFile}} {
		info, err := os.Stat(file.path)
		if err != nil {
			return out, fmt.Errorf("%s: %w", file.setting, err)
		}
		out[i] = stamp{info.ModTime(), info.Size()}
	}
	return out, nil
}

// readPair reads a certificate and its key. Errors name the setting of the file at fault.
func readPair(certificateFile, keyFile string) (*tls.Certificate, error) {
	chain, err := os.ReadFile(certificateFile)
	if err != nil {
		return nil, fmt.Errorf("tls-certificate-file: %w", err)
	}
	block, _ := pem.Decode(chain)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, fmt.Errorf("tls-certificate-file %s does not begin with a certificate in PEM", certificateFile)
	}
	if _, err := x509.ParseCertificate(block.Bytes); err != nil {
		return nil, fmt.Errorf("tls-certificate-file %s: %w", certificateFile, err)
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("tls-key-file: %w", err)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, fmt.Errorf("tls-key-file %s, with tls-certificate-file %s: %w", keyFile, certificateFile, err)
	}
	return &pair, nil
}
