package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// What can die, and how it comes back.
var victims = []string{"panel", "host", "s3", "network", "database"}

// kill ends something during work, and brings it back.
func (a *archive) kill(t *testing.T, what string) {
	t.Helper()
	h := a.s.Host
	switch what {
	case "panel":
		a.p.Kill()
		if err := a.p.Up(); err != nil {
			t.Fatal(err)
		}
	case "host":
		h.Kill(t)
		h.Start(t)
		a.answers(t)
	case "s3":
		a.Kill()
		time.Sleep(time.Second) // that is the fault: it is away for so long
		a.Up(t)
	case "network":
		h.Cut(t)
		time.Sleep(3 * time.Second) // so is this
		h.Heal(t)
	case "database":
		unit := map[bool]string{true: "postgresql@15-main", false: a.s.client()}[a.s.postgres()]
		_, _ = h.TryExec("systemctl", "kill", "--signal=KILL", unit)
		h.Exec(t, "systemctl", "restart", unit)
		a.answers(t)
	}
}

// answers waits until the engine takes connections again.
func (a *archive) answers(t *testing.T) {
	t.Helper()
	argv := []string{a.s.client(), "--no-defaults", "-e", "SELECT 1"}
	if a.s.postgres() {
		argv = []string{"runuser", "-u", "postgres", "--", "psql", "-X", "-c", "SELECT 1"}
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		out, err := a.s.Host.TryExec(argv...)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the engine does not come back: %v %s", err, out)
		}
	}
}

// cases returns what is killed and at which of five moments: all of them with HOSTLER_E2E=full, else some that HOSTLER_E2E_SEED chooses.
func cases(t *testing.T) (list [][2]int) {
	t.Helper()
	for v := range victims {
		for m := range 5 {
			list = append(list, [2]int{v, m})
		}
	}
	seed := uint64(1)
	if text := os.Getenv("HOSTLER_E2E_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("HOSTLER_E2E_SEED: %v", err)
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if !full() {
		t.Logf("HOSTLER_E2E_SEED=%d: 2 of %d; all with HOSTLER_E2E=full", seed, len(list))
		list = list[:2]
	}
	return list
}

// moment waits until work is as far as one of its moments, or over.
func (a *archive) moment(t *testing.T, event string, reached func(step string) bool) (step string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		state, step, _ := a.work(t, event)
		if over(state) || reached(step) {
			return strings.TrimSpace(state + " " + step)
		}
		if time.Now().After(deadline) {
			t.Fatalf("the moment does not come: %s %q", state, step)
		}
	}
}

// clean waits until no upload is open, and checks that the bucket contains exactly the objects of backups that are shown as good.
func (a *archive) clean(t *testing.T) {
	t.Helper()
	good := func() map[string]bool {
		keys := map[string]bool{}
		for _, r := range a.p.Want(t, http.StatusOK, http.MethodGet, a.at+"/instances?page[size]=100", nil).List {
			o := a.get(t, r.ID)
			if o.Data.Attributes.Status == "failed" && (o.Data.Attributes.Size != 0 || o.Data.Meta.Backup.Reason == "") {
				t.Errorf("a failed backup is %+v %+v", o.Data.Attributes, o.Data.Meta.Backup)
			}
			for _, object := range o.Data.Meta.Backup.Objects {
				if o.Data.Attributes.Status == "finished" && object.Status == "stored" {
					keys[object.Key] = true
				}
			}
		}
		return keys
	}
	var odd []string
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		known := good()
		keys := a.Keys(t, bucket)
		odd = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return known[key] || strings.HasSuffix(key, "/manifest.json") })
		for key := range known {
			if !slices.Contains(keys, key) {
				odd = append(odd, "missing "+key)
			}
		}
		if len(odd) == 0 {
			return
		}
	}
	t.Errorf("in the bucket beside good backups: %v", odd)
}

