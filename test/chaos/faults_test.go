package chaos_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/hosts"
)

// storm is two replicas on PostgreSQL and hosts that change all the time, to which everything in faults happens.
type storm struct {
	t      *testing.T
	p      *panel.Panel
	places []*place
	until  time.Time
	// calm is set once no more faults happen, and failed once the test has.
	calm, failed atomic.Bool
	// both is locked while a replica is down, and read-locked by faults that need both.
	both sync.RWMutex

	mu    sync.Mutex
	met   map[string]int           // how often each fault happened
	named map[string]time.Duration // how long it took at most until attention named it
}

// place is a host of a storm.
type place struct {
	*storm
	panel.Server
	random *rand.Rand
	job    string // a scheduled job, whose file is the server's own
	handed time.Time
	// still is read-locked by the client during each change.
	still         sync.RWMutex
	made, deleted []string
}

// lookFor is how long attention may take to name a fault: servers are looked at once a minute, a look waits up to half a minute for an answer and is
// repeated once, and a replica that was killed begins its minute again.
const lookFor = 4 * time.Minute

// For fifteen minutes (HOSTLER_CHAOS_FOR), rules change on hosts while everything in faults happens to them, and replicas are killed. Attention names each
// fault that it can know, and no longer names it once it is over. At the end nothing is lost, nothing was done twice, each host is what is applied, and
// attention is empty.
func TestFaults(t *testing.T) {
	lasts := 15 * time.Minute
	if text := os.Getenv("HOSTLER_CHAOS_FOR"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatalf("HOSTLER_CHAOS_FOR: %v", err)
		}
	} else if !full() {
		t.Skip("skipped TestFaults: it takes fifteen minutes; HOSTLER_CHAOS=full or HOSTLER_CHAOS_FOR runs it")
	}
	panel.BuildTenantImage(t)
	random := seeded(t)
	bed := hosts.Shared(t, 3, hosts.Image(panel.TenantImage), hosts.Disk("800M"), hosts.Fresh())
	s := &storm{t: t, p: panel.StartReplicas(t, bed, pgtest.Database(t, "empty", nil), 2), met: map[string]int{}, named: map[string]time.Duration{}}
	s.small()
	for _, h := range bed.All() {
		s.places = append(s.places, s.place(h, rand.New(rand.NewPCG(random.Uint64(), 0))))
	}

	order := random.Perm(len(faults)) // each place begins elsewhere in it, so that together they meet all faults soon
	s.until = time.Now().Add(lasts)
	var clients, trouble sync.WaitGroup
	for i, at := range s.places {
		clients.Go(at.change)
		trouble.Go(func() {
			for n := i * len(faults) / len(s.places); s.goesOn(); n++ {
				at.suffer(faults[order[n%len(order)]])
			}
		})
	}
	trouble.Go(func() { s.kill(rand.New(rand.NewPCG(random.Uint64(), 1))) })
	trouble.Wait()
	s.calm.Store(true)
	clients.Wait()
	if err := s.p.Up(); err != nil {
		t.Fatal(err)
	}
	s.check(lasts)
}

func (s *storm) goesOn() bool { return time.Now().Before(s.until) && !s.failed.Load() }

// fail ends a storm.
func (s *storm) fail(format string, args ...any) {
	s.failed.Store(true)
	s.t.Errorf(format, args...)
}

// small moves the panel's data to a disk of 128 MB.
func (s *storm) small() {
	s.t.Helper()
	s.p.Stop()
	data, aside := s.p.Dir+"/data", s.p.Dir+"/aside"
	err := errors.Join(os.Rename(data, aside), os.Mkdir(data, 0o700), unix.Mount("tmpfs", data, "tmpfs", 0, "size=128m,mode=0700"))
	err = errors.Join(err, os.CopyFS(data, os.DirFS(aside)))
	s.t.Cleanup(func() { _ = unix.Unmount(data, unix.MNT_DETACH) })
	key := data + "/master.key"
	if _, serr := os.Stat(key); serr == nil { // CopyFS opens it to others
		err = errors.Join(err, os.Chmod(key, 0o600))
	}
	if err := errors.Join(err, s.p.Up()); err != nil {
		s.t.Fatalf("move the panel's data to a small disk: %v", err)
	}
}

