package agent

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// processPart is a part with two files, the second in a directory of an account, and a unit.
func processPart(i int, group string) (steps []wire.Step, units wire.PartUnits) {
	part, path := fmt.Sprintf("process %d", i), fmt.Sprintf("/etc/systemd/system/p%d.service", i)
	unit, dir := file(path, "planned"), fmt.Sprintf("/var/p%d", i)
	steps = []wire.Step{unit, {Name: "directory of " + part, Dir: &wire.Dir{Path: dir, Mode: 0o755, Group: group}}, file(dir+"/command", "planned")}
	for n := range steps {
		steps[n].Part = part
	}
	return steps, wire.PartUnits{Part: part, Run: []string{fmt.Sprintf("p%d.service", i)}}
}

// Of a repair of many processes, one names an account that is missing and another does not start: the others are repaired, with one call for their units.
func TestBrokenPartOfAChangeDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.program("systemctl", `echo "systemctl $*" >>"$root/log"
case "$*" in *p3.service*) exit 1;; esac`)
	var steps []wire.Step
	var all wire.Units
	for i := 1; i <= 5; i++ {
		group := "me"
		if i == 2 {
			group = "no-such-group"
		}
		some, units := processPart(i, group)
		steps, all.Parts = append(steps, some...), append(all.Parts, units)
		b.write(some[0].File.Path, "edited")
	}
	for _, s := range steps[3*4:] { // the last one is as planned
		if s.File != nil {
			b.write(s.File.Path, "planned")
			if err := os.Chmod(b.path(s.File.Path), os.FileMode(s.File.Mode)); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps = append(steps, wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}}, wire.Step{Name: "run", Units: &all})
	res, events := b.run(changeRun("r1", steps...))
	wantState(t, res, wire.StateFailed)
	if !res.Partly || res.Restored || !strings.Contains(res.Reason, "process 2: ") || !strings.HasSuffix(res.Reason, "; also failed: process 3") {
		t.Errorf("%+v", res)
	}
	for _, i := range []int{1, 3, 4, 5} {
		b.wantFile(fmt.Sprintf("/etc/systemd/system/p%d.service", i), "planned")
		b.wantFile(fmt.Sprintf("/var/p%d/command", i), "planned")
	}
	b.wantFile("/etc/systemd/system/p2.service", "edited")
	b.wantNone("/var/p2/command")
	if got, want := b.log(), strings.Join([]string{
		"systemctl daemon-reload", "systemctl restart -- p1.service p3.service p4.service",
		"systemctl start -- p1.service", "systemctl start -- p3.service", "systemctl start -- p4.service", // only since one failed
		"systemctl start -- p5.service",
	}, "\n"); got != want {
		t.Errorf("called were\n%s\nwant\n%s", got, want)
	}
	if said := outputOf(events); !strings.Contains(said, "process 2: ") || !strings.Contains(said, "process 3: restart p3.service: ") {
		t.Errorf("the event says %q", said)
	}
}

// A repair that is cancelled while units are restarted changes nothing: the files are as before, and what was restarted runs with them.
func TestPartsAreRolledBackTogether(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.program("systemctl", `echo "systemctl $*" >>"$root/log"`)
	some, units := processPart(1, "me")
	b.write(some[0].File.Path, "edited")
	last := wire.Step{Name: "refuse", Validate: &wire.Exec{Argv: []string{"false"}}}
	res, _ := b.run(changeRun("r1", append(some, wire.Step{Name: "run", Units: &wire.Units{Parts: []wire.PartUnits{units}}}, last)...))
	wantState(t, res, wire.StateFailed)
	if !res.Restored || res.Partly {
		t.Errorf("%+v", res)
	}
	b.wantFile(some[0].File.Path, "edited")
	if got := b.log(); got != "systemctl restart -- p1.service\nsystemctl restart -- p1.service" {
		t.Errorf("called were\n%s", got)
	}
}
