package attack_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/value/corpus"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// payloads returns the corpus, and what leaves other traces than the file: the output of id, and a listener.
func payloads(canary string) []string {
	const port = "47321"
	return append(corpus.Injection(canary),
		"$(id>"+canary+")", "`id`", ";id;", "$(nc -lp "+port+" &)", "; setsid nc -lp "+port+" &",
		"a.example.com; } server { listen "+port+"; } #", "a.example.com\n\tlisten "+port+";", "allow all;",
		"80 accept comment \"x\" ; tcp dport "+port, "127.0.0.1; listen "+port,
		"../../../.."+canary, canary, "-o"+canary, "%s%s%n", "\x1b]8;;http://example.com\x07x\x1b]8;;\x07", "\x9b31m", "\n\nid: 1\nevent: output\ndata: {}\n\n")
}

// canaryPort is what payloads would listen on.
const canaryPort = ":47321"

type attempt struct {
	f     field
	value string
}

// seeded chooses a subset to try; HOSTLER_ATTACK_SEED changes the choice.
func seeded(t testing.TB) (r *rand.Rand, seed uint64) {
	t.Helper()
	seed = 1
	if s := os.Getenv("HOSTLER_ATTACK_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return rand.New(rand.NewPCG(seed, seed)), seed
}

// drawn skips the test in two of three runs that are not HOSTLER_ATTACK=full: for tests that take a minute or more.
func drawn(t testing.TB) {
	t.Helper()
	if full() {
		return
	}
	seed := drawSeed()
	name := fnv.New64a()
	_, _ = name.Write([]byte(t.Name()))
	if rand.New(rand.NewPCG(seed, name.Sum64())).IntN(3) != 0 {
		t.Skipf("not drawn with HOSTLER_ATTACK_SEED=%d; make attack runs it", seed)
	}
}

// drawSeed is another one for each process, so that every test is drawn now and then; HOSTLER_ATTACK_SEED repeats a draw.
var drawSeed = sync.OnceValue(func() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("HOSTLER_ATTACK_SEED"), 10, 64); err == nil {
		return seed
	}
	return uint64(time.Now().UnixNano())
})

// tenth returns a list under HOSTLER_ATTACK=full, else a seeded tenth of it, at least one.
func tenth[T any](t testing.TB, list []T) (some []T) {
	t.Helper()
	if full() {
		return list
	}
	r, _ := seeded(t)
	must := r.IntN(len(list))
	for i, one := range list {
		if i == must || r.IntN(10) == 0 {
			some = append(some, one)
		}
	}
	return some
}

// attempts returns every field with every payload, or a seeded tenth in which every field is.
func (a *attacker) attempts(t *testing.T) (list []attempt, fields int) {
	t.Helper()
	r, seed := seeded(t)
	all, listed := payloads(a.Canary), entries(t)
	for _, op := range operations(t) {
		for _, f := range op.fields {
			if fields++; listed[f.key()].reach == runs {
				continue
			}
			must := r.IntN(len(all))
			for i, p := range all {
				if full() || i == must || r.IntN(10) == 0 {
					list = append(list, attempt{f, p})
				}
			}
		}
	}
	t.Logf("%d fields of requests, %d payloads, %d cases (seed %d, full %t)", fields, len(all), len(list), seed, full())
	return list, fields
}

