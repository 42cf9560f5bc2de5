package agent

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// visited is a host with access logs, on which time passes.
type visited struct {
	*bed
	now     time.Time
	refused map[int64]uint64 // at the last count, by site
}

// firstMinute is the minute that it is on a new visited host.
const firstMinute = int64(30_000_000)

func newVisited(t *testing.T) *visited {
	t.Helper()
	v := &visited{bed: newBed(t), now: time.Unix(60*firstMinute, 0)}
	v.mkdir(nginxLogs)
	v.mkdir("/proc")
	return v
}

func (v *visited) log(site int64) string { return v.path(filepath.Join(nginxLogs, accessLog(site))) }

// ask has visitors ask a site, with these answers.
func (v *visited) ask(site int64, statuses ...int) {
	v.t.Helper()
	var lines string
	for _, status := range statuses {
		lines += visit("GET / HTTP/1.1", status)
	}
	v.append(v.log(site), lines)
}

func visit(request string, status int) string {
	return fmt.Sprintf("192.0.2.7 - - [24/Nov/2026:02:03:04 +0000] \"%s\" %03d 162 \"-\" \"curl/8\" shop.example 0.000 - - -\n", request, status)
}

func (v *visited) append(path, text string) {
	v.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	v.check(err)
	_, err = f.WriteString(text)
	v.check(err)
	v.check(f.Close())
}

// count has the host count, after some minutes.
func (v *visited) count(after time.Duration) {
	v.t.Helper()
	v.now = v.now.Add(after * time.Minute)
	var err error
	v.refused, err = v.a.countRequests(v.now)
	v.check(err)
}

// want compares what a site was asked in the minutes since the first.
func (v *visited) want(site int64, want string) {
	v.t.Helper()
	all, err := v.a.siteSamples(0, v.now)
	v.check(err)
	var got []string
	for _, s := range all {
		if s.Site == site {
			got = append(got, fmt.Sprint(s.Minute-firstMinute, ":", s.Counts[wire.SiteRequests], "/", s.Counts[wire.SiteClientErrors], "/",
				s.Counts[wire.SiteServerErrors]))
		}
	}
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		v.t.Errorf("requests of site %d (-want +got):\n%s", site, diff)
	}
}

// What a site with limits uses is in the minute in which it was read, beside its requests. Of one without limits it is not known.
func TestUsageOfSites(t *testing.T) {
	t.Parallel()
	v := newVisited(t)
	slice := filepath.Join(cgroups, systemSlice, render.SiteSlice(7))
	uses := func(megabytes, seconds, tasks int) {
		v.mkdir(slice)
		v.write(slice+"/memory.current", fmt.Sprintln(megabytes<<20))
		v.write(slice+"/cpu.stat", fmt.Sprintf("usage_usec %d\nuser_usec 1\n", seconds*1_000_000))
		v.write(slice+"/pids.current", fmt.Sprintln(tasks))
	}
	v.ask(7)
	v.ask(8)
	uses(64, 100, 3)
	v.count(0)
	uses(80, 190, 5) // 90 seconds in a minute
	v.count(1)
	uses(70, 220, 5) // 30 seconds in two minutes
	v.count(2)
	uses(70, 1, 1) // the slice is another one
	v.count(1)
	v.check(os.RemoveAll(v.path(slice)))
	v.count(1)
	all, err := v.a.siteSamples(0, v.now)
	v.check(err)
	var got []string
	for _, s := range all {
		text := fmt.Sprint(s.Site, " ", s.Minute-firstMinute, ":")
		for _, n := range s.Counts[wire.SiteMemory:] {
			if n == wire.SiteUnknown {
				text += " -"
				continue
			}
			text += fmt.Sprint(" ", n)
		}
		got = append(got, text)
	}
	want := []string{
		"7 1: 80 150 5", "7 2: - - -", "7 3: 70 25 5", "7 4: 70 - 1", "7 5: - - -",
		"8 1: - - -", "8 2: - - -", "8 3: - - -", "8 4: - - -", "8 5: - - -",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memory, processors and tasks (-want +got):\n%s", diff)
	}
}

