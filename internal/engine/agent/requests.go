package agent

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The requests of each site are counted from its access log by the same timer, into a ring of the site's own. The text of a log is that
// of visitors: of a line only the status is read, and whether a limit refused it, which nginx wrote. The ring has, too, what a site with
// limits uses.

const (
	nginxLogs  = "/var/log/nginx"
	accessLogs = "hostler-*-access.log"
	// maxAccessBytes is how much of all access logs is read in a minute, and minAccessBytes what is read of each at least. Of a log that grew by more, the
	// rest is estimated from the part that was read.
	maxAccessBytes = 256 << 20
	minAccessBytes = 64 << 10
	// maxAccessLogs is how many names in the directory are looked at: each site has two logs, and those that were rotated.
	maxAccessLogs = 200_000
)

// accessLog returns the name of a site's access log.
func accessLog(site int64) string {
	return strings.Replace(accessLogs, "*", strconv.FormatInt(site, 10), 1)
}

// siteOf returns the site that an access log belongs to, 0 for a file of another kind.
func siteOf(name string) int64 {
	before, after, _ := strings.Cut(accessLogs, "*")
	text, ok := strings.CutPrefix(name, before)
	text, with := strings.CutSuffix(text, after)
	id, err := strconv.ParseInt(text, 10, 64)
	if !ok || !with || err != nil || id <= 0 || accessLog(id) != name {
		return 0
	}
	return id
}

// readUntil is how far an access log was read, and in which minute. It is the head of a site's ring.
type readUntil struct {
	Minute   int64
	Dev, Ino uint64
	Offset   int64
	// Used is how long processors had worked for the site by then, in microseconds; 0 for one without limits.
	Used uint64
}

const readUntilSize = 40

// requests counts a site's requests in a minute: an entry of its ring.
type requests struct {
	Minute uint32
	Counts [wire.SiteMetrics]uint32
}

const requestsSize = 4 + 4*wire.SiteMetrics

func (a *Agent) requestDir() string { return filepath.Join(a.monitorDir(), "sites") }

func (a *Agent) requestPath(site int64) string {
	return filepath.Join(a.requestDir(), strconv.FormatInt(site, 10))
}

// countRequests counts what is new in the access logs of all sites, and returns how many requests their limits refused, by site. It reads
// files of one directory, which only root can change: no account can have it read another file.
func (a *Agent) countRequests(at time.Time) (refused map[int64]uint64, err error) {
	dir, err := a.root.OpenDir(nginxLogs)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return nil, fmt.Errorf("read %s: %w", nginxLogs, err)
	}
	if int(st.Uid) != a.root.UID || st.Mode&0o022 != 0 {
		return nil, fmt.Errorf("requests are not counted: accounts other than root can change %s", nginxLogs)
	}
	names, err := namesIn(dir, "*", maxAccessLogs)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(a.requestDir(), 0o700); err != nil {
		return nil, err
	}
	var sites []int64
	for _, name := range names {
		if id := siteOf(name); id > 0 {
			sites = append(sites, id)
		}
	}
	slices.Sort(sites)
	minute, left := at.Unix()/60, int64(maxAccessBytes)
	refused = map[int64]uint64{}
	var failed error
	for i, id := range sites {
		reserved := int64(len(sites)-1-i) * minAccessBytes
		n, err := a.countSite(dir, names, id, minute, max(left-reserved, minAccessBytes))
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("count the requests of site %d: %w", id, err))
		}
		if left -= n.read; n.refused > 0 {
			refused[id] = n.refused
		}
	}
	return refused, errors.Join(failed, a.forgetRequests(sites, minute))
}

