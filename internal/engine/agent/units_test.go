package agent

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// systemd gives the bed a systemctl that answers with the facts in its directory "units", by default those of a unit in good order, and that starts units.
func (b *bed) systemd() {
	b.mkdir("/units")
	b.program("systemctl", `echo "systemctl $*" >>"$root/log"
case $1 in
show)
	while test "$1" != --; do shift; done; shift; first=yes
	for u; do
		test $first = yes || echo
		first=no
		cat "$root/units/$u" 2>/dev/null || printf 'LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNeedDaemonReload=no\nExecMainStatus=0\n'
	done;;
start | restart) for u; do rm -f "$root/units/$u"; done;;
esac
exit 0`)
}

// planned are steps that name units in every way that plans do.
func plannedUnits() []wire.Step {
	return []wire.Step{
		{Name: "unit", File: &wire.File{Path: "/etc/systemd/system/work@.service", Content: []byte("planned"), Mode: 0o644}},
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		{Name: "work", Units: &wire.Units{Parts: []wire.PartUnits{{Part: "process 1", Run: []string{"work@1.service", "work@2.service"}}}}},
		{Name: "timer", Exec: &wire.Exec{Argv: []string{"systemctl", "enable", "--now", "--quiet", "a.timer"}, Unless: []string{"true"}}},
		{Name: "at boot", Exec: &wire.Exec{Argv: []string{"systemctl", "enable", "--quiet", "b.service"}, Unless: []string{"true"}}},
		{Name: "reload", Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", "web.service"}}},
		{Name: "engine", Action: &wire.Action{Argv: []string{"systemctl", "restart", "engine.service"}}},
		{Name: "not started", Action: &wire.Action{Argv: []string{"systemctl", "try-restart", "c.service"}}},
		{Name: "stopped", Exec: &wire.Exec{Argv: []string{"systemctl", "stop", "old@*.service"}}},
		{Name: "web runs", Probe: &wire.Probe{Unit: "web.service"}},
	}
}

func differences(t *testing.T, b *bed, steps []wire.Step) string {
	t.Helper()
	d, err := b.a.Drift(t.Context(), wire.Change{Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range d.Differences {
		got = append(got, f.Path+" "+f.What)
	}
	return strings.Join(got, ", ")
}

// What was stopped, masked, disabled or changed without telling systemd is a difference, each unit once, with one call for all of them.
func TestUnitsThatAreNotInForceAreDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.systemd()
	b.write("/etc/systemd/system/work@.service", "planned")
	steps := plannedUnits()
	if got := differences(t, b, steps); got != "" || strings.Count(b.log(), "systemctl") != 1 {
		t.Fatalf("a server in good order differs: %s\n%s", got, b.log())
	}
	for _, c := range []struct{ unit, facts, want string }{
		{"work@1.service", "LoadState=loaded\nActiveState=inactive\nNeedDaemonReload=no", "work@1.service inactive"},
		{"work@1.service", "LoadState=loaded\nActiveState=failed\nNeedDaemonReload=no", ""}, // its program is the user's
		{"work@2.service", "LoadState=loaded\nActiveState=active\nNeedDaemonReload=yes", "work@2.service outdated"},
		{"a.timer", "LoadState=masked\nActiveState=inactive\nUnitFileState=masked\nNeedDaemonReload=yes", "a.timer masked"},
		{"a.timer", "LoadState=loaded\nActiveState=inactive\nUnitFileState=disabled\nNeedDaemonReload=no", "a.timer inactive"},
		{"a.timer", "LoadState=not-found\nActiveState=inactive\nUnitFileState=", "a.timer missing"},
		{"a.timer", "LoadState=loaded\nActiveState=inactive\nConditionResult=no\nConditionTimestampMonotonic=5", ""}, // not for this machine
		{"a.timer", "LoadState=loaded\nActiveState=inactive\nConditionResult=no\nConditionTimestampMonotonic=0", "a.timer inactive"},
		{"b.service", "LoadState=loaded\nActiveState=inactive\nUnitFileState=disabled\nNeedDaemonReload=no", "b.service disabled"},
		{"b.service", "LoadState=loaded\nActiveState=inactive\nUnitFileState=enabled\nNeedDaemonReload=no", ""}, // only at boot
		{"web.service", "LoadState=loaded\nActiveState=failed\nUnitFileState=enabled\nNeedDaemonReload=no", "web.service inactive"},
		{"engine.service", "LoadState=loaded\nActiveState=inactive\nNeedDaemonReload=no", ""}, // which a user may have stopped
		{"c.service", "LoadState=masked\nActiveState=inactive", ""},
	} {
		b.write("/units/"+c.unit, c.facts+"\n")
		if got := differences(t, b, steps); got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.unit, c.facts, got, c.want)
		}
		if err := os.Remove(b.path("/units/" + c.unit)); err != nil {
			t.Fatal(err)
		}
	}
	// A file that differs is one difference; its instances, which systemd loaded before, are none.
	b.write("/etc/systemd/system/work@.service", "edited")
	b.write("/units/work@1.service", "LoadState=loaded\nActiveState=active\nNeedDaemonReload=yes\n")
	if got := differences(t, b, steps); got != "/etc/systemd/system/work@.service content" {
		t.Error(got)
	}
}