// Whatever dies during a backup, no incomplete one is shown as good, no upload stays open, and the next one succeeds.
func TestKilledBackups(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "large")
		fill(t, a, 60)
		var last objects
		for _, c := range cases(t) {
			what, at := victims[c[0]], c[1]
			t.Run(fmt.Sprintf("%s at moment %d", what, at+1), func(t *testing.T) {
				answer := p.Want(t, http.StatusAccepted, http.MethodPost, a.at+"/instances", nil)
				step := a.moment(t, answer.Header.Get("X-Hostler-Event"), func(step string) bool {
					switch at {
					case 0: // accepted
						return true
					case 1:
						return step == "dump and send"
					case 2:
						return a.Parts(t, bucket) >= 1
					case 3:
						return a.Parts(t, bucket) >= 4
					default:
						return step == "list what was sent"
					}
				})
				a.kill(t, what)
				o := a.ended(t, answer.Data.ID)
				t.Logf("%s killed in %q: %s %s", what, step, o.Data.Attributes.Status, o.Data.Meta.Backup.Reason)
				if o.Data.Attributes.Status == "finished" {
					a.whole(t, o)
				}
				a.clean(t)
				last = a.run(t)
				if last.Data.Attributes.Status != "finished" || last.Data.Attributes.IsPartial != "false" {
					t.Errorf("the next backup is %+v %s", last.Data.Attributes, last.Data.Meta.Backup.Reason)
				}
			})
		}
		a.whole(t, last)
	})
}

// Whatever dies during a restore over a database, it is as it was or as it was dumped, as the restore reports, never a mixture;
// nothing is left beside it, and the next restore succeeds.
func TestKilledRestores(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "precious")
		fill(t, a, 60)
		o := a.run(t)
		if o.Data.Attributes.Status != "finished" {
			t.Fatalf("the backup is %+v", o.Data)
		}
		restore := func() panel.Answer {
			return p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/restores", map[string]any{"database_id": number(a.database.ID)})
		}
		for _, c := range cases(t) {
			what, at := victims[c[0]], c[1]
			t.Run(fmt.Sprintf("%s at moment %d", what, at+1), func(t *testing.T) {
				s.root(t, "precious", "DELETE FROM people WHERE id = 9")
				s.root(t, "precious", "INSERT INTO people VALUES (9, 'after the backup')")
				answer := restore()
				step := a.moment(t, answer.Header.Get("X-Hostler-Event"), func(step string) bool {
					switch at {
					case 0: // accepted
						return true
					case 1: // the fresh dump
						return step == "dump and send"
					case 2: // the object is checked
						return step == "restore precious"
					case 3:
						return step == "restore precious" && a.filling(t) > 0
					default:
						return step == "restore precious" && a.filling(t) > 30000
					}
				})
				a.kill(t, what)
				state, said := a.event(t, answer)
				got := a.people(t, "precious")
				t.Logf("%s killed in %q: %s %s; %s people", what, step, state, said, got)
				if want := map[bool]string{true: "3", false: "4"}[state == "succeeded"]; got != want {
					t.Errorf("the restore %s, and the database has %s people, want %s", state, got, want)
				}
				if rows := s.root(t, "precious", "SELECT COUNT(*) FROM bulk"); rows != "60000" {
					t.Errorf("the database has %s other rows", rows)
				}
				if got := s.root(t, "precious", "SELECT name FROM first_one"); got != "Ada" {
					t.Errorf("the view says %q", got)
				}
				if names := s.names(t); strings.Contains(names, "hostler_") {
					t.Errorf("left are %s", names)
				}
				if s.postgres() {
					if super := s.root(t, "", "SELECT rolname FROM pg_roles WHERE rolsuper ORDER BY 1"); super != "postgres" {
						t.Errorf("superusers are %s", super)
					}
				}
				if state, said := a.event(t, restore()); state != "succeeded" {
					t.Errorf("the next restore: %s %s", state, said)
				}
				if got := a.people(t, "precious"); got != "3" {
					t.Errorf("restored are %s people", got)
				}
			})
		}
		a.clean(t)
	})
}

// filling is about how many rows of the large table a restore has written so far.
func (a *archive) filling(t *testing.T) int {
	t.Helper()
	sql := "SELECT COALESCE(MAX(table_rows), 0) FROM information_schema.tables WHERE table_schema LIKE 'hostler\\_restore%' AND table_name = 'bulk'"
	if a.s.postgres() {
		sql = "SELECT COALESCE(MAX(tuples_processed), 0) FROM pg_stat_progress_copy WHERE datname = 'precious' AND command = 'COPY FROM'"
	}
	n, err := strconv.Atoi(a.s.root(t, "", sql))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
