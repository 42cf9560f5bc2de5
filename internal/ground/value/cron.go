package value

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Cron is a schedule as the cron of Debian and Ubuntu reads it (crontab(5)): minute, hour, day of the month, month and day of the week, or a word
// such as @daily. What cron refuses is refused; so is what it accepts but reads only the beginning of, such as 1-5-7, and a step beyond its field, such as
// */90, with which cron runs at the field's beginning only.
type Cron struct {
	fields                            string
	minutes, hours, days, months, dow uint64
	// everyDay and everyWeekday report fields that begin with an asterisk: unless one of them does, a day matches either field.
	everyDay, everyWeekday bool
	// wild reports an asterisk in the minutes or hours: such a schedule follows the clock where it changes. Any other happens once.
	wild bool
}

type cronField struct {
	name      string
	low, high int
	words     []string // of low and the following
}

var (
	cronMonths   = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	cronWeekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	cronFields   = [5]cronField{
		{"minute", 0, 59, nil}, {"hour", 0, 23, nil}, {"day of the month", 1, 31, nil}, {"month", 1, 12, cronMonths}, {"day of the week", 0, 7, cronWeekdays},
	}
	cronWords = map[string]string{
		"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
		"@hourly": "0 * * * *",
	}
)

// maxCron is the longest expression, in bytes. Cron itself reads fields of up to 100.
const maxCron = 100

// cloudCron matches what schedulers of clouds write around an expression, and quoted what programs and settings do.
var (
	cloudCron = regexp.MustCompile(`^cron\((.*)\)$`)
	rateCron  = regexp.MustCompile(`^rate\(.*\)$|^\d+ ?\w+$`)
	quoted    = regexp.MustCompile("^(?:'([^']*)'|\"([^\"]*)\"|`([^`]*)`)$")
)

// otherCron returns what is wrong with an expression that has more than fields, as a crontab and other schedulers allow, "" for any other.
func otherCron(text string) string {
	if m := quoted.FindStringSubmatch(text); m != nil {
		return "The cron expression is written without quotes: " + m[1] + m[2] + m[3] + "."
	}
	if m := cloudCron.FindStringSubmatch(text); m != nil {
		if five, ok := readFive(strings.Fields(m[1])); ok {
			return "The cron expression is of five fields alone: " + five + "."
		}
	}
	if rateCron.MatchString(text) {
		return "The cron expression must have five fields. Every five minutes is */5 * * * *."
	}
	switch first, rest, _ := strings.Cut(text, " "); {
	case first == "@reboot":
		return "The cron expression has no time: choose the frequency reboot instead."
	case first == "@every":
		return "The cron expression must have five fields. Every five minutes is */5 * * * *."
	case strings.HasPrefix(first, "CRON_TZ=") || strings.HasPrefix(first, "TZ="):
		return "The cron expression has no time zone, since it is read in that of the server: write " + rest + "."
	case strings.Contains(text, ", "):
		return "The cron expression has blanks in a list: write " + strings.ReplaceAll(text, ", ", ",") + "."
	}
	return ofMoreFields(text)
}

// ofMoreFields returns what to write for an expression of another scheduler that has six or seven fields, seconds first and the year last, or for a line of
// a crontab, which has the command too; "" for any other.
func ofMoreFields(text string) string {
	parts := strings.Split(text, " ")
	if len(parts) < 6 {
		return ""
	}
	if !isCronField(parts[5]) {
		if five, ok := readFive(parts); ok {
			return "The cron expression has more than its five fields: write " + five + ". A command has a field of its own."
		}
		return ""
	}
	if five, ok := readFive(parts[1:]); ok && len(parts) < 8 {
		return "The cron expression has no seconds and no years: of five fields it is " + five + "."
	}
	return ""
}

// readFive reads the first five fields of another scheduler.
func readFive(parts []string) (string, bool) {
	if len(parts) < 5 {
		return "", false
	}
	c, err := ParseStoredCron(strings.ReplaceAll(strings.Join(parts[:5], " "), "?", "*"))
	return c.String(), err == nil
}