// What a limit of the site refused is nginx's to say, at the end of a line of any length, and not a visitor's.
func TestRefusedRequestsOfSites(t *testing.T) {
	t.Parallel()
	v := newVisited(t)
	v.ask(7)
	v.ask(8)
	v.count(0)
	refused := strings.TrimSuffix(visit("GET / HTTP/1.1", 503), "\n") + " REJECTED\n"
	passed := strings.TrimSuffix(visit("GET / HTTP/1.1", 503), "\n") + " PASSED\n"
	long := strings.Replace(refused, "GET /", "GET /"+strings.Repeat("x", 3*logBlock), 1)
	claimed := visit(`GET / REJECTED\x22 REJECTED`, 503) + visit("GET / HTTP/1.1 REJECTED", 503)
	v.append(v.log(7), refused+passed+long+claimed+refused)
	v.ask(8, 503, 503)
	v.count(1)
	if want := map[int64]uint64{7: 3}; !maps.Equal(v.refused, want) {
		t.Errorf("refused were %v, not %v", v.refused, want)
	}
	v.want(7, "1:6/0/5") // of a line longer than a block, the status is not read
	v.count(1)
	if len(v.refused) > 0 {
		t.Errorf("a minute later, refused are %v", v.refused)
	}
}

// Each minute has what was new in it, of each site its own, beginning with the minute after the log was first seen.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	v := newVisited(t)
	if got := filepath.Join(nginxLogs, accessLog(7)); got != render.AccessLog(7) {
		t.Errorf("the log of a site is %s, and written to %s", got, render.AccessLog(7))
	}
	v.ask(7, 200, 500) // long ago
	v.ask(8)
	v.count(0)
	v.want(7, "")
	v.ask(7, 200, 301, 404, 499, 500, 503, 200)
	v.count(1)
	v.count(1)
	v.ask(7, 200)
	v.ask(8, 404, 404)
	v.ask(9, 200)
	v.append(v.path(nginxLogs+"/hostler-7-error.log"), "an error\n")
	v.append(v.path(nginxLogs+"/hostler-x-access.log"), "another's\n")
	v.append(v.path(nginxLogs+"/hostler-07-access.log"), "another's\n")
	v.append(v.path(nginxLogs+"/access.log"), "another's\n")
	v.count(1)
	v.want(7, "1:7/2/2 2:0/0/0 3:1/0/0")
	v.want(8, "1:0/0/0 2:0/0/0 3:2/2/0")
	v.want(9, "")
	v.ask(7, 200, 200, 200, 200, 500)
	v.count(2) // a minute was missed
	v.want(7, "1:7/2/2 2:0/0/0 3:1/0/0 4:2/0/0 5:3/0/1")
	v.ask(7, 404)
	v.count(0) // the timer was started again in the same minute
	v.want(7, "1:7/2/2 2:0/0/0 3:1/0/0 4:2/0/0 5:4/1/1")
}

