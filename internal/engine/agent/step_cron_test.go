package agent

import (
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A job with an expression that the host's cron does not read is not installed, and says what cron said.
func TestCronIsAskedOnTheHost(t *testing.T) {
	t.Parallel()
	for flag, program := range map[string]string{
		"-T": `case $1 in -T) ! grep -q '^\(61\|0/1\)' "$2" || { echo '"crontab":1: bad minute' >&2; exit 1; };; *) exit 2;; esac`,
		"-n": `case $1 in -n) ! grep -q '^\(61\|0/1\)' "$2" || { echo '"crontab":1: bad minute' >&2; exit 1; };; *) exit 2;; esac`,
	} {
		b := newBed(t)
		b.program("crontab", program)
		b.write("/etc/cron.d/other", "")
		file := wire.Step{Name: "job", File: &wire.File{Path: "/etc/cron.d/job", Mode: 0o644, Content: []byte("x")}}
		ask := func(expression string) wire.Step {
			return wire.Step{Name: "cron", Probe: &wire.Probe{Cron: expression, Within: 1}}
		}
		b.mustRun(changeRun("good", ask("*/5 * * * *")))
		res, _ := b.run(changeRun("bad", file, ask("0/1 * * * *")))
		if res.State != wire.StateFailed || !strings.Contains(res.Reason, "does not read 0/1 * * * *") || !strings.Contains(res.Reason, "bad minute") {
			t.Errorf("%s: %s %s", flag, res.State, res.Reason)
		}
		b.wantNone("/etc/cron.d/job")
	}
	b := newBed(t)
	b.program("crontab", "exit 2") // it can't check
	b.mustRun(changeRun("r", wire.Step{Name: "cron", Probe: &wire.Probe{Cron: "*/5 * * * *"}}))
}

// A script gets the variables of .env as the application reads them, not as a shell does; those of the run, and its PATH, stay. A line that can't be read is
// named and skipped.
func TestScriptGetsVariablesOfDotenv(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/home/me/.env", "DB_PASSWORD=S3a$red9\nMAIL_PASSWORD=k$$7w\nMAIL_URL=smtp://mailer:p(4)ss@mail.example.net:587\nRUN=\"$(touch "+
		"/tmp/ran)\"\nPATH=/nowhere\nOWN=x\nBAD=two words\nLAST=1\n")
	run := script("r1", "#!/bin/sh\nprintf '%s|' \"$DB_PASSWORD\" \"$MAIL_PASSWORD\" \"$MAIL_URL\" \"$RUN\" \"$OWN\" \"$BAD\" \"$LAST\"\nexit 3\n")
	run.Script.Variables = &wire.Dotenv{Path: "/home/me/.env", Dialect: wire.DotenvPHP}
	run.Script.Env = map[string]string{"OWN": "of the run"}
	res, events := b.run(run)
	if want := "S3a$red9|k$$7w|smtp://mailer:p(4)ss@mail.example.net:587|$(touch /tmp/ran)|of the run||1|"; res.Output != want {
		t.Errorf("got %q, want %q", res.Output, want)
	}
	said := ""
	for _, e := range events {
		said += e.Text
	}
	if !strings.Contains(said, "line 7 of .env: the value of BAD has a space and needs quotes around it") {
		t.Errorf("the line is not named: %s", said)
	}
	run.Script.Variables.Path = "relative"
	run.ID = "r2"
	if _, err := b.ask(b.a, wire.OpRunStart, run, nil); err == nil {
		t.Error("a relative path is taken")
	}
}

// The first start of a job is recorded, before its command runs, and stays what it was.
func TestFirstStartOfAJobIsRecorded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write(wire.JobDirectory+"/7/"+wire.JobFile, `{"user": "root", "dir": "/"}`)
	b.write(wire.JobDirectory+"/7/"+wire.JobCommand, "#!/bin/bash\ncat "+b.path(wire.JobStarted(7))+"\n")
	b.write(wire.JobLog(7), "")
	read := func(path string) string {
		t.Helper()
		raw, err := os.ReadFile(b.path(path))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	var first string
	for range 2 {
		if err := b.a.Job(t.Context(), "7"); err != nil {
			t.Fatal(err)
		}
		said := strings.SplitN(read(wire.JobLog(7)), "\n", 2)
		started := read(wire.JobStarted(7))
		if first == "" {
			first = started
		}
		if len(said) != 2 || said[1] != started || started != first || len(first) != len("2006-01-02T15:04:05Z\n") {
			t.Errorf("the job said %q, and its first start is %q, before %q", said, started, first)
		}
	}
}