// isCronField reports whether a text may be a field of a scheduler, and not a command.
func isCronField(text string) bool {
	return text == "*" || text == "?" || strings.ContainsAny(text[:1], "*?0123456789") || cronFields[4].has(text)
}

// has reports whether a text is made of the words of a field.
func (f cronField) has(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '-' }) {
		if _, ok := f.number(word); !ok {
			return false
		}
	}
	return true
}

// ParseCron parses an expression that happens at all. @daily and its like become five fields.
func ParseCron(s string) (Cron, error) {
	c, err := ParseHostCron(s)
	if err != nil {
		return c, err
	}
	return c, c.beyond()
}

// beyond returns an error for a step that is larger than its field has values: cron takes the field's beginning, and what is meant is something else.
func (c Cron) beyond() error {
	parts := strings.Split(c.fields, " ")
	for i, f := range cronFields {
		values := f.high - f.low + 1
		if f.words != nil && f.high == 7 {
			values = 7
		}
		for item := range strings.SplitSeq(parts[i], ",") {
			text, ok := strings.CutPrefix(item, "*/")
			step, is := cronNumber(text)
			if !ok || !is || step <= values {
				continue
			}
			return Error(fmt.Sprintf("The cron expression has %s as its %s, and cron counts no further than the field: it would happen at %d only.%s",
				quoteCron(item), f.name, f.low, smaller(parts, i, step)))
		}
	}
	return nil
}

// smaller returns how a step that is larger than its field is written for cron, "" if it can't be.
func smaller(parts []string, field, step int) string {
	only := func(fields ...int) bool {
		for _, i := range fields {
			if parts[i] != "*" {
				return false
			}
		}
		return true
	}
	const minutes, hours, days = 60, 24, 31
	switch {
	case field == 0 && only(1, 2, 3, 4):
		var lines []string
		cycle := step
		for cycle%minutes != 0 {
			cycle += step
		}
		if every := cycle / minutes; hours%every == 0 && cycle/step <= 3 {
			for at := 0; at < cycle; at += step {
				hour := fmt.Sprintf("%d-23/%d", at/minutes, every)
				if at < minutes {
					hour = fmt.Sprintf("*/%d", every)
				}
				lines = append(lines, fmt.Sprintf("%d %s * * *", at%minutes, hour))
			}
			if len(lines) > 1 {
				return " Write " + strings.Join(lines, " and ") + ", each in one of its own."
			}
			return " Write " + lines[0] + "."
		}
	case field == 1 && only(2, 3, 4) && step%hours == 0 && step/hours <= days:
		return fmt.Sprintf(" Write %s 0 */%d * *.", parts[0], step/hours)
	}
	return ""
}

// ParseHostCron parses what the cron of a host reads: steps beyond their field too.
func ParseHostCron(s string) (Cron, error) {
	text := strings.Join(strings.Fields(s), " ")
	if five, ok := cronWords[strings.ToLower(text)]; ok {
		text = five
	}
	if why := otherCron(text); why != "" {
		return Cron{}, Error(why)
	}
	parts := strings.Split(text, " ")
	if len(parts) != len(cronFields) || len(s) > maxCron || strings.ContainsAny(s, "\r\n\v\f\x00\u0085\u2028\u2029") {
		return Cron{}, Error("The cron expression must have five fields: minute, hour, day, month, weekday.")
	}
	c := Cron{fields: text}
	for i, into := range []*uint64{&c.minutes, &c.hours, &c.days, &c.months, &c.dow} {
		set, err := cronFields[i].parse(parts[i])
		if err != nil {
			return Cron{}, err
		}
		*into = set
	}
	const sunday, alsoSunday = 1 << 0, 1 << 7
	if c.dow&(sunday|alsoSunday) != 0 {
		c.dow |= sunday | alsoSunday
	}
	c.everyDay, c.everyWeekday = parts[2][0] == '*', parts[4][0] == '*'
	c.wild = parts[0][0] == '*' || parts[1][0] == '*'
	// Between 2000 and 2040 every date falls on every day of the week, 29 February included.
	if _, ok := c.match(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return Cron{}, Error("The cron expression never happens.")
	}
	return c, nil
}

