package value_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// What other schedulers take and cron ignores together with the rest of the file is refused, with what to write.
func TestCronRefusesWhatTheHostIgnores(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"0/1 * * * *":     "*/1",
		"5/15 * * * *":    "5-59/15",
		"0/5 * 1/1 * *":   "*/5",
		"0 0 1/2 * *":     "*/2",
		"0 9 * * 1/2":     "1-6/2",
		"0 0 * jan/3 *":   "*/3",
		"* * * * ?":       `"?"`,
		"0 0 L * *":       `"L"`,
		"0 0 * * 5#2":     `"5#2"`,
		"0 0 * * 8":       "0 to 7",
		"60 * * * *":      "0 to 59",
		"0 0 * * sunday":  "sun to sat",
		"30-10 * * * *":   "Write 30-59,0-10.",
		"0 0 * * sat-sun": "Write 6-7.",
		"0 0 * * fri-mon": "Write 5-6,0-1.",
		"* * * * 2-0":     "Write 2-7.",
		"0 22-4 * * *":    "Write 22-23,0-4.",
		"0 0 1 nov-jan *": "Write 11-12,1.",
		"1-5-7 * * * *":   `"1-5-7"`,
		"**/2 * * * *":    `"**/2"`,
		"1,,2 * * * *":    `""`,
		"*/0 * * * *":     `"*/0"`,
		"*/90 * * * *":    "0 */3 * * * and 30 1-23/3 * * *",
		"*/120 * * * *":   "Write 0 */2 * * *.",
		"*/70 * * * *":    "happen at 0 only.",
		"0 */48 * * *":    "Write 0 0 */2 * *.",
		"0 0 */60 * *":    "happen at 1 only.",

		"* * * * * php /home/me/artisan schedule:run": "write * * * * *. A command has a field of its own.",
		"0 3 * * * root":      "write 0 3 * * *.",
		"0 0 12 1/1 * ? *":    "it is 0 12 */1 * *.",
		"0 0 8 ? * MON-FRI":   "it is 0 8 * * MON-FRI.",
		"cron(15 10 * * ? *)": "15 10 * * *.",
		"'0 3 * * *'":         "without quotes: 0 3 * * *.",
		"0 0 30 2 *":          "never happens",
		"0 * * * * *":         "five fields",
		"@every 5m":           "five fields",
		"@reboot":             "choose the frequency reboot",
		"TZ=UTC 0 3 * * *":    "write 0 3 * * *.",
		"0, 30 * * * *":       "write 0,30 * * * *.",
		"* * * * * root x":    "five fields",
		"* * * *":             "five fields",
		"":                    "five fields",
		"* * * *\n*":          "five fields",
		"H * * * *":           `"H"`,
		"1.5 * * * *":         `"1.5"`,
		"+1 * * * *":          `"+1"`,
	} {
		if c, err := value.ParseCron(text); err == nil {
			t.Errorf("%q is accepted as %s", text, c)
		} else if !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %s", text, err, says)
		}
	}
}