// A repair starts what was stopped and unmasks what was masked; any other change leaves both as they are.
func TestRepairStartsStoppedAndMaskedUnits(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.systemd()
	b.write("/etc/systemd/system/work@.service", "planned")
	b.write("/units/a.timer", "LoadState=masked\nActiveState=inactive\nUnitFileState=masked\n")
	b.write("/units/web.service", "LoadState=loaded\nActiveState=failed\nNeedDaemonReload=yes\n")
	calls := func(run wire.Run) string {
		t.Helper()
		if err := os.Remove(b.path("/log")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		b.mustRun(run)
		return b.log()
	}
	steps := plannedUnits()
	steps = append(steps[3:6:6], steps[9])
	if got := calls(changeRun("r1", steps...)); strings.Contains(got, "unmask") || strings.Contains(got, "start") {
		t.Errorf("a change of something else called\n%s", got)
	}
	repair := changeRun("r2", steps...)
	repair.Change.Repair = true
	got := calls(repair)
	for _, want := range []string{
		"systemctl unmask --quiet -- a.timer", "systemctl reset-failed -- web.service", "systemctl daemon-reload", "systemctl start -- a.timer",
		"systemctl start -- web.service",
	} {
		if strings.Count(got+"\n", want+"\n") != 1 {
			t.Errorf("%q was not called once:\n%s", want, got)
		}
	}
	if got := differences(t, b, steps); got != "" {
		t.Errorf("after the repair differs %s", got)
	}
}

// Swap that was ended with swapoff leaves the unit that began it active.
func TestSwapThatIsOffIsDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.systemd()
	const path, used = "/etc/systemd/system/s.service", "Filename\t\t\t\tType\t\tSize\n/swapfile                               file\t\t1048572\n"
	text := "[Service]\nExecStart=-/usr/sbin/swapon /swapfile\n"
	b.write(path, text)
	b.write("/proc/swaps", used)
	steps := []wire.Step{
		{Name: "swap", File: &wire.File{Path: path, Content: []byte(text), Mode: 0o644}},
		{Name: "use swap", Exec: &wire.Exec{Argv: []string{"systemctl", "enable", "--now", "s.service"}, Unless: []string{"true"}}},
	}
	if got := differences(t, b, steps); got != "" {
		t.Error(got)
	}
	b.write("/proc/swaps", strings.ReplaceAll(used, "/swapfile ", "/other"))
	if got := differences(t, b, steps); got != "s.service inactive" {
		t.Error(got)
	}
	repair := changeRun("r1", steps...)
	repair.Change.Repair = true
	b.mustRun(repair)
	if !strings.Contains(b.log(), "systemctl restart -- s.service") {
		t.Error(b.log())
	}
	b.write("/units/s.service", "LoadState=loaded\nActiveState=active\nExecMainStatus=255\n") // a file system without swap files
	if got := differences(t, b, steps); got != "" {
		t.Error(got)
	}
}