// place sets a host up, with a scheduled job, and names that its nginx serves already.
func (s *storm) place(h *hosts.Host, random *rand.Rand) *place {
	s.t.Helper()
	a := s.p.Want(s.t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": h.Name, "provider": "custom", "type": "app", "database_type": "mariadb1011", "custom": map[string]any{"ip_address": h.IP, "ssh_port": h.Port},
	})
	at := &place{storm: s, Server: panel.Server{ID: a.Data.ID, Type: "app", Host: h}, random: random}
	if out, err := h.TryExec("sh", "-c", a.Data.Meta.Bootstrap.Command); err != nil {
		s.t.Fatalf("bootstrap %s: %v\n%s", h.Name, err, out)
	}
	s.p.Ready(s.t, at.Server)
	served := "server { listen 80; listen [::]:80; server_name " + at.taken() + "; return 404; }\n"
	h.WriteFile(s.t, "/etc/nginx/conf.d/99-storm.conf", []byte(served), 0o644)
	h.Exec(s.t, "sh", "-ec", "nginx -t; systemctl reload nginx")
	job := map[string]any{"command": "true", "user": "forge", "frequency": "monthly"}
	at.job = s.p.Want(s.t, http.StatusAccepted, http.MethodPost, at.Path("/scheduled-jobs"), job).Data.ID
	s.p.Status(s.t, time.Minute, at.Path("/scheduled-jobs/"+at.job), "installed")
	return at
}

// change creates and deletes rules until the storm is over.
func (at *place) change() {
	var standing []string // at most 200, of the 500 that a server can have
	for n := 0; !at.calm.Load() && !at.failed.Load(); n++ {
		time.Sleep(time.Duration(n*797%4000) * time.Millisecond)
		at.still.RLock()
		if n%3 == 2 || len(standing) == 200 {
			i := 0
			if n%3 == 2 {
				i = len(standing) - 1
			}
			insist(at.t, at.p, http.MethodDelete, at.Path("/firewall-rules/"+standing[i]), "", nil)
			at.deleted = append(at.deleted, standing[i])
			standing = slices.Delete(standing, i, i+1)
		} else {
			a := insist(at.t, at.p, http.MethodPost, at.Path("/firewall-rules"), fmt.Sprintf("storm-%s-%d", at.ID, n),
				map[string]any{"name": "storm", "port": strconv.Itoa(10000 + n), "type": []string{"allow", "deny"}[n%2]})
			standing = append(standing, a.Data.ID)
			at.made = append(at.made, a.Data.ID)
		}
		at.still.RUnlock()
	}
}

// settled waits until all work on the server has ended.
func (at *place) settled(within time.Duration) error {
	return at.eventually(within, func() error {
		if n := at.p.Count(at.t, `SELECT count(*) FROM operations WHERE server_id = ? AND state IN ('pending', 'running')`, at.ID); n > 0 {
			return fmt.Errorf("%d operations go on", n)
		}
		return nil
	})
}

// suffer lets a fault happen, and waits until attention names it, and no longer names it.
func (at *place) suffer(f fault) {
	if f.both {
		if time.Since(at.handed) < 11*time.Minute { // a lane is handed over once in ten minutes
			return
		}
		defer func() { at.handed = time.Now() }()
		at.both.RLock()
		defer at.both.RUnlock()
	}
	if f.alone {
		at.still.Lock()
		defer func() {
			if f.alone {
				at.still.Unlock()
			}
		}()
		if err := at.settled(3 * time.Minute); err != nil {
			at.fail("before %s on %s: %v", f.name, at.Host.Name, err)
			return
		}
	}
	subject := at.Host.Name
	if f.subject != nil {
		subject = f.subject(at)
	}
	began := time.Now()
	end, err := f.begin(at)
	if err == nil && f.kind != "" {
		err = at.attends(f.kind, subject, true)
	}
	took := time.Since(began)
	err = errors.Join(err, end())
	if f.alone {
		f.alone = false
		at.still.Unlock()
	}
	if err == nil && f.kind != "" {
		err = at.attends(f.kind, subject, false)
	}
	if err != nil {
		at.fail("%s on %s: %v", f.name, at.Host.Name, err)
		return
	}
	at.note(f.name, took)
	at.t.Logf("%s: %s, %q after %v, over after %v", at.Host.Name, f.name, f.kind, took.Round(time.Second), time.Since(began).Round(time.Second))
}

func (s *storm) note(name string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.met[name]++
	s.named[name] = max(s.named[name], took)
}