// What was written before a rotation and after it is counted once, whether or not nginx has opened the new file yet, and however the old one is named.
func TestRequestsAreCountedAcrossRotations(t *testing.T) {
	t.Parallel()
	for name, rotated := range map[string]string{"a number": ".1", "a date": "-20261124"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVisited(t)
			v.ask(7, 200)
			v.count(0)
			v.ask(7, 200, 404)
			v.check(os.Rename(v.log(7), v.log(7)+rotated))
			v.ask(7, 500)
			v.append(v.log(7)+".2", visit("GET / HTTP/1.1", 200)) // one of before
			v.count(1)
			v.want(7, "1:3/1/1")
			v.ask(7, 200)
			v.check(os.Rename(v.log(7), v.log(7)+".3"))
			v.append(v.log(7), "")
			v.count(1)
			v.append(v.log(7)+".3", visit("GET / HTTP/1.1", 404)) // nginx has the old one open
			v.count(1)
			v.append(v.log(7)+".3", visit("GET / HTTP/1.1", 404))
			v.ask(7, 500)
			v.count(1)
			v.ask(7, 500)
			v.count(1)
			v.want(7, "1:3/1/1 2:1/0/0 3:1/1/0 4:2/1/1 5:1/0/1")
		})
	}
	t.Run("emptied", func(t *testing.T) { // copytruncate, or by a person
		t.Parallel()
		v := newVisited(t)
		v.ask(7, 200, 200, 200)
		v.count(0)
		v.check(os.Truncate(v.log(7), 0))
		v.ask(7, 404)
		v.count(1)
		v.want(7, "1:1/1/0")
	})
	t.Run("compressed at once", func(t *testing.T) {
		t.Parallel()
		v := newVisited(t)
		v.ask(7, 200)
		v.count(0)
		v.check(os.Rename(v.log(7), v.log(7)+".1.gz"))
		v.ask(7, 404)
		v.count(1)
		v.want(7, "1:1/1/0")
	})
	t.Run("removed", func(t *testing.T) {
		t.Parallel()
		v := newVisited(t)
		v.ask(7, 200, 200, 200)
		v.count(0)
		v.check(os.Remove(v.log(7)))
		v.count(1)
		v.ask(7, 404)
		v.count(1)
		v.want(7, "1:0/0/0 2:1/1/0")
	})
}

// What was written while the host did not count belongs to no minute.
func TestRequestsOfAnAbsenceAreUnknown(t *testing.T) {
	t.Parallel()
	v := newVisited(t)
	v.ask(7, 200)
	v.count(0)
	v.ask(7, 200, 200)
	v.count(6)
	v.ask(7, 404)
	v.count(1)
	v.want(7, "7:1/1/0")
	v.ask(7, 500)
	v.count(-3) // the clock was put back
	v.ask(7, 500, 500)
	v.count(1)
	v.want(7, "5:2/0/2")
}

// The text of a line is that of visitors. They can't write a quote, and nothing else of a line is read.
func TestStatusIsNotThatOfVisitors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byte{
		visit("GET / HTTP/1.1", 200):          '2',
		visit("GET /\\x22 500 HTTP/1.1", 404): '4',
		visit(`GET / 500 162 "`, 404):         0, // nginx writes no such line
		visit("", 400):                        '4',
		visit("-", 0):                         '0',
		"192.0.2.7 - a 500 b [24/Nov/2026:02:03:04 +0000] \"GET / HTTP/1.1\" 201 5\n": '2',
		"192.0.2.7 - - [x] \"GET / HTTP/1.1\" 50000 5\n":                              0,
		"192.0.2.7 - - [x] \"GET / HTTP/1.1\" 5x0 5\n":                                0,
		"192.0.2.7 - - [x] \"GET / HTTP/1.1\" 500":                                    0,
		"{\"status\":500}\n":                    0,
		"\"\" 500 \n":                           '5',
		"\"":                                    0,
		"\n":                                    0,
		"":                                      0,
		"\x00\xff\x1b]8;;http://x\x1b\\ 500 \n": 0,
	} {
		if got := classOf([]byte(text)); got != want {
			t.Errorf("%q is of class %q, want %q", text, got, want)
		}
	}
	v := newVisited(t)
	v.ask(7)
	v.count(0)
	v.append(v.log(7), strings.Repeat("\x00", 3000)+"\n"+visit("GET /"+strings.Repeat("a", 200<<10)+" HTTP/1.1", 500)+visit("GET / HTTP/1.1",
		500)+"the beginning of a line \"GET")
	v.count(1)
	v.append(v.log(7), " / HTTP/1.1\" 404 1\n")
	v.count(1)
	v.want(7, "1:3/0/1 2:1/1/0") // the status of a line that is longer than any of nginx's is not looked for
}