// Of jobs with an expression that the host's cron refuses, each is named; while it reads them all, it is asked once for all of them.
func TestExpressionsThatCronRefusesAreDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.program("crontab", `echo "crontab" >>"$root/log"
for p; do file=$p; done
if grep -q -e '^61 ' -e '^7 ' "$file"; then echo "errors in crontab file"; exit 1; fi`)
	var steps []wire.Step
	for i, expression := range []string{"1 * * * *", "2 * * * *", "3 * * * *", "4 * * * *"} {
		path := fmt.Sprintf("/etc/cron.d/hostler-job-%d", i)
		b.write(path, "planned")
		steps = append(steps, wire.Step{Name: "job", File: &wire.File{Path: path, Content: []byte("planned"), Mode: 0o644}},
			wire.Step{Name: "job", Probe: &wire.Probe{Cron: expression}})
	}
	const once = 2 * 3 // two flags, and two lines by which a check is recognized
	if got := differences(t, b, steps); got != "" || strings.Count(b.log(), "crontab") > once {
		t.Errorf("%q\n%s", got, b.log())
	}
	steps[5].Probe.Cron = "7 * * * *"
	if got := differences(t, b, steps); got != "/etc/cron.d/hostler-job-2 refused" {
		t.Error(got)
	}
}

// A file of nginx that was changed without a reload is not in force, whoever changed it; one that nginx does not read, or read since, is.
func TestSettingsThatNginxHasNotLoadedAreDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.systemd()
	const path = "/etc/nginx/nginx.conf"
	b.program("nginx", `echo "# configuration file `+path+`:"`)
	b.write(path, "before")
	workers := func(main int) {
		b.write("/units/nginx.service", fmt.Sprintf("LoadState=loaded\nActiveState=active\nNeedDaemonReload=no\nMainPID=%d\n", main))
	}
	master := exec.Command("sh", "-c", "sleep 1000 & wait")
	master.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := master.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-master.Process.Pid, syscall.SIGKILL)
		_ = master.Wait()
	}()
	steps := []wire.Step{{Name: "reload nginx", Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", nginxUnit}, Workers: nginxUnit}}}
	workers(master.Process.Pid)
	if got := differences(t, b, steps); got != "" {
		t.Errorf("what was written before the workers started: %q", got)
	}
	workers(os.Getppid()) // whose child, this test, is some time old
	for end := time.Now().Add(20 * time.Second); ; {
		b.write(path, "after")
		b.write("/etc/nginx/notes.txt", "not read by nginx")
		d, err := b.a.Drift(t.Context(), wire.Change{Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Differences) == 1 && d.Differences[0].What == unitOutdated && strings.HasSuffix(d.Differences[0].Diff, ":\n"+path+"\n") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("what was written after the workers started: %+v", d.Differences)
		}
	}
}

// A file of PHP that was changed without a reload is not in force; the unit's last change of state says when PHP loaded its settings. A repair reloads it.
func TestSettingsThatPHPHasNotLoadedAreDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.systemd()
	const unit, dir = "php8.4-fpm.service", "/etc/php/8.4/fpm"
	b.write(dir+"/pool.d/a.conf", "pool")
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	loaded := func(ago time.Duration) {
		at := fmt.Sprint((time.Duration(now.Nano()) - ago).Microseconds())
		b.write("/units/"+unit, "LoadState=loaded\nActiveState=active\nNeedDaemonReload=no\nStateChangeTimestampMonotonic="+at+"\n")
		b.write("/loaded", at)
	}
	reload := func(below string) wire.Step {
		return wire.Step{Name: "reload PHP", Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", unit}, Workers: unit, Below: below}}
	}
	steps := []wire.Step{reload(dir + "/conf.d"), reload(dir), reload(dir)}
	loaded(-time.Minute)
	if got := differences(t, b, steps); got != "" {
		t.Errorf("what was written before PHP loaded it: %q", got)
	}
	loaded(time.Minute)
	if d := b.drift(steps...); len(d) != 1 || d[0].Path != unit || d[0].What != unitOutdated || !strings.HasSuffix(d[0].Diff, ":\n"+dir+"/pool.d/a.conf\n") {
		t.Errorf("what was written after PHP loaded its settings: %+v", d)
	}
	b.program("systemctl", `echo "systemctl $*" >>"$root/log"; case "$*" in *StateChange*) cat "$root/loaded";; esac; exit 0`)
	repair := changeRun("r1", steps[1])
	b.mustRun(repair)
	if strings.Contains(b.log(), "reload-or-restart") {
		t.Error("a change of something else reloads PHP")
	}
	repair = changeRun("r2", steps[1])
	repair.Change.Repair = true
	b.mustRun(repair)
	if !strings.Contains(b.log(), "reload-or-restart "+unit) {
		t.Errorf("the repair did not reload PHP:\n%s", b.log())
	}
}

// Settings of sshd that are in a file as planned, but which another file overrides.
func TestSettingsOfSSHDThatAreOverriddenAreDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const path, text = sshSettings + "00-hostler.conf", "# Written\nPort 2222\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
	b.write(path, text)
	steps := []wire.Step{{Name: "sshd takes keys only", File: &wire.File{Path: path, Content: []byte(text), Mode: 0o644}}}
	says := func(passwords string) {
		b.program("sshd", `printf 'port 22\nport 2222\npermitrootlogin without-password\npasswordauthentication `+passwords+`\n'`)
	}
	says("no")
	if got := differences(t, b, steps); got != "" {
		t.Error(got)
	}
	says("yes")
	if d := b.drift(steps...); len(d) != 1 || d[0].What != "overridden" || !d[0].Kept || d[0].Diff != "-PasswordAuthentication yes\n+PasswordAuthentication no\n" {
		t.Errorf("%+v", d)
	}
	b.program("sshd", "exit 255")
	if got := differences(t, b, steps); got != "" {
		t.Error(got)
	}
}