// attends waits until attention names something, or no longer names it.
func (s *storm) attends(kind, subject string, named bool) error {
	return s.eventually(lookFor, func() error {
		a, err := s.p.Do(http.MethodGet, "/attention?page[size]=100", nil)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(a.List, func(r panel.Resource) bool { return r.Text("kind") == kind && r.Text("subject") == subject }) != named {
			return fmt.Errorf("attention names %s of %s: %v, want %v; %s", kind, subject, !named, named, summary(a.List))
		}
		return nil
	})
}

func summary(list []panel.Resource) string {
	var out []string
	for _, r := range list {
		out = append(out, r.Text("kind")+" "+r.Text("subject")+" "+r.Text("text"))
	}
	return "it names [" + strings.Join(out, "; ") + "]"
}

// eventually is hosts.Eventually without the end of the test.
func (s *storm) eventually(within time.Duration, check func() error) error {
	for deadline := time.Now().Add(within); ; time.Sleep(250 * time.Millisecond) {
		err := check()
		if err == nil || s.failed.Load() {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %v: %w", within, err)
		}
	}
}

// kill kills a replica about once in a minute, and starts it again, and fills the disk of the panel at times.
func (s *storm) kill(random *rand.Rand) {
	for n := 1; ; n++ {
		for wait := time.Now().Add(time.Duration(40+random.IntN(60)) * time.Second); time.Now().Before(wait); time.Sleep(250 * time.Millisecond) {
			if !s.goesOn() {
				return
			}
		}
		s.both.Lock()
		var err error
		if n%4 == 2 {
			err = s.fill()
		} else {
			s.p.KillOne(random.IntN(2))
			time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
			err = s.p.Up()
			s.note("a replica is killed", 0)
		}
		s.both.Unlock()
		if err != nil {
			s.fail("the panel: %v", err)
			return
		}
	}
}

// fill leaves next to nothing free for the data of the panel, until attention names it.
func (s *storm) fill() error {
	began, path := time.Now(), s.p.Dir+"/data/other"
	if err := os.WriteFile(path, make([]byte, 110<<20), 0o600); err != nil {
		return err
	}
	err := s.attends("panel-disk-full", "Hostler", true)
	s.note("the disk of the panel is nearly full", time.Since(began))
	return errors.Join(err, os.Remove(path), s.attends("panel-disk-full", "Hostler", false))
}

// check compares everything once the storm is over.
func (s *storm) check(lasted time.Duration) {
	s.t.Helper()
	for _, at := range s.places {
		if err := at.settled(5 * time.Minute); err != nil {
			s.t.Fatalf("%s: %v", at.Host.Name, err)
		}
	}
	runs, changes := 0, 0
	agree(s.t, s.p, "sites", "servers") // which fail on purpose
	for _, at := range s.places {
		runs += checkHost(s.t, s.p, at.Server, at.made, at.deleted)
		changes += len(at.made) + len(at.deleted)
		if found, _ := s.p.Get(s.t, at.Path("/drift")).Attributes["differences"].([]any); len(found) > 0 {
			s.t.Errorf("%s is not what is applied: %v", at.Host.Name, found)
		}
	}
	hosts.Eventually(s.t, lookFor, "attention is empty", func() error {
		if a := s.p.Want(s.t, http.StatusOK, http.MethodGet, "/attention?page[size]=100", nil); len(a.List) > 0 {
			return errors.New(summary(a.List))
		}
		return nil
	})
	for _, l := range s.p.Lost() {
		if !l.Killed && s.p.Crashes() == 0 {
			s.t.Errorf("%s %s was lost by %s, which was not killed: %v", l.Method, l.Path, l.Target, l.Err)
		}
	}
	s.t.Logf("%v: %d changes on %d hosts, %d runs in their journals, %d programs crashed", lasted, changes, len(s.places), runs, s.p.Crashes())
	for name, n := range s.met {
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.name == name }) {
			s.t.Logf("%d times %s, %v at most", n, name, s.named[name].Round(time.Second))
		}
	}
	for _, f := range faults {
		if s.met[f.name] == 0 && lasted >= 15*time.Minute {
			s.t.Errorf("%s did not happen", f.name)
		}
		if f.kind == "" {
			s.t.Logf("%d times %s: not in attention, as %s", s.met[f.name], f.name, f.why)
		} else {
			s.t.Logf("%d times %s: %s, after %v at most", s.met[f.name], f.name, f.kind, s.named[f.name].Round(time.Second))
		}
	}
}
