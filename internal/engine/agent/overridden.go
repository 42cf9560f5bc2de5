package agent

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// unitOverridden is a setting of a planned file that another file decides. A repair leaves the files of others alone.
const unitOverridden = "overridden"

// comparedSettings are the settings of units that `systemctl show` prints as a unit's file spells them (systemd.exec(5), systemd.service(5)).
var comparedSettings = []string{"LimitNOFILE", "User", "Group", "Restart", "KillMode", "NoNewPrivileges", "ProtectProc", "ProtectHome",
	"PrivateDevices"} //nolint:gochecknoglobals // a constant list

// overridden compares a unit's planned settings with those that systemd has loaded: a drop-in can decide them, and a program that was not started since has
// others. Of a unit that is Hostler's, each drop-in of others is a difference, of another only one that decides a setting of Hostler's.
func (d *drift) overridden(w wantedUnit, f unitFacts, current bool) {
	file := fileOf(w.name)
	_, whole := d.planned[file]
	wanted := map[string]string{}
	paths := []string{file}
	for _, p := range slices.Sorted(maps.Keys(d.planned)) {
		if dir := path.Dir(p); dir == file+".d" || dir == "/etc/systemd/system/"+w.name+".d" {
			paths = append(paths, p)
		}
	}
	for _, p := range paths {
		maps.Copy(wanted, settingsOf(string(d.planned[p])))
		if d.told(p) {
			return
		}
	}
	if len(wanted) == 0 && !whole {
		return
	}
	differs := map[string]string{}
	for _, name := range comparedSettings {
		if is, want := f[name], wanted[name]; want != "" && is != "" && is != want && !(name == "Group" && is == wanted["User"]) {
			differs[name] = "-" + name + "=" + is + "\n+" + name + "=" + want + "\n"
		}
	}
	diffOf := func(names map[string]string) (diff string) {
		for _, name := range comparedSettings {
			if _, ok := names[name]; ok {
				diff += differs[name]
			}
		}
		return diff
	}
	said := false
	for _, p := range strings.Fields(f["DropInPaths"]) {
		// Those of a whole kind of units are the machine's, such as service.d.
		if _, ours := d.planned[p]; ours || !strings.HasSuffix(path.Dir(p), ".service.d") || !strings.HasPrefix(p, "/etc/systemd/") &&
			!strings.HasPrefix(p, "/run/systemd/") {
			continue
		}
		diff := diffOf(settingsOf(d.head(p)))
		if said = said || diff != ""; whole || diff != "" {
			d.out.Differences = append(d.out.Differences, wire.Difference{Step: w.step, Path: p, What: unitOverridden, Diff: diff, Kept: true})
		}
	}
	switch {
	case said:
	case len(differs) > 0:
		d.out.Differences = append(d.out.Differences, wire.Difference{Step: w.step, Path: w.name, What: unitOverridden, Diff: diffOf(differs), Kept: true})
	case current && d.fewerFiles(f, wanted["LimitNOFILE"]):
		d.add(w.name, unitOutdated, "The program may open fewer files than its unit says: it was started before.\n")
	}
}

// head is the beginning of a file, "" if it can't be read.
func (d *drift) head(p string) string {
	fd, name, err := d.a.root.OpenParent(p)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	raw, _ := headOf(fd, name, diffLimit)
	return string(raw)
}

// settingsOf are the settings of a unit's file; of one that is given more than once the last.
func settingsOf(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && slices.Contains(comparedSettings, name) {
			out[name] = value
		}
	}
	return out
}

// fewerFiles reports whether the main process of a unit may open fewer files than planned. In a container systemd can't give more than it has.
func (d *drift) fewerFiles(f unitFacts, planned string) bool {
	want, err := strconv.ParseUint(planned, 10, 64)
	if err != nil || f["MainPID"] == "" || f["MainPID"] == "0" {
		return false
	}
	is, known := d.mostFiles(f["MainPID"])
	most, limited := d.mostFiles("1")
	return known && is < want && (!limited || is < most)
}

// mostFiles returns how many files a process may open at most (proc_pid_limits(5)); false if there is no limit or no such process.
func (d *drift) mostFiles(pid string) (uint64, bool) {
	raw, err := os.ReadFile(d.a.host("/proc/" + path.Base(pid) + "/limits"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "Max open files"); ok {
			if fields := strings.Fields(rest); len(fields) > 1 { // the soft limit and the hard one
				is, err := strconv.ParseUint(fields[1], 10, 64)
				return is, err == nil
			}
		}
	}
	return 0, false
}

// php compares the limits of a planned file of PHP-FPM with those that it reads: a file that is read later decides. Only numbers, sizes and switches are
// compared.
func (d *drift) php(ctx context.Context) {
	planned := map[string]map[string]string{}
	for _, p := range slices.Sorted(maps.Keys(d.planned)) { // in the order in which PHP reads them
		version, file, ok := strings.Cut(strings.TrimPrefix(p, "/etc/php/"), "/fpm/conf.d/")
		if !ok || !strings.HasPrefix(p, "/etc/php/") || path.Ext(file) != ".ini" || strings.Contains(version, "/") || len(d.planned[p]) == 0 {
			continue
		}
		if d.told(p) {
			delete(planned, version) // the repair writes it
			break
		}
		if planned[version] == nil {
			planned[version] = map[string]string{"": p}
		}
		for line := range strings.Lines(string(d.planned[p])) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			value, _, _ = strings.Cut(value, ";")
			if name, value = strings.TrimSpace(name), strings.Trim(value, " \t\""); phpLimits[name] {
				planned[version][name] = value
			}
		}
	}
	for _, version := range slices.Sorted(maps.Keys(planned)) {
		wanted := planned[version]
		if len(wanted) < 2 {
			continue
		}
		var out bytes.Buffer
		if d.a.programs.Run(ctx, program.Program{Argv: []string{"php-fpm" + version, "-i"}, Out: &out, Timeout: probeOnce}) != nil {
			continue
		}
		diff, seen := "", map[string]bool{}
		for line := range strings.Lines(out.String()) {
			parts := strings.Split(strings.TrimSpace(line), " => ") // the name, the value of a pool, and that of the files
			want, known := wanted[parts[0]]
			if !known || parts[0] == "" || len(parts) != 3 || seen[parts[0]] {
				continue
			}
			seen[parts[0]] = true
			if is := parts[2]; !strings.EqualFold(phpSwitch(is), phpSwitch(want)) {
				diff += "-" + parts[0] + " = " + is + "\n+" + parts[0] + " = " + want + "\n"
			}
		}
		if diff != "" {
			d.out.Differences = append(d.out.Differences, wire.Difference{Step: "PHP " + version, Path: wanted[""], What: unitOverridden, Diff: diff, Kept: true})
		}
	}
}

// phpLimits are the settings of PHP that Hostler writes itself (render.PHPLimits).
var phpLimits = map[string]bool{ //nolint:gochecknoglobals // a constant set
	"upload_max_filesize": true, "post_max_size": true, "max_execution_time": true, "opcache.enable": true, "memory_limit": true,
}

// phpSwitch is a switch of PHP as it prints it.
func phpSwitch(value string) string {
	switch strings.ToLower(value) {
	case "1", "yes", "true":
		return "on"
	case "0", "no", "false", "none":
		return "off"
	}
	return value
}