// Drop-ins that others made decide what a unit of Hostler's may do; of another unit only those that decide a setting of Hostler's. Each is one difference,
// once for all instances, and a repair leaves it. What systemd or the machine brings itself is none.
func TestDropInsOfOthersAreDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.systemd()
	const unit, dropIn, shared = "/etc/systemd/system/work@.service", "/etc/systemd/system/web.service.d/50-hostler.conf",
		"LoadState=loaded\nActiveState=active\nNeedDaemonReload=no\n"
	own := "[Service]\nUser=bob\nGroup=bob\nLimitNOFILE=65536\n"
	b.write(unit, own)
	b.write(dropIn, "[Service]\nLimitNOFILE=65536\n")
	b.write("/etc/systemd/system/web.service.d/90-few.conf", "[Service]\nLimitNOFILE=1024\n")
	steps := append(plannedUnits(), wire.Step{Name: "limits", File: &wire.File{Path: dropIn, Content: []byte("[Service]\nLimitNOFILE=65536\n"), Mode: 0o644}})
	steps[0].File.Content = []byte(own)
	for _, c := range []struct{ facts, web, want string }{
		{"User=bob\nGroup=bob\nLimitNOFILE=65536\nDropInPaths=\n", "LimitNOFILE=65536\nDropInPaths=" + dropIn + "\n", ""},
		{"LimitNOFILE=65536\nDropInPaths=/usr/lib/systemd/system/service.d/10.conf /run/systemd/system/service.d/zzz-lxc-service.conf\n", "", ""},
		{"LimitNOFILE=65536\nDropInPaths=/etc/systemd/system/work@.service.d/o.conf\n", "", "/etc/systemd/system/work@.service.d/o.conf overridden"},
		{"LimitNOFILE=65536\nDropInPaths=/run/systemd/system.control/work@1.service.d/50-MemoryMax.conf\n", "",
			"/run/systemd/system.control/work@1.service.d/50-MemoryMax.conf overridden"},
		{"", "LimitNOFILE=65536\nDropInPaths=" + dropIn + " /etc/systemd/system/web.service.d/90-nice.conf\n", ""}, // it decides nothing of Hostler's
		{"", "LimitNOFILE=1024\nDropInPaths=" + dropIn + " /etc/systemd/system/web.service.d/90-few.conf\n",
			"/etc/systemd/system/web.service.d/90-few.conf overridden"},
		{"User=root\nLimitNOFILE=65536\n", "", "work@1.service overridden, work@2.service overridden"},
	} {
		b.write("/units/work@1.service", shared+c.facts)
		b.write("/units/work@2.service", shared+c.facts)
		b.write("/units/web.service", shared+c.web)
		if got := differences(t, b, steps); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.facts, c.web, got, c.want)
		}
	}
	b.write("/units/work@1.service", shared)
	b.write("/units/work@2.service", shared)
	b.write("/units/web.service", shared+"LimitNOFILE=1024\nDropInPaths="+dropIn+" /etc/systemd/system/web.service.d/90-few.conf\n")
	if d := b.drift(steps...); len(d) != 1 || !d[0].Kept || d[0].Diff != "-LimitNOFILE=1024\n+LimitNOFILE=65536\n" {
		t.Errorf("%+v", d)
	}
	// The unit says what is planned, but the program was started before it did.
	b.write("/units/web.service", shared+"LimitNOFILE=65536\nMainPID=4711\n")
	limits := func(pid, most string) {
		b.write("/proc/"+pid+"/limits",
			"Limit                     Soft Limit           Hard Limit           Units     \nMax open files            1024                 "+most+
				"                files     \n")
	}
	for _, c := range []struct{ systemd, program, want string }{
		{"524288", "1024", "web.service outdated"}, {"unlimited", "1024", "web.service outdated"}, {"524288", "65536", ""}, {"524288", "unlimited", ""},
		{"20000", "20000", ""}, {"20000", "1024", "web.service outdated"}, // in a container
	} {
		limits("1", c.systemd)
		limits("4711", c.program)
		if got := differences(t, b, steps); got != c.want {
			t.Errorf("with at most %s files: %q, want %q", c.program, got, c.want)
		}
	}
}

