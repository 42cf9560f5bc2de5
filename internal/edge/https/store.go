package https

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mholt/acmez/v3/acme"
)

// store keeps the account and the certificate of one authority in a directory that only the panel's account can enter. They are files and not rows: the
// panel answers over HTTPS before its database is open, also when it can't be opened.
type store struct{ dir string }

// Files of a store. The certificate's file contains the chain and the key, so that it can't be of two minds.
const (
	accountFile     = "account.json"
	certificateFile = "certificate.pem"
	failureFile     = "failure.json"
)

// failure is why the last order failed.
type failure struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

type account struct {
	Location string `json:"location"`
	Key      string `json:"key"`
}

func newStore(dir string, authority *url.URL) store {
	return store{filepath.Join(dir, strings.NewReplacer("/", "_", ":", "_").Replace(authority.Host+strings.TrimSuffix(authority.Path, "/")))}
}

// read returns the certificate if there is one for all of the names, and why the last order failed.
func (s store) read(names []string) (*tls.Certificate, *failure, error) {
	var failed *failure
	if err := s.readJSON(failureFile, &failed); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(filepath.Join(s.dir, certificateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failed, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the panel's certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, failed, nil //nolint:nilerr // it is ordered again
	}
	for _, name := range names {
		if pair.Leaf.VerifyHostname(name) != nil {
			return nil, failed, nil //nolint:nilerr // the settings have changed, and it is ordered again
		}
	}
	return &pair, failed, nil
}

func (s store) writeCertificate(chain []byte, key *ecdsa.PrivateKey) (*tls.Certificate, error) {
	text, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	both := append(append([]byte{}, chain...), text...)
	pair, err := tls.X509KeyPair(both, both)
	if err != nil {
		return nil, fmt.Errorf("read what the authority issued: %w", err)
	}
	if err := s.write(certificateFile, both); err != nil {
		return nil, err
	}
	err = os.Remove(filepath.Join(s.dir, failureFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("forget the failure: %w", err)
	}
	return &pair, nil
}

// account returns the account, without a key if there is none.
func (s store) account() (acme.Account, error) {
	var a account
	if err := s.readJSON(accountFile, &a); err != nil || a.Location == "" {
		return acme.Account{}, err
	}
	block, _ := pem.Decode([]byte(a.Key))
	if block == nil {
		return acme.Account{}, fmt.Errorf("%s has no key", filepath.Join(s.dir, accountFile))
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return acme.Account{}, fmt.Errorf("read the key of the account: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return acme.Account{}, errors.New("the key of the account can't sign")
	}
	return acme.Account{Status: acme.StatusValid, Location: a.Location, PrivateKey: signer, TermsOfServiceAgreed: true}, nil
}

func (s store) writeAccount(location string, key *ecdsa.PrivateKey) error {
	text, err := encodeKey(key)
	if err != nil {
		return err
	}
	return s.writeJSON(accountFile, account{location, string(text)})
}

func (s store) forgetAccount() error {
	if err := os.Remove(filepath.Join(s.dir, accountFile)); err != nil {
		return fmt.Errorf("forget the account: %w", err)
	}
	return nil
}

func (s store) writeFailure(f *failure) error { return s.writeJSON(failureFile, f) }

func (s store) readJSON(name string, to any) error {
	raw, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		return fmt.Errorf("read %s of the panel's certificate: %w", name, err)
	}
	return nil
}

func (s store) writeJSON(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return s.write(name, raw)
}

// write replaces a file: after a power cut it has the old contents or the new ones.
func (s store) write(name string, content []byte) error {
	err := os.MkdirAll(s.dir, 0o700)
	if err != nil {
		return fmt.Errorf("write %s of the panel's certificate: %w", name, err)
	}
	f, err := os.CreateTemp(s.dir, "."+name+"-*") // with mode 0600
	if err == nil {
		_, err = f.Write(content)
		err = errors.Join(err, f.Sync(), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), filepath.Join(s.dir, name))
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}
	if err != nil {
		return fmt.Errorf("write %s of the panel's certificate: %w", name, err)
	}
	return nil
}

func number(raw []byte) *big.Int { return new(big.Int).SetBytes(raw) }