// ParseStoredCron parses an expression that was accepted before: 5/15 meant 5-59/15, and */90 is what cron makes of it.
func ParseStoredCron(s string) (Cron, error) {
	c, err := ParseHostCron(s)
	if err == nil {
		return c, nil
	}
	parts := strings.Fields(s)
	for i := range min(len(parts), len(cronFields)) {
		items := strings.Split(parts[i], ",")
		for j, item := range items {
			if from, step, ok := strings.Cut(item, "/"); ok && from != "*" && !strings.Contains(from, "-") {
				items[j] = cronFields[i].suggest(from, step)
			}
		}
		parts[i] = strings.Join(items, ",")
	}
	if mended, ok := ParseHostCron(strings.Join(parts, " ")); ok == nil {
		return mended, nil
	}
	return c, err
}

// parse returns the values of a field as bits.
func (f cronField) parse(text string) (set uint64, err error) {
	for item := range strings.SplitSeq(text, ",") {
		span, step, stepped := strings.Cut(item, "/")
		low, high, every := f.low, f.high, 1
		if span != "*" {
			first, last, ranged := strings.Cut(span, "-")
			if stepped && !ranged {
				return 0, Error(fmt.Sprintf("The cron expression has %s as its %s, and cron ignores that: a step needs a range, such as %s.",
					quoteCron(item), f.name, f.suggest(span, step)))
			}
			var ok, both bool
			low, ok = f.number(first)
			high, both = low, true
			if ranged {
				high, both = f.number(last)
			}
			if !ok || !both {
				return 0, f.refuse(item)
			}
			if low > high {
				return 0, Error(fmt.Sprintf("The cron expression has %s as its %s, which ends before it begins. Write %s.", quoteCron(item), f.name,
					f.around(low, high)))
			}
		}
		if stepped {
			n, ok := cronNumber(step)
			if !ok || n == 0 {
				return 0, f.refuse(item)
			}
			every = n
		}
		for i := low; i <= high; i += every {
			set |= 1 << i
		}
	}
	return set, nil
}

// around returns a range that goes on at the beginning of its field, such as from Friday to Monday, as cron takes it.
func (f cronField) around(from, to int) string {
	end := f.high
	if f.high == 7 { // Sunday is 0 and 7
		if to == 0 {
			return fmt.Sprintf("%d-7", from)
		}
		end = 6
	}
	span := func(from, to int) string {
		if from == to {
			return strconv.Itoa(from)
		}
		return fmt.Sprintf("%d-%d", from, to)
	}
	return span(from, end) + "," + span(f.low, to)
}

// suggest returns what a number with a step was meant to be.
func (f cronField) suggest(from, step string) string {
	high := f.high
	if f.low == 0 && high == 7 {
		high = 6
	}
	n, ok := f.number(from)
	if s, is := cronNumber(step); !ok || !is || s == 0 {
		return fmt.Sprintf("%d-%d/2", f.low, high)
	}
	if n == f.low {
		return "*/" + step
	}
	return fmt.Sprintf("%s-%d/%s", from, high, step)
}

func (f cronField) refuse(item string) error {
	values := fmt.Sprintf("%d to %d", f.low, f.high)
	if f.words != nil {
		values += fmt.Sprintf(", or %s to %s", f.words[0], f.words[len(f.words)-1])
	}
	return Error(fmt.Sprintf("The cron expression has %s as its %s: it can be *, or values of %s, as lists (1,2), ranges (1-5) and steps (*/2, 1-5/2).",
		quoteCron(item), f.name, values))
}

func quoteCron(item string) string { return strconv.QuoteToASCII(item) }