// What Hostler asks to see whether a site answers is not counted; a visitor can't say that it is Hostler.
func TestProbesAreNotCounted(t *testing.T) {
	t.Parallel()
	v := newVisited(t)
	v.ask(7)
	v.count(0)
	for _, line := range []string{
		`127.0.0.1 - - [x] "GET / HTTP/1.1" 500 162 "-" "hostler-probe" shop.example.com 0.001 - - - -`,
		`192.0.2.7 - - [x] "GET / HTTP/1.1" 500 162 "-" "hostler-probe" shop.example.com 0.001 - - - -`,
		`127.0.0.1 - - [x] "GET / HTTP/1.1" 500 162 "-" "curl/8" shop.example.com 0.001 - - - -`,
		`127.0.0.1 - - [x] "GET / HTTP/1.1" 500 162 "hostler-probe" "-" shop.example.com 0.001 - - - -`,
		`127.0.0.1 - - [x] "GET /\x22 500 1 \x22-\x22 \x22hostler-probe\x22 HTTP/1.1" 404 162 "-" "-" shop.example.com 0.001 - - - -`,
	} {
		v.append(v.log(7), line+"\n")
	}
	v.count(1)
	v.want(7, "1:4/1/3")
}

// endless is a log that no disk has.
type endless struct{ read int64 }

const endlessLine = "192.0.2.7 - - [x] \"GET / HTTP/1.1\" 500 162 \"\"\n"

func (e *endless) ReadAt(into []byte, at int64) (int, error) {
	for i := range into {
		into[i] = endlessLine[(at+int64(i))%int64(len(endlessLine))]
	}
	e.read += int64(len(into))
	return len(into), nil
}

// A log that grows faster than it may be read is estimated from what is read, and read no further.
func TestAccessLogsAreReadInBounds(t *testing.T) {
	t.Parallel()
	const length, lines = int64(len(endlessLine)), 200_000_000
	e := &endless{}
	var n counted
	end, err := n.count(e, 0, length*lines, 1<<20)
	if err != nil || end != length*lines {
		t.Errorf("it ends at %d, %v", end, err)
	}
	if n.lines[wire.SiteRequests] != lines || n.lines[wire.SiteServerErrors] != lines || n.lines[wire.SiteClientErrors] != 0 {
		t.Errorf("%d lines are %v", lines, n.lines)
	}
	if e.read > 2<<20 || n.read > 1<<20 {
		t.Errorf("%d bytes were read, and %d counted", e.read, n.read)
	}
	// One without the end of a line is passed over, rather than read repeatedly.
	n = counted{}
	if end, err := n.count(zeros10G{}, 0, 10<<30, 1<<20); err != nil || end != 10<<30 || n.lines != [wire.SiteMemory]uint64{} {
		t.Errorf("10 GB of nothing end at %d with %v, %v", end, n.lines, err)
	}

	v := newVisited(t) // 10 GB that are there already are not read
	v.ask(7, 200)
	v.check(os.Truncate(v.log(7), 10<<30))
	v.count(0)
	v.append(v.log(7), "\n")
	v.ask(7, 404, 404)
	v.count(1)
	v.want(7, "1:3/2/0")
}

type zeros10G struct{}

func (zeros10G) ReadAt(into []byte, _ int64) (int, error) { clear(into); return len(into), nil }

