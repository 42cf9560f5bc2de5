package agent

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agent/dotenv"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/bounded/boundedtest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Every reader of what others write holds for any amount of it. Logs have tests of their own (log_tail_test.go), and so have backup streams.
//
//nolint:paralleltest // memory is measured
func TestReadersHoldForAnything(t *testing.T) {
	boundedtest.Try(t,
		boundedtest.Reads{
			Name: "answers of an engine", Line: "table\t666f6f\n", Refuses: true, Most: 1 << 29,
			Read: func(in boundedtest.Input) error {
				if in.Repeat == "x" {
					in.Size++ // a line that is longer than an answer
				}
				_, err := readAnswer(in.Reader())
				return err
			},
		},
		boundedtest.Reads{
			Name: "names of files", Line: "./a\x00", Most: 1 << 27,
			Read: func(in boundedtest.Input) error {
				names, err := readNames(in.Reader())
				for _, name := range names {
					if name != "./a" {
						return errors.New("a name was cut: " + name)
					}
				}
				return err
			},
		},
		boundedtest.Reads{
			Name: "requests of a session", Line: "{}\n", Most: 1 << 29,
			Read: func(in boundedtest.Input) error {
				for r := bufio.NewReaderSize(in.Reader(), 64<<10); ; {
					if _, err := readFrame(r); errors.Is(err, io.EOF) || errors.Is(err, errFrame) {
						return nil
					} else if err != nil {
						return err
					}
				}
			},
		},
		boundedtest.Reads{
			Name: "an access log", Line: `1.2.3.4 - - [x] "GET / HTTP/1.1" 404 1` + "\n", Most: 1 << 27,
			Read: func(in boundedtest.Input) error {
				var n counted
				whole, err := n.count(in, 0, in.Size, 1<<40)
				if strings.HasSuffix(in.Repeat, "\n") && (whole != in.Size || n.lines[wire.SiteClientErrors] != uint64(in.Size)/uint64(len(in.Repeat))) {
					return errors.New("lines were not counted")
				}
				return err
			},
		},
		boundedtest.Reads{
			Name: "a program's output", Line: "x\n", Most: 1 << 29,
			Read: func(in boundedtest.Input) error {
				out := output.New(nil, nil, nil)
				_, err := io.Copy(out, in.Reader())
				out.Finish()
				return err
			},
		},
		boundedtest.Reads{
			Name: "a job's output", Line: "x\n", Most: 1 << 29,
			Read: func(in boundedtest.Input) error {
				out := &wire.Ends{Limit: maxJobOutput}
				_, err := io.Copy(out, in.Reader())
				if len(out.String()) > maxJobOutput+100 {
					return errors.New("too much is kept")
				}
				return err
			},
		},
		boundedtest.Reads{
			Name: "a .env file", Begin: "A=1\n", Line: "B=2\n", Most: 1 << 28,
			Read: func(in boundedtest.Input) error {
				raw, err := io.ReadAll(io.LimitReader(in.Reader(), maxDotenv+1)) // as head(1) does
				if err != nil {
					return err
				}
				vars, problems := readVariables(dotenv.Node, string(raw), nil)
				if in.Size > 0 && vars["A"] != "1" || (in.Size > maxDotenv) != (len(problems) > 0) {
					return errors.New("it is not said that the file was cut")
				}
				return nil
			},
		},
	)
}

// A setting behind a very long line is found: a scanner ends at one of 64 KiB without a word.
func TestSettingBehindALongLine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sudoers")
	if err := os.WriteFile(file, []byte("# "+strings.Repeat("x", 70<<10)+"\nshop ALL = ALL\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !named(file, "shop", func(line, account string) bool { return strings.HasPrefix(line, account+" ") }) {
		t.Error("the account's setting is not found")
	}
}