// forgetRequests removes the rings of sites whose log is gone, once all that is in them is old.
func (a *Agent) forgetRequests(sites []int64, minute int64) error {
	rings, err := os.ReadDir(a.requestDir())
	if err != nil {
		return err
	}
	for _, e := range rings {
		id, err := strconv.ParseInt(e.Name(), 10, 64)
		if err != nil || slices.Contains(sites, id) {
			continue
		}
		raw, err := os.ReadFile(a.requestPath(id))
		if err != nil {
			return err
		}
		var last readUntil
		if err := getFixed(bytes.NewReader(raw), 0, readUntilSize, &last); err != nil {
			return err
		}
		if last.Minute < minute-wire.RingMinutes {
			if err := os.Remove(a.requestPath(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// countSite counts what is new in the access log of a site, of which it reads at most limit bytes.
func (a *Agent) countSite(dir int, names []string, site, minute, limit int64) (n counted, err error) {
	log, err := a.openOwned(dir, accessLog(site), "", unix.O_RDONLY)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, object.ErrKind), errors.Is(err, errForeign): // it is unknown what this site is asked
		return n, nil
	case err != nil:
		return n, err
	}
	defer log.Close()
	ring, err := os.OpenFile(a.requestPath(site), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return n, err
	}
	defer func() { _ = ring.Close() }()
	var was readUntil
	if err := getFixed(ring, 0, readUntilSize, &was); err != nil {
		return n, err
	}
	now, err := endOf(log)
	if err != nil {
		return n, err
	}
	now.Minute = minute
	minutes := minute - was.Minute
	n.used = a.usageOf(site)
	now.Used = n.used.processors
	if was.Minute == 0 || minutes < 0 || minutes > maxGap { // nobody knows when what is new was written
		return n, putFixed(ring, 0, now)
	}
	n.used.since(was.Used, minutes)
	switch same := was.Dev == now.Dev && was.Ino == now.Ino; {
	case !same: // it was rotated: the rest of the old one is read first
		old, err := a.openRotated(dir, names, accessLog(site), was)
		if err != nil {
			return n, err
		}
		if old == nil {
			was.Offset = 0
			break
		}
		defer old.Close()
		end, err := endOf(old)
		if err != nil {
			return n, err
		}
		if end.Offset, err = n.count(old, min(was.Offset, end.Offset), end.Offset, limit); err != nil {
			return n, err
		}
		was.Offset = 0
		if now.Offset == 0 { // nginx may not have opened the new one yet
			now = readUntil{Minute: minute, Dev: end.Dev, Ino: end.Ino, Offset: end.Offset, Used: now.Used}
			return n, n.put(ring, now, minutes)
		}
	case now.Offset < was.Offset: // it was emptied
		was.Offset = 0
	}
	if now.Offset, err = n.count(log, was.Offset, now.Offset, limit-n.read); err != nil {
		return n, err
	}
	return n, n.put(ring, now, minutes)
}

func endOf(log *os.File) (readUntil, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(log.Fd()), &st); err != nil {
		return readUntil{}, fmt.Errorf("read the size of a log: %w", err)
	}
	return readUntil{Dev: uint64(st.Dev), Ino: st.Ino, Offset: st.Size}, nil
}

// openRotated opens the file that was a log when it was read last, under the name that it has now (logrotate(8): .1, or a date); nil if there is none, or
// only a compressed copy.
func (a *Agent) openRotated(dir int, names []string, log string, was readUntil) (*os.File, error) {
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, log)
		if !ok || rest == "" || rest[0] != '.' && rest[0] != '-' || path.Ext(rest) == ".gz" {
			continue
		}
		f, err := a.openOwned(dir, name, "", unix.O_RDONLY)
		if err != nil {
			continue
		}
		if now, err := endOf(f); err == nil && now.Dev == was.Dev && now.Ino == was.Ino {
			return f, nil
		}
		f.Close()
	}
	return nil, nil
}

// counted is what was counted, and of how many bytes.
type counted struct {
	lines   [wire.SiteMemory]uint64
	refused uint64 // since the limits of the site answer no more at once
	read    int64
	used    usage
}

// refusedEnd is how the line of such a request ends ($limit_conn_status of ngx_http_limit_conn_module). What is before it is nginx's, too.
var refusedEnd = []byte(" REJECTED\n")

// count counts the lines of a log between two offsets, and returns where the next ones begin. Of more than limit bytes, it estimates the rest from these.
func (n *counted) count(log io.ReaderAt, from, until, limit int64) (int64, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(log, from, min(until-from, limit)), logBlock)
	var lines [wire.SiteMemory]uint64
	var refused uint64
	at, whole, inside, class, own := from, from, false, byte(0), false
	for {
		part, err := r.ReadSlice('\n')
		at += int64(len(part))
		if !inside { // of a line that is longer than the buffer only the beginning counts
			class, own = classOf(part), isProbe(part)
		}
		inside = errors.Is(err, bufio.ErrBufferFull)
		if inside {
			continue
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return whole, fmt.Errorf("read a log: %w", err)
		}
		whole = at
		if own {
			continue
		}
		if lines[wire.SiteRequests]++; bytes.HasSuffix(part, refusedEnd) {
			refused++
		}
		switch class {
		case '4':
			lines[wire.SiteClientErrors]++
		case '5':
			lines[wire.SiteServerErrors]++
		}
	}
	n.read += at - from
	share := 1.0
	if until-from > limit {
		if whole > from {
			share = float64(until-from) / float64(whole-from)
		}
		whole = until
	}
	all := func(n uint64) uint64 { return uint64(share*float64(n) + 0.5) }
	for i := range lines {
		n.lines[i] += all(lines[i])
	}
	n.refused += all(refused)
	return whole, nil
}