// Every field has a value that is accepted and found at its destination in fields.tsv, on a host or not; or it accepts no free
// text at all. This comes before the tests that fill a server up to its limits.
func TestFieldsReach(t *testing.T) {
	w := world(t)
	a := newAttacker(t, w)
	listed := entries(t)
	word := "m" + random(t)[:6] + "x"
	needles := map[string]string{} // by key
	seen := map[string]bool{}
	var nodes []any
	var replaced []map[string][]string
	for _, op := range operations(t) {
		for _, f := range op.fields {
			e := listed[f.key()]
			// a whole configuration of nginx: its tests are in test/e2e
			if e.key == "" || seen[e.key] || strings.HasSuffix(op.id, "nginx.update") || strings.HasSuffix(op.id, "nginx.root.update") ||
				strings.HasSuffix(op.id, ".stream") || f.in == "header" && (op.public || op.personal) {
				continue
			}
			if f.in == "query" && (strings.Contains(op.path, "{backgroundProcess}") || strings.Contains(op.path, "{job}")) {
				continue // there is none; other logs take the same
			}
			if seen[e.key] = true; w.Made[e.key] != "" {
				needles[e.key] = w.Made[e.key]
				continue
			}
			needle := e.value
			if strings.Contains(e.value, "{m}") {
				needle = word + itoa(len(needles)) + "z"
			}
			needles[e.key] = needle
			r := a.send(f, strings.ReplaceAll(e.value, "{m}", needle))
			if what := a.wrong(f, r); what != "" {
				t.Errorf("%s = %q: %s", e.key, e.value, what)
			}
			if ok := r.code/100 == 2; ok != (e.reach != refused && e.reach != known) {
				t.Errorf("%s %s, %s = %q answered %d, but fields.tsv says %s: %.300s", op.method, op.path, e.key, e.value, r.code, e.reach, r.body)
			}
			if e.reach == onHost && op.method == http.MethodPut { // looked for at once: the next change of the same thing replaces it
				w.settle(t)
				replaced = append(replaced, a.search(t, []string{needle}))
			}
			if strings.HasPrefix(e.key, "body organizations.servers.store .custom.") {
				var doc struct{ Data struct{ ID string } }
				if err := unmarshal(r.body, &doc); err != nil {
					t.Fatal(err)
				}
				nodes = append(nodes, map[string]any{"server_id": number(doc.Data.ID), "weight": 1, "down": true})
			}
		}
	}
	// Addresses of servers reach the balancers in front of them.
	nodes = append(nodes, map[string]any{"server_id": number(w.Web.ID), "weight": 1}, map[string]any{"server_id": number(a.spare.ID), "weight": 1, "down": true},
		map[string]any{"server_id": number(a.private.ID), "weight": 1, "down": true})
	w.Want(t, http.StatusAccepted, http.MethodPut, w.Balancer.Path("/sites/"+a.balanced.ID+"/load-balancing-nodes"),
		map[string]any{"balancer_method": "round_robin", "balancing": nodes})
	w.settle(t)
	w.workSucceeded(t)
	found := a.search(t, slices.Sorted(valuesOf(needles)))
	for _, places := range replaced {
		for needle, at := range places {
			found[needle] = append(found[needle], at...)
		}
	}
	count := map[string]int{}
	for key, needle := range needles {
		e := listed[key]
		count[e.reach]++
		places := found[needle]
		if e.reach == onHost {
			if !slices.ContainsFunc(places, func(p string) bool { return strings.Contains(p, e.where) }) {
				t.Errorf("%s: %q is not found at %s but at %q", key, needle, e.where, places)
			}
		} else if len(places) > 0 && e.reach != runs {
			t.Errorf("%s: %q is on a host, but fields.tsv says %s, because %s: %q", key, needle, e.reach, e.where, places)
		}
	}
	t.Logf("fields: %v", count)
}

// Every field of every operation accepts or refuses every hostile text; none of it is run, here or on the hosts, and existing things keep working.
func TestInjection(t *testing.T) {
	w := world(t)
	a := newAttacker(t, w)
	before, began := w.trusted(t), time.Now()
	listed := entries(t)
	list, _ := a.attempts(t)
	var next, accepted atomic.Int64
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var failures atomic.Int64
	var visitor sync.WaitGroup
	visitor.Go(func() { failures.Store(visit(w, stop)) })
	for range 4 {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(list) || t.Failed() && i > 500 {
					return
				}
				f, value := list[i].f, list[i].value
				r := a.send(f, value)
				if kind := fullOf(r); kind != "" {
					a.makeRoom(kind)
					r = a.send(f, value)
				}
				if what := a.wrong(f, r); what != "" {
					t.Errorf("%s %s, %s = %.80q: %s", f.op.method, f.op.path, f.key(), value, what)
				}
				if r.code/100 == 2 {
					accepted.Add(1)
					if e := listed[f.key()]; e.reach == refused && !empty(value) {
						t.Errorf("%s %s, %s takes %.80q: %d, but fields.tsv says that it takes no free text", f.op.method, f.op.path, f.key(), value, r.code)
					}
				}
			}
		})
	}
	wg.Wait()
	asked := time.Since(began)
	w.settle(t)
	close(stop)
	visitor.Wait()
	t.Logf("%d of %d requests were accepted; asking took %v, all work had ended after %v", accepted.Load(), len(list),
		asked.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	if n := failures.Load(); n > 0 {
		t.Errorf("the sites that were there before failed %d times meanwhile", n)
	}
	w.unharmed(t, before)
	w.noOutput(t)
	w.workSucceeded(t)
}