// number returns the value of a number or a word.
func (f cronField) number(text string) (int, bool) {
	for i, w := range f.words {
		if strings.EqualFold(text, w) {
			return f.low + i, true
		}
	}
	n, ok := cronNumber(text)
	return n, ok && n >= f.low && n <= f.high
}

// cronNumber parses a decimal number, leading zeros allowed.
func cronNumber(text string) (int, bool) {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n < 1<<20
}

// String returns the five fields with one blank between them.
func (c Cron) String() string { return c.fields }

// IsZero reports whether c was never parsed.
func (c Cron) IsZero() bool { return c.fields == "" }

// horizon is how far Next looks: the longest pause is between two 29 Februaries on one day of the week, where a century has no leap day.
const horizon = 45 * 366 * 24 * time.Hour

// Next returns the first time after a moment, in a time zone. Where clocks change it does as cron(8): a time that is skipped happens at the change, a
// time that occurs twice happens once, and a schedule with an asterisk in its minutes or hours follows the clock.
func (c Cron) Next(after time.Time, zone *time.Location) (time.Time, error) {
	at, first := after.In(zone), after.Truncate(time.Minute).Add(time.Minute)
	for until := at.Add(horizon); at.Before(until); {
		// Between two changes of the clock, its time is UTC and an offset.
		start, end := at.ZoneBounds()
		offset := offsetOf(at)
		from, to := wall(first, offset), until
		if !end.IsZero() && end.Before(until) {
			to = end
		}
		if !start.IsZero() && !c.wild {
			if seen := wall(start, offsetOf(start.Add(-time.Second))); seen.After(from) { // the clock was set back: these happened
				from = seen
			}
		}
		if found, ok := c.match(from, wall(to, offset)); ok {
			return found.Add(-offset), nil
		}
		if end.IsZero() {
			break
		}
		if resumed := wall(end, offsetOf(end)); !c.wild {
			if _, ok := c.match(wall(end, offset), resumed); ok {
				return end.UTC(), nil
			}
		}
		at, first = end, end
	}
	return after, fmt.Errorf("next time of %q: there is none", c.fields)
}

func offsetOf(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// wall returns the time that clocks with an offset show, as if it were UTC.
func wall(t time.Time, offset time.Duration) time.Time { return t.UTC().Add(offset) }

// match returns the first time on a clock that never changes, at or after one and before another.
func (c Cron) match(from, to time.Time) (time.Time, bool) {
	if rest := from.Sub(from.Truncate(time.Minute)); rest > 0 {
		from = from.Add(time.Minute - rest)
	}
	midnight := from.Truncate(24 * time.Hour)
	first := int(from.Sub(midnight) / time.Minute)
	for ; midnight.Before(to); midnight, first = midnight.Add(24*time.Hour), 0 {
		if !c.on(midnight) {
			continue
		}
		minute, ok := c.minuteFrom(first)
		if !ok {
			continue
		}
		found := midnight.Add(time.Duration(minute) * time.Minute)
		return found, found.Before(to)
	}
	return from, false
}

// on reports whether a date matches.
func (c Cron) on(date time.Time) bool {
	if c.months&(1<<date.Month()) == 0 {
		return false
	}
	day, weekday := c.days&(1<<date.Day()) != 0, c.dow&(1<<date.Weekday()) != 0
	if c.everyDay || c.everyWeekday {
		return day && weekday
	}
	return day || weekday
}

// minuteFrom returns the first minute of a day that matches, at or after one.
func (c Cron) minuteFrom(first int) (int, bool) {
	for hour, minute := first/60, first%60; hour < 24; hour, minute = hour+1, 0 {
		if c.hours&(1<<hour) == 0 {
			continue
		}
		if left := c.minutes >> minute << minute; left != 0 {
			return hour*60 + bits.TrailingZeros64(left), true
		}
	}
	return 0, false
}

// MarshalText returns the fields.
func (c Cron) MarshalText() ([]byte, error) { return []byte(c.fields), nil }

// UnmarshalText calls ParseCron.
func (c *Cron) UnmarshalText(b []byte) error { return unmarshal(c, b, ParseCron) }
