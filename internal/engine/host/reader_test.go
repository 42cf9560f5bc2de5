package host

import (
	"bufio"
	"errors"
	"io"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/bounded/boundedtest"
)

// What a server sends is read whatever it is: a host may be compromised, or greet every login with a book.
//
//nolint:paralleltest // memory is measured
func TestServersSendAnything(t *testing.T) {
	boundedtest.Try(t,
		boundedtest.Reads{
			Name: "greetings", Line: "Welcome\n", Refuses: true, Most: 1 << 20,
			Read: func(in boundedtest.Input) error {
				_, err := skipNoise(bufio.NewReaderSize(in.Reader(), 16<<10))
				if errors.Is(err, io.EOF) { // there was no more
					return nil
				}
				return err
			},
		},
		boundedtest.Reads{
			Name: "frames", Line: `{"id":1}` + "\n", Most: 1 << 29,
			Read: func(in boundedtest.Input) error {
				var buf []byte
				for r := bufio.NewReaderSize(in.Reader(), 16<<10); ; {
					var err error
					if buf, err = readFrame(r, buf); errors.Is(err, io.EOF) || errors.Is(err, errFrameTooLong) {
						return nil
					} else if err != nil {
						return err
					}
				}
			},
		},
	)
}
