package agent

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/program"
)

// A mail server keeps queued mail as its own account. Both note who submitted it on this machine: Postfix in the first Received header, which it writes
// itself, and Exim in the second line of the file of headers (the chapter on spool files of its specification). Mail that an account sent over SMTP, even to
// this machine, has no such note.
const (
	postfixSpool = "/var/spool/postfix/"
	eximSpool    = "/var/spool/exim4/input"
	// queueHead is as much of a queued mail as has its sender and its first header.
	queueHead = 64 << 10
)

// postfixQueues are the queues of Postfix after maildrop, where files belong to who submitted them (queue_directory of postconf(5)).
var postfixQueues = []string{"incoming", "active", "deferred", "hold"} //nolint:gochecknoglobals // a constant list

// queued are the ids of an account's mail in the queues of a mail server, and the program that removes them: as arguments, or as lines of its input.
type queued struct {
	ids    []string
	argv   []string
	inArgv bool
}

// queuedOf returns the mail that an account submitted and that waits to be sent.
func (a *Agent) queuedOf(uid int) ([]queued, error) {
	postfix := queued{argv: []string{"postsuper", "-d", "-"}}
	var errs []error
	for _, q := range postfixQueues {
		errs = append(errs, a.eachQueued(postfixSpool+q, func(name string, head *os.File) {
			if postfixID.MatchString(name) && submittedToPostfix(head) == uid {
				postfix.ids = append(postfix.ids, name)
			}
		}))
	}
	exim := queued{argv: []string{"exim4", "-Mrm"}, inArgv: true}
	errs = append(errs, a.eachQueued(eximSpool, func(name string, head *os.File) {
		if id, ok := strings.CutSuffix(name, "-H"); ok && eximID.MatchString(id) && submittedToExim(head) == uid {
			exim.ids = append(exim.ids, id)
		}
	}))
	return []queued{postfix, exim}, errors.Join(errs...)
}

// Ids of mail, old and new (enable_long_queue_ids of postconf(5)).
var (
	postfixID = regexp.MustCompile(`^[0-9A-Za-z]{6,40}$`)
	eximID    = regexp.MustCompile(`^[0-9A-Za-z]{6}-[0-9A-Za-z]{6,11}-[0-9A-Za-z]{2,4}$`)
)

// eachQueued calls fn with each file of a queue, which may be spread over directories. A file that disappears was sent.
func (a *Agent) eachQueued(dir string, fn func(name string, head *os.File)) error {
	root, err := os.OpenRoot(a.host(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the queue %s: %w", dir, err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Type().IsRegular() {
			return nil
		}
		if err != nil {
			return err
		}
		f, err := root.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		fn(filepath.Base(path), f)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the queue %s: %w", dir, err)
	}
	return nil
}

// fromUser is the header that Postfix's pickup writes. Mail that came over SMTP has "from" first.
var fromUser = regexp.MustCompile(`^Received: by \S+ \([^()]*, from userid ([0-9]+)\)`)

// submittedToPostfix returns who submitted a mail, -1 for one that did not come from an account. A file is a list of records: a letter, a length in groups of
// seven bits, and the text (record(3) and rec_type.h of Postfix). A p points to where the list goes on: a filter moves headers so.
func submittedToPostfix(f *os.File) int {
	r := bufio.NewReader(io.LimitReader(f, queueHead))
	content := false
	for jumps := 0; ; {
		kind, text, err := record(r)
		switch {
		case err != nil:
			return -1
		case kind == 'M':
			content = true
		case kind == 'p' && content:
			at, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			if jumps++; err != nil || jumps > 10 {
				return -1
			}
			if at == 0 { // not used
				continue
			}
			if _, err := f.Seek(at, io.SeekStart); err != nil {
				return -1
			}
			r.Reset(io.LimitReader(f, queueHead))
		case (kind == 'N' || kind == 'L') && content:
			m := fromUser.FindStringSubmatch(text)
			if m == nil {
				return -1
			}
			uid, err := strconv.Atoi(m[1])
			if err != nil {
				return -1
			}
			return uid
		}
	}
}

// record reads a record of Postfix.
func record(r *bufio.Reader) (kind byte, text string, err error) {
	if kind, err = r.ReadByte(); err != nil {
		return 0, "", err
	}
	length := 0
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil || shift > 21 {
			return 0, "", errors.Join(err, io.ErrUnexpectedEOF)
		}
		length |= int(b&0x7f) << shift
		if b&0x80 == 0 {
			break
		}
	}
	if length > queueHead {
		return 0, "", io.ErrUnexpectedEOF
	}
	raw := make([]byte, length)
	_, err = io.ReadFull(r, raw)
	return kind, string(raw), err
}

// submittedToExim returns who submitted a mail: the second line has the account's name, its id and its group's.
func submittedToExim(f *os.File) int {
	lines := bufio.NewScanner(io.LimitReader(f, queueHead))
	lines.Scan()
	lines.Scan()
	fields := strings.Fields(lines.Text())
	if len(fields) != 3 {
		return -1
	}
	uid, err := strconv.Atoi(fields[1])
	if err != nil {
		return -1
	}
	return uid
}

// eximAtOnce is how many ids are arguments of one program.
const eximAtOnce = 500

// retireQueued removes the queued mail of an account. The mail server does that, as it may be sending one.
func (x *execution) retireQueued(ctx context.Context, uid int) error {
	all, err := x.a.queuedOf(uid)
	if err != nil {
		return err
	}
	for _, q := range all {
		for len(q.ids) > 0 {
			some := q.ids[:min(len(q.ids), eximAtOnce)]
			q.ids = q.ids[len(some):]
			var out bytes.Buffer
			p := program.Program{Argv: q.argv, Timeout: managerTime, Out: &out, Run: x.mark()}
			if q.inArgv {
				p.Argv = append(q.argv[:len(q.argv):len(q.argv)], some...)
			} else {
				p.Stdin = []byte(strings.Join(some, "\n") + "\n")
			}
			if err := x.a.programs.Run(ctx, p); err != nil {
				return fmt.Errorf("remove queued mail: %w %s", err, strings.TrimSpace(out.String()))
			}
		}
	}
	return nil
}