// A file that PHP reads after Hostler's decides its limits. What the file of a user's own settings, which is Hostler's too, decides is as planned.
func TestLimitsOfPHPThatAreOverriddenAreDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const first, second = "/etc/php/8.4/fpm/conf.d/90-hostler.ini", "/etc/php/8.4/fpm/conf.d/95-hostler.ini"
	file := func(path, text string) wire.Step {
		b.write(path, text)
		return wire.Step{Name: "settings of PHP", File: &wire.File{Path: path, Content: []byte(text), Mode: 0o644}}
	}
	steps := []wire.Step{
		file(first, "; Written\nupload_max_filesize = 64M\npost_max_size = 65M\nopcache.enable = 1\n"),
		file(second, "; Written\npost_max_size = \"10m\" ; for forms\ndisplay_errors = stderr\n"),
		file("/etc/php/8.4/cli/conf.d/95-hostler.ini", "memory_limit = 1G\n"),
	}
	says := func(upload, opcache string) {
		b.program("php-fpm8.4", `printf 'phpinfo()\nmemory_limit => 128M => 128M\npost_max_size => 10M => 10M\nupload_max_filesize => `+upload+` => `+
			upload+`\nopcache.enable => `+opcache+` => `+opcache+`\n'`)
	}
	says("64M", "On")
	if got := differences(t, b, steps); got != "" {
		t.Error(got)
	}
	says("2M", "Off")
	if d := b.drift(steps...); len(d) != 1 || d[0].Path != first || d[0].What != "overridden" || !d[0].Kept ||
		d[0].Diff != "-upload_max_filesize = 2M\n+upload_max_filesize = 64M\n-opcache.enable = Off\n+opcache.enable = 1\n" {
		t.Errorf("%+v", d)
	}
	b.program("php-fpm8.4", "exit 78")
	if got := differences(t, b, steps); got != "" {
		t.Error(got)
	}
}

// A directory that every process uses is one difference, and not one for each process.
func TestWhatManyShareIsOneDifference(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var steps []wire.Step
	for i := range 3 {
		steps = append(steps, wire.Step{Name: fmt.Sprint("process ", i), Dir: &wire.Dir{Path: "/var/log/hostler", Mode: 0o750}})
	}
	if got := differences(t, b, steps); got != "/var/log/hostler missing" {
		t.Error(got)
	}
}

// A change of nginx that is refused leaves the settings as old as they were: nginx has loaded them, and nothing is out of force.
func TestRefusedChangeIsNoDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const file, link = "/etc/nginx/sites-available/a.conf", "/etc/nginx/sites-enabled/a.conf"
	b.write(file, "before")
	b.mkdir("/etc/nginx/sites-enabled")
	b.link(file, link, os.Getuid())
	hour := time.Now().Add(-time.Hour)
	b.check(os.Chtimes(b.path(file), hour, hour))
	changed := func() (out [2]int64) {
		for i, p := range []string{file, link} {
			info, err := os.Lstat(b.path(p))
			if err != nil {
				t.Fatal(err)
			}
			out[i] = info.ModTime().UnixNano()
		}
		return out
	}
	was := changed()
	res, _ := b.run(changeRun("r1",
		wire.Step{Name: "write", File: &wire.File{Path: file, Content: []byte("after"), Mode: 0o644}},
		wire.Step{Name: "point elsewhere", Link: &wire.Link{Path: link, Target: "/dev/null"}},
		wire.Step{Name: "refuse", Validate: &wire.Exec{Argv: []string{"false"}}}))
	wantState(t, res, wire.StateFailed)
	b.wantFile(file, "before")
	if is := changed(); is != was {
		t.Errorf("changed at %v, want %v", is, was)
	}
}