// No account can have the agent read another file: links, pipes and files with other names are not read, nor is a directory that others can write to.
func TestAccessLogsAreNginxsOwn(t *testing.T) {
	t.Parallel()
	v := newVisited(t)
	v.append(v.path("/secret"), visit("GET / HTTP/1.1", 500))
	v.check(os.Symlink(v.path("/secret"), v.log(1)))
	v.check(os.Link(v.path("/secret"), v.log(2)))
	v.check(unix.Mkfifo(v.log(3), 0o600))
	v.check(os.Mkdir(v.log(4), 0o755))
	v.ask(5)
	v.count(0)
	v.append(v.path("/secret"), visit("GET / HTTP/1.1", 500))
	v.ask(5, 200)
	// A log that becomes a link, and one whose rotated file is one.
	v.ask(6)
	v.count(1)
	v.check(os.Remove(v.log(6)))
	v.check(os.Symlink(v.path("/secret"), v.log(6)))
	v.check(os.Rename(v.log(5), v.path("/elsewhere")))
	v.check(os.Symlink(v.path("/elsewhere"), v.log(5)+".1"))
	v.append(v.path("/elsewhere"), visit("GET / HTTP/1.1", 500))
	v.ask(5, 200)
	v.count(1)
	for _, site := range []int64{1, 2, 3, 4, 6} {
		v.want(site, "")
	}
	v.want(5, "1:1/0/0 2:1/0/0")

	v.check(os.Chmod(v.path(nginxLogs), 0o777))
	v.ask(5, 200)
	v.now = v.now.Add(time.Minute)
	if _, err := v.a.countRequests(v.now); err == nil || !strings.Contains(err.Error(), "can change "+nginxLogs) {
		t.Errorf("a directory that all accounts can write to: %v", err)
	}
	v.want(5, "1:1/0/0 2:1/0/0")
	v.check(os.RemoveAll(v.path(nginxLogs)))
	v.count(0) // a server without nginx
}

// A look that was away is answered with all that it missed, in parts that fit in a frame; rings do not grow, and go with the logs of their sites.
func TestRequestsAreKeptForAWeek(t *testing.T) {
	t.Parallel()
	v := newVisited(t)
	const sites = 40
	for site := range int64(sites) {
		v.ask(site + 1)
	}
	v.count(0)
	for range 3 {
		v.ask(1, 200)
		v.count(1)
	}
	ring := v.a.requestPath(1)
	f, err := os.OpenFile(ring, os.O_RDWR, 0)
	v.check(err)
	defer func() { _ = f.Close() }()
	for minute := firstMinute + 4; minute < firstMinute+wire.RingMinutes; minute++ {
		v.check(putFixed(f, requestsAt(minute), requests{Minute: uint32(minute)}))
	}
	v.now = time.Unix(60*(firstMinute+wire.RingMinutes-1), 0)
	var all []wire.SiteSample
	for after, looks := int64(0), 0; ; looks++ {
		part, err := v.a.siteSamples(after, v.now)
		v.check(err)
		if len(part) == 0 {
			break
		}
		if len(part) > wire.MaxSiteSamples || looks > 100 {
			t.Fatalf("look %d answers %d", looks, len(part))
		}
		for _, s := range part {
			after = max(after, s.Minute)
		}
		all = append(all, part...)
	}
	if want := wire.RingMinutes - 1 + 3*(sites-1); len(all) != want {
		t.Errorf("%d samples are answered, want %d", len(all), want)
	}
	if info, err := f.Stat(); err != nil || info.Size() > readUntilSize+wire.RingMinutes*requestsSize {
		t.Errorf("the ring has %d bytes, %v", info.Size(), err)
	}
	v.check(os.Remove(v.log(1)))
	v.check(os.Remove(v.log(2)))
	two, err := os.OpenFile(v.a.requestPath(2), os.O_RDWR, 0)
	v.check(err)
	defer func() { _ = two.Close() }()
	v.check(putFixed(f, 0, readUntil{Minute: v.now.Unix()/60 - wire.RingMinutes - 1}))
	v.check(putFixed(two, 0, readUntil{Minute: v.now.Unix()/60 - wire.RingMinutes}))
	v.count(0)
	if _, err := os.Stat(ring); err == nil {
		t.Error("the ring of a site that is gone is there")
	}
	if _, err := os.Stat(v.a.requestPath(2)); err != nil {
		t.Error("what was counted of a site until now is gone")
	}
}