// empty reports whether a text has no visible sign: where an empty field clears something, it does too.
func empty(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

var refusedAsFull = regexp.MustCompile(`A server can have at most \d+ (background processes|scheduled jobs)`)

// fullOf returns the kind of thing that a server has too many of, as in its path; "" for any other answer.
func fullOf(r reply) string {
	if m := refusedAsFull.FindSubmatch(r.body); r.code == http.StatusUnprocessableEntity && m != nil {
		return "/" + strings.ReplaceAll(string(m[1]), " ", "-")
	}
	return ""
}

// makeRoom deletes the web server's things of a kind, once all of them have been on its host.
func (a *attacker) makeRoom(kind string) {
	a.room.Lock()
	defer a.room.Unlock()
	path := a.Web.Path(kind)
	a.Until(a.t, 10*time.Minute, path+"?page[size]=200", "room for more", func(list panel.Answer) bool {
		for _, r := range list.List {
			if state := r.Operation().State; state != "pending" && state != "running" {
				if _, err := a.Do(http.MethodDelete, path+"/"+r.ID, nil); err != nil {
					a.t.Error(err)
				}
			}
		}
		return len(list.List) < 20
	})
}

// visit asks for the sites that were there before, until stop is closed, and counts failures.
func visit(w *World, stop <-chan struct{}) (failed int64) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, s := range []panel.Server{w.Balancer, w.Web} {
			if get(s.Host, witnessName) != nil {
				failed++
			}
		}
		select {
		case <-stop:
			return failed
		case <-tick.C:
		}
	}
}

var idOutput = regexp.MustCompile(`uid=\d+\(`)

// noOutput fails the test if the output of id appears anywhere: in what the panel stored or logged, or in what it wrote on hosts.
func (w *World) noOutput(t testing.TB) {
	t.Helper()
	shown, err := db.Column[string](t.Context(), w.DB(t),
		"SELECT content FROM event_outputs UNION ALL SELECT description FROM events UNION ALL SELECT reason FROM operations WHERE reason IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range shown {
		if idOutput.MatchString(text) {
			t.Errorf("the output of id stands in an event: %q", text)
		}
	}
	if idOutput.MatchString(w.Log()) {
		t.Error("the output of id stands in the panel's log")
	}
	for _, s := range []panel.Server{w.Balancer, w.Web} {
		if out, _ := s.Host.TryExec("sh", "-c", "grep -rlE 'uid=[0-9]+\\(' /etc /home /var/lib/hostler 2>/dev/null; ss -Hltn | grep '"+canaryPort+"'"); out != "" {
			t.Errorf("%s: the output of id or its listener is there: %s", s.Host.Name, out)
		}
	}
}

// workSucceeded fails the test if work that was accepted failed on a host: a text that breaks a configuration should have been refused.
func (w *World) workSucceeded(t testing.TB) {
	t.Helper()
	rows, err := w.DB(t).Query("SELECT id, state, aspect, action, step, coalesce(reason, '') FROM operations WHERE state NOT IN ('succeeded', 'pending', " +
		"'running') AND COALESCE(reason, '') NOT LIKE 'Superseded by%' AND server_id IN (" + w.Balancer.ID + "," + w.Web.ID + ") LIMIT 20")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var state, aspect, action, step, reason string
		if err := rows.Scan(&id, &state, &aspect, &action, &step, &reason); err != nil {
			t.Fatal(err)
		}
		t.Errorf("operation %d (%s %s) %s at %q: %s", id, action, aspect, state, step, reason)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// search finds words on a host: in the contents and names of files and the targets of links, in the journal, the accounts and the loaded rules.
const search = `cd /
for d in etc home root var/lib/hostler var/log var/spool run/hostler usr/local tmp var/tmp; do [ -e $d ] && grep -roaE -- "$1" $d; done 2>/dev/null
find etc home root var/lib run tmp var/tmp -regextype posix-extended \
	\( -regex ".*($1).*" -print -o -lname '*' -printf '%p:%l\n' \) 2>/dev/null | grep -E -- "$1"
journalctl -o cat --no-pager 2>/dev/null | grep -oE -- "$1" | sed 's/^/journal:/'
nft list ruleset | grep -oE -- "$1" | sed 's/^/nft:/'
true`

// search returns the places of words on both hosts: host, colon, path.
func (a *attacker) search(t testing.TB, words []string) map[string][]string {
	t.Helper()
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, regexp.QuoteMeta(word))
	}
	found := map[string][]string{}
	for _, s := range []panel.Server{a.Balancer, a.Web} {
		out := s.Host.Exec(t, "sh", "-c", search, "sh", strings.Join(quoted, "|"))
		for line := range strings.Lines(out) {
			for _, word := range words {
				if line = strings.TrimSpace(line); strings.Contains(line, word) {
					if place := fmt.Sprintf("%s:/%.150s", s.Host.Name, line); !slices.Contains(found[word], place) && len(found[word]) < 20 {
						found[word] = append(found[word], place)
					}
				}
			}
		}
	}
	return found
}