// isProbe reports whether a line is of a request that Hostler made to see whether the site answers: no visitor made it.
func isProbe(line []byte) bool {
	quote := []byte{'"'}
	rest, found := bytes.CutPrefix(line, []byte("127.0.0.1 "))
	for range 5 { // the request, the referrer and the agent are in quotes
		if found {
			_, rest, found = bytes.Cut(rest, quote)
		}
	}
	agent, _, ended := bytes.Cut(rest, quote)
	return found && ended && string(agent) == probeAgent
}

// classOf returns the first digit of the status in a line of the formats combined and hostler, which follows the request in quotes; 0 if there is none. A
// visitor can't write a quote: nginx escapes it (ngx_http_log_module, escape=default).
func classOf(line []byte) byte {
	_, rest, _ := bytes.Cut(line, []byte{'"'})
	_, rest, _ = bytes.Cut(rest, []byte{'"'})
	if len(rest) < 5 || rest[0] != ' ' || rest[4] != ' ' {
		return 0
	}
	for _, c := range rest[1:4] {
		if c < '0' || c > '9' {
			return 0
		}
	}
	return rest[1]
}

// put adds what was counted to a ring, in equal parts to the minutes since the last look. A crash in between loses it, and counts nothing twice.
func (n *counted) put(ring *os.File, now readUntil, minutes int64) error {
	if err := putFixed(ring, 0, now); err != nil {
		return err
	}
	left := n.lines
	for minute := now.Minute - max(minutes, 1) + 1; minute <= now.Minute; minute++ {
		entry, err := getRequests(ring, minute)
		if err != nil {
			return err
		}
		if int64(entry.Minute) != minute || minutes > 0 { // else it is the second look of a minute
			entry = requests{Minute: uint32(minute)}
		}
		for i := range left {
			part := left[i] / uint64(now.Minute-minute+1)
			left[i] -= part
			entry.Counts[i] = uint32(min(uint64(entry.Counts[i])+part, 1<<32-1))
		}
		copy(entry.Counts[wire.SiteMemory:], unmeasured[:])
		if minute == now.Minute {
			copy(entry.Counts[wire.SiteMemory:], n.used.counts[:])
		}
		if err := putFixed(ring, requestsAt(minute), entry); err != nil {
			return err
		}
	}
	return nil
}

func requestsAt(minute int64) int64 { return readUntilSize + minute%wire.RingMinutes*requestsSize }

// getRequests reads the entry of a ring where that of a minute is.
func getRequests(ring io.ReaderAt, minute int64) (requests, error) {
	var r requests
	err := getFixed(ring, requestsAt(minute), requestsSize, &r)
	return r, err
}

// getFixed reads a value of a fixed size, and leaves it as it is beyond the end.
func getFixed(from io.ReaderAt, at int64, size int, into any) error {
	raw := make([]byte, size)
	if _, err := from.ReadAt(raw, at); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	_, err := binary.Decode(raw, binary.LittleEndian, into)
	return err
}

func putFixed(to io.WriterAt, at int64, value any) error {
	raw, err := binary.Append(nil, binary.LittleEndian, value)
	if err != nil {
		return err
	}
	_, err = to.WriteAt(raw, at)
	return err
}

// siteSamples returns what sites were asked after a minute and until now, at most wire.MaxSiteSamples of them: those of the first minutes in which any site
// was counted, of all sites.
func (a *Agent) siteSamples(after int64, at time.Time) ([]wire.SiteSample, error) {
	out := []wire.SiteSample{}
	rings, err := os.ReadDir(a.requestDir())
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	newest := at.Unix() / 60
	window := max(wire.MaxSiteSamples/int64(max(len(rings), 1)), 1)
	for from := max(after, newest-wire.RingMinutes) + 1; from <= newest && len(out) == 0; from += window {
		for _, e := range rings {
			site, err := strconv.ParseInt(e.Name(), 10, 64)
			if err != nil {
				continue
			}
			if out, err = a.samplesOf(site, from, min(from+window-1, newest), out); err != nil {
				return nil, fmt.Errorf("read the requests of site %d: %w", site, err)
			}
		}
	}
	return out, nil
}

// samplesOf appends a site's request counts of some minutes.
func (a *Agent) samplesOf(site, from, until int64, out []wire.SiteSample) ([]wire.SiteSample, error) {
	ring, err := os.Open(a.requestPath(site))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = ring.Close() }()
	for minute := from; minute <= until; minute++ {
		r, err := getRequests(ring, minute)
		if err != nil {
			return nil, err
		}
		if int64(r.Minute) == minute {
			out = append(out, wire.SiteSample{Site: site, Minute: minute, Counts: r.Counts[:]})
		}
	}
	return out, nil
}
