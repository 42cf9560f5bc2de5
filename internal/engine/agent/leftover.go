package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// leftByName are the places where something waits for an account by its name: who gets the name gets it. Only root and programs that check the
// caller's account write there.
var leftByName = []struct{ what, path string }{
	{"a crontab", "/var/spool/cron/crontabs/"},
	{"a user manager that starts at boot", "/var/lib/systemd/linger/"},
	{"mail", "/var/mail/"},
	{"the data of its Redis", wire.RedisDirectory + "/"},
}

// leftByOwner are the directories in which every account can leave files, or programs leave them for it.
var leftByOwner = []struct{ what, path string }{
	{"an at job", "/var/spool/cron/atjobs"},
	{"the output of an at job", "/var/spool/cron/atspool"},
	{"mail that is not sent yet", "/var/spool/postfix/maildrop"},
	{"mail that is not sent yet", "/var/spool/dma"},
	{"files in /tmp", "/tmp"},
	{"files in /var/tmp", "/var/tmp"},
	{"files in /dev/shm", "/dev/shm"},
	{"message queues", "/dev/mqueue"},
	{"files in /run/lock", "/run/lock"},
	{"crash reports", "/var/crash"},
	{"sessions of PHP", "/var/lib/php/sessions"},
}

// namedIn are settings of the system that name accounts, with how a line of them does.
var namedIn = []struct {
	what, glob string
	names      func(line, account string) bool
}{
	{"a scheduled job", "/etc/cron.d/*", func(line, account string) bool {
		fields := strings.Fields(line)
		at := 5
		if strings.HasPrefix(line, "@") {
			at = 1
		}
		return len(fields) > at+1 && fields[at] == account
	}},
	{"a unit", "/etc/systemd/system/*.service", func(line, account string) bool { return setting(line, "User") == account }},
	{"a pool of PHP", "/etc/php/*/fpm/pool.d/*.conf", func(line, account string) bool { return setting(line, "user") == account }},
	{"a pool of PHP", "/etc/hostler/php/*/*/*.conf", func(line, account string) bool { return setting(line, "user") == account }},
	{"a rule of sudo", "/etc/sudoers.d/*", func(line, account string) bool { return slices.Index(strings.Fields(line), account) == 0 }},
}

// setting returns the value of a line of key = value, "" for another key.
func setting(line, key string) string {
	name, value, ok := strings.Cut(line, "=")
	if !ok || strings.TrimSpace(name) != key {
		return ""
	}
	return strings.TrimSpace(value)
}

// nothingLeft refuses an account for its first site if something of before is left of it: whoever had it before would reach the new site.
func (a *Agent) nothingLeft(name string) error {
	left, err := a.leftOf(name)
	if err != nil {
		return fmt.Errorf("look for what is left of it: %w", err)
	}
	if len(left) == 0 {
		return nil
	}
	return errors.New("something of an earlier account with this name is left on the server: " + strings.Join(left, ", ") +
		". Choose another name, or remove it")
}

// leftOf names what is left of an account, whether it still exists or not.
func (a *Agent) leftOf(name string) ([]string, error) {
	acc, found, err := a.users.Account(name)
	if err != nil {
		return nil, err
	}
	var left []string
	add := func(what string) {
		if !slices.Contains(left, what) {
			left = append(left, what)
		}
	}
	for _, at := range leftByName {
		if st, err := os.Lstat(a.host(at.path + name)); err == nil && (st.IsDir() || st.Size() > 0) {
			add(at.what + " (" + at.path + name + ")")
		}
	}
	for _, in := range namedIn {
		files, err := filepath.Glob(a.host(in.glob))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if a.onHost(file) == wire.SudoRule(name) { // ours, and for nothing of another's
				continue
			}
			if named(file, name, in.names) {
				add(in.what + " (" + a.onHost(file) + ")")
			}
		}
	}
	home := "/home/" + name
	if found {
		home = acc.Home
	}
	own, err := a.inHome(home, found)
	if err != nil {
		return nil, err
	}
	if own != "" {
		add("files in its home (" + own + ")")
	}
	if !found {
		return left, nil
	}
	if n := len(proc.Of(acc.UID)); n > 0 && a.cfg.Root == "" {
		add(strconv.Itoa(n) + " processes")
	}
	for _, at := range leftByOwner {
		if a.ownsIn(at.path, acc.UID) {
			add(at.what)
		}
	}
	mail, err := a.queuedOf(acc.UID)
	for _, q := range mail {
		if len(q.ids) > 0 {
			add("queued mail")
		}
	}
	return left, err
}

// onHost is the path on the host of a place below the root.
func (a *Agent) onHost(path string) string {
	return "/" + strings.TrimPrefix(strings.TrimPrefix(path, a.cfg.Root), "/")
}

// named reports whether a line of a file of root's names an account.
func named(file, account string, names func(line, account string) bool) bool {
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
		return false
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) { // of any length
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && names(line, account) {
			return true
		}
	}
	return false
}

// inHome returns the first entry of a home that useradd did not put there, "" for none. Without an account, the directory itself is such an entry.
func (a *Agent) inHome(home string, found bool) (string, error) {
	dir, err := os.Open(a.host(home))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer dir.Close()
	if !found {
		return home, nil
	}
	skeleton := map[string]bool{}
	if given, err := os.ReadDir(a.host("/etc/skel")); err == nil {
		for _, e := range given {
			skeleton[e.Name()] = true
		}
	}
	names, err := dir.Readdirnames(1000)
	slices.Sort(names)
	for _, n := range names {
		if !skeleton[n] {
			return home + "/" + n, nil
		}
	}
	return "", nil //nolint:nilerr // an empty directory is io.EOF
}

// ownsIn reports whether an account owns an entry of a directory.
func (a *Agent) ownsIn(dir string, uid int) bool {
	entries, err := os.ReadDir(a.host(dir))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return ownerOf(e) == uid })
}

// ownerOf returns the owner of an entry, -1 for one that has gone.
func ownerOf(e fs.DirEntry) int {
	info, err := e.Info()
	if err != nil {
		return -1
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(st.Uid)
}