// What cron reads is accepted: names, lists of ranges, steps, tabs, words.
func TestCronAcceptsWhatTheHostReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0 9 * * mon-fri":      "2026-01-01T09:00:00Z",
		"0 0 * JAN,jul *":      "2026-01-02T00:00:00Z",
		"0 13-23/3 * * 1-5":    "2026-01-01T13:00:00Z",
		"1-59/3 * * * *":       "2026-01-01T00:01:00Z",
		"*/60 * * * *":         "2026-01-01T01:00:00Z",
		"0 */24 * * *":         "2026-01-02T00:00:00Z",
		"007\t1 * *  *":        "2026-01-01T01:07:00Z",
		"0 0 * * 7":            "2026-01-04T00:00:00Z",
		"0 0 * * 5-7":          "2026-01-02T00:00:00Z",
		"0 0 13 * fri":         "2026-01-02T00:00:00Z", // either
		"0 0 */13 * fri":       "2026-02-27T00:00:00Z", // both: an asterisk begins the days
		"0 0 29 2 *":           "2028-02-29T00:00:00Z",
		"0 0 29 feb */7":       "2032-02-29T00:00:00Z",
		"@daily":               "2026-01-02T00:00:00Z",
		"@hourly":              "2026-01-01T01:00:00Z",
		"1,5-7,*/30 * * * *":   "2026-01-01T00:01:00Z",
		"0-59/15,7 4 1-5 * *":  "2026-01-01T04:00:00Z",
		"10 4 * * 1-6/2":       "2026-01-02T04:10:00Z",
		"0 0 31 1-12 *":        "2026-01-31T00:00:00Z",
		" 5  4  *  *  * ":      "2026-01-01T04:05:00Z",
		"0 0,12 1 */2 *":       "2026-01-01T12:00:00Z",
		"59 23 31 dec *":       "2026-12-31T23:59:00Z",
		"0 0 1,15 * wed":       "2026-01-07T00:00:00Z",
		"*/7 */5 * * *":        "2026-01-01T00:07:00Z",
		"0 0 * 1,3,5,7-12/2 *": "2026-01-02T00:00:00Z",
	} {
		c, err := value.ParseCron(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, err := c.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q is next at %s, %v; want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
}

// What an earlier release accepted keeps its meaning where Hostler itself follows it.
func TestStoredCronKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"5/15 * * * *": "5-59/15 * * * *", "0/1 0/6 * * 1/2": "*/1 */6 * * 1-6/2", "*/5 * * * *": "*/5 * * * *",
		"nothing": ""} {
		if c, err := value.ParseStoredCron(text); c.String() != want || (err == nil) != (want != "") {
			t.Errorf("%s is %s, %v; want %s", text, c, err, want)
		}
	}
}

// Where clocks change, above all at midnight, a schedule goes on.
func TestCronNextWhereClocksChange(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02 15:04 -0700"
	for _, c := range []struct{ cron, zone, after, want string }{
		{"0 2 * * 0", "America/Santiago", "2026-08-30 02:00 -0400", "2026-09-06 02:00 -0300"},
		{"0 3 20 9 *", "America/Santiago", "2026-01-01 00:00 -0300", "2026-09-20 03:00 -0300"},
		{"0 3 20 3 *", "America/Havana", "2026-01-01 00:00 -0500", "2026-03-20 03:00 -0400"},
		{"0 0 6 9 *", "America/Santiago", "2026-01-01 00:00 -0300", "2026-09-06 01:00 -0300"}, // skipped: at the change
		{"30 0 * * *", "America/Santiago", "2026-09-05 00:30 -0400", "2026-09-06 01:00 -0300"},
		{"30 1 * * *", "Europe/Lisbon", "2025-03-29 01:30 +0000", "2025-03-30 02:00 +0100"},
		{"0 1 30 3 *", "Europe/Lisbon", "2024-12-01 00:00 +0000", "2025-03-30 02:00 +0100"},
		{"30 2 * * *", "Europe/Amsterdam", "2023-03-25 02:30 +0100", "2023-03-26 03:00 +0200"},
		{"30 2 * * *", "Europe/Amsterdam", "2023-10-29 02:30 +0200", "2023-10-30 02:30 +0100"}, // twice on the clock, once here
		{"30 * * * *", "Europe/Amsterdam", "2023-10-29 02:30 +0200", "2023-10-29 02:30 +0100"}, // follows the clock
		{"*/30 * * * *", "Australia/Melbourne", "2024-04-07 02:30 +1100", "2024-04-07 02:00 +1000"},
		{"*/15 * * * *", "Australia/Lord_Howe", "2026-10-04 01:45 +1030", "2026-10-04 02:30 +1100"}, // half an hour
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03 02:15 +1030", "2026-10-04 02:30 +1100"},
		{"0 0 * * *", "Asia/Beirut", "2026-03-28 00:00 +0200", "2026-03-29 01:00 +0300"},
		{"0 12 * * *", "Pacific/Apia", "2011-12-29 12:00 -1000", "2011-12-31 00:00 +1400"}, // a day that was not
		{"0 5 * * *", "Asia/Kathmandu", "2026-01-01 05:00 +0545", "2026-01-02 05:00 +0545"},
	} {
		cron, err := value.ParseCron(c.cron)
		if err != nil {
			t.Fatal(err)
		}
		zone := mustZone(t, c.zone)
		after, err := time.Parse(layout, c.after)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cron.Next(after, zone)
		if err != nil || got.In(zone).Format(layout) != c.want {
			t.Errorf("%s in %s after %s is %s, %v; want %s", c.cron, c.zone, c.after, got.In(zone).Format(layout), err, c.want)
		}
	}
}

// spec is an expression with its meaning, as a generator made them.
type spec struct {
	fields [5]string
	sets   [5]map[int]bool
}

func (s spec) String() string { return strings.Join(s.fields[:], " ") }

func (s spec) wild() bool { return s.fields[0][0] == '*' || s.fields[1][0] == '*' }

// has reports whether a time on a clock matches.
func (s spec) has(w time.Time) bool {
	day, weekday := s.sets[2][w.Day()], s.sets[4][int(w.Weekday())] || w.Weekday() == 0 && s.sets[4][7]
	either := s.fields[2][0] != '*' && s.fields[4][0] != '*'
	return s.sets[0][w.Minute()] && s.sets[1][w.Hour()] && s.sets[3][int(w.Month())] && (day && weekday || either && (day || weekday))
}

var bounds = [5][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}}

// generate makes an expression that happens often, with all forms of crontab(5).
func generate(r *rand.Rand) spec {
	var s spec
	words := [5][]string{3: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec"), 4: strings.Fields("Sun mon tue wed thu fri sat")}
	for i, b := range bounds {
		s.sets[i] = map[int]bool{}
		write := func(n int) string {
			if w := words[i]; n-b[0] < len(w) && r.IntN(3) == 0 {
				return w[n-b[0]]
			}
			return strconv.Itoa(n)
		}
		var items []string
		for range 1 + r.IntN(3)/2 {
			low, high, step := b[0], b[1], 1
			item := "*"
			if i < 2 && r.IntN(2) == 0 || i >= 2 && r.IntN(4) == 0 {
				low = b[0] + r.IntN(b[1]-b[0]+1)
				high, item = low, write(low)
				if r.IntN(2) == 0 {
					high = low + r.IntN(b[1]-low+1)
					item += "-" + write(high)
				}
			}
			if strings.ContainsAny(item, "*-") && r.IntN(3) == 0 {
				step = 1 + r.IntN(b[1]+3)
				item += "/" + strconv.Itoa(step)
			}
			for n := low; n <= high; n += step {
				s.sets[i][n] = true
			}
			items = append(items, item)
		}
		s.fields[i] = strings.Join(items, ",")
	}
	return s
}

// zones returns the names of the zones that this machine knows, or else those whose clocks change in unusual ways.
func zones(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("/usr/share/zoneinfo/tzdata.zi")
	if err != nil {
		return strings.Fields("America/Santiago America/Havana Asia/Beirut Africa/Cairo Australia/Lord_Howe Europe/Lisbon " +
			"America/Sao_Paulo Asia/Gaza Pacific/Apia Africa/Casablanca")
	}
	var names []string
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Z" {
			names = append(names, f[1])
		}
	}
	return names
}

// Each change of the clock of every zone over 20 years, with expressions of a generator, judged by a clock that is read minute by minute.
func TestCronNextInEveryZone(t *testing.T) {
	t.Parallel()
	const before, within = 3 * time.Hour, 8 * time.Hour
	changes, expressions := 0, 0
	for n, name := range zones(t) {
		zone, r := mustZone(t, name), rand.New(rand.NewPCG(33, uint64(n)))
		_, at := time.Date(2015, 1, 1, 0, 0, 0, 0, zone).ZoneBounds()
		for ; !at.IsZero() && at.Year() < 2035; _, at = at.ZoneBounds() {
			changes++
			s := generate(r)
			c, err := value.ParseHostCron(s.String())
			if err != nil {
				if strings.Contains(err.Error(), "never happens") {
					continue
				}
				t.Fatalf("%s: %v", s, err)
			}
			expressions++
			var want, got []time.Time
			from := at.Add(-before).Truncate(time.Minute)
			shown := func(at time.Time) time.Time {
				_, offset := at.In(zone).Zone()
				return at.UTC().Add(time.Duration(offset) * time.Second)
			}
			seen := shown(from)
			for now := from.Add(time.Minute); now.Before(from.Add(within)); now = now.Add(time.Minute) {
				clock := shown(now)
				happens := s.wild() && s.has(clock)
				for ; !s.wild() && seen.Before(clock); happens = happens || s.has(seen) {
					seen = seen.Add(time.Minute)
				}
				if happens {
					want = append(want, now.UTC())
				}
			}
			for now := from; ; {
				if now, err = c.Next(now, zone); err != nil || !now.Before(from.Add(within)) {
					break
				}
				got = append(got, now)
			}
			if !slices.EqualFunc(got, want, time.Time.Equal) {
				t.Fatalf("%s in %s around %s:\n%v\nwant\n%v", s, name, at, got, want)
			}
		}
	}
	t.Logf("%d changes of clocks, %d expressions", changes, expressions)
}

// crontab returns the program that says whether the cron of this machine reads a file, by its names in Debian 12 and 13; nil where it has none.
func crontab(t *testing.T) func(expressions ...string) bool {
	t.Helper()
	path, err := exec.LookPath("crontab")
	if err != nil {
		t.Skip("the package cron is not installed")
	}
	dir := t.TempDir()
	try := func(flag string, expressions ...string) bool {
		file := filepath.Join(dir, "crontab")
		if err := os.WriteFile(file, []byte(strings.Join(expressions, " true\n")+" true\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return exec.Command(path, flag, file).Run() == nil
	}
	for _, flag := range []string{"-T", "-n"} {
		if try(flag, "* * * * *") && !try(flag, "61 * * * *") {
			return func(expressions ...string) bool { return try(flag, expressions...) }
		}
	}
	t.Skip("this crontab has no check without installing")
	return nil
}

// Expressions of a generator, well formed and not, judged by the cron of this machine.
func TestCronAsTheHostReadsIt(t *testing.T) {
	t.Parallel()
	reads := crontab(t)
	r := rand.New(rand.NewPCG(33, 1))
	var accepted []string
	refused := 0
	for i := range 4000 {
		s := generate(r)
		if i%3 > 0 {
			at := r.IntN(5)
			field := s.fields[at]
			cut := r.IntN(len(field) + 1)
			s.fields[at] = field[:cut] + string("*,-/0179?LWH#~amon"[r.IntN(18)]) + field[cut:]
		}
		switch _, err := value.ParseHostCron(s.String()); {
		case err == nil:
			accepted = append(accepted, s.String())
		case refused >= 150 || partlyRead(s) || strings.Contains(err.Error(), "never happens"):
		case reads(s.String()):
			t.Errorf("%q is refused, and cron reads it: %v", s, err)
		default:
			refused++
		}
	}
	if !reads(accepted...) { // cron ignores the whole file
		for _, s := range accepted {
			if !reads(s) {
				t.Errorf("%q is accepted, and cron ignores it", s)
			}
		}
	}
	for _, word := range strings.Fields("@yearly @annually @monthly @weekly @daily @midnight @hourly") {
		if _, err := value.ParseCron(word); err != nil || !reads(word) {
			t.Errorf("%s: %v", word, err)
		}
	}
	t.Logf("%d accepted by both, %d refused by both", len(accepted), refused)
}

// partlyRead reports what cron accepts and reads only the beginning of, since something follows a value that is complete, or nothing of: 5-1.
func partlyRead(s spec) bool {
	for _, field := range s.fields {
		for item := range strings.SplitSeq(field, ",") {
			span, step, _ := strings.Cut(item, "/")
			first, last, _ := strings.Cut(span, "-")
			low, errLow := strconv.Atoi(first)
			high, errHigh := strconv.Atoi(last)
			if errLow == nil && errHigh == nil && low > high {
				return true
			}
			if strings.HasPrefix(item, "*") && span != "*" || strings.ContainsAny(last, "-*?#~") || strings.ContainsAny(first, "*?#~") && first != "*" ||
				strings.ContainsAny(step, "-*?#~/") {
				return true
			}
		}
	}
	return false
}

func ExampleCron_Next() {
	c, _ := value.ParseCron("0 3 * * sun")
	at, _ := c.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)
	fmt.Println(at)
	// Output: 2026-01-04 03:00:00 +0000 UTC
}
