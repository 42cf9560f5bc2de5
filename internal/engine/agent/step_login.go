package agent

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func checkLogin(l *wire.Login) error {
	if !passwd.IsName(l.Name) {
		return fmt.Errorf("%q is not the name of a login", l.Name)
	}
	if l.Absent {
		return nil
	}
	if !passwd.IsName(l.Account) || l.Account == l.Name {
		return fmt.Errorf("%q is not the name of an account for the login %s", l.Account, l.Name)
	}
	_, err := expireDay(l.Until)
	return err
}

// expireDay returns the first day on which a login is refused, in days since 1970 as shadow(5) has it, -1 for none.
func expireDay(until string) (int64, error) {
	if until == "" {
		return -1, nil
	}
	day, err := time.Parse(time.DateOnly, until)
	if err != nil || day.Year() < 1971 {
		return 0, fmt.Errorf("%q is not a day", until)
	}
	return day.Unix()/int64(24*time.Hour/time.Second) + 1, nil
}

// dateOf returns a day of shadow(5) as useradd takes it.
func dateOf(day int64) string {
	if day < 0 {
		return ""
	}
	return time.Unix(day*int64(24*time.Hour/time.Second), 0).UTC().Format(time.DateOnly)
}

// loginNow is what a host has of a login.
type loginNow struct {
	found bool
	// same reports whether its ids and its shell are as wanted, ends whether it ends on the right day.
	same, ends bool
	account    passwd.Account
}

// loginIs compares a login with the host. The home tells those of the agent: only root can change it.
func (a *Agent) loginIs(l *wire.Login) (is loginNow, err error) {
	line, found, err := a.users.Account(l.Name)
	if err != nil {
		return is, err
	}
	if found && line.Home != wire.LoginRoot(l.Name) {
		if l.Absent {
			return is, nil
		}
		return is, errors.New("existed on this server before and is not Hostler's; choose another name")
	}
	is.found = found
	if l.Absent {
		return is, nil
	}
	account, known, err := a.users.Account(l.Account)
	switch {
	case err != nil:
		return is, err
	case !known:
		return is, fmt.Errorf("there is no account %s", l.Account)
	case account.UID < passwd.FirstUser || account.GID < passwd.FirstUser:
		return is, fmt.Errorf("the account %s is one of the system", l.Account)
	case !found:
		if _, _, group, err := a.users.Group(l.Name); err != nil || group {
			return is, errors.Join(err, errors.New("has the name of a group of this server; choose another name"))
		}
	}
	is.account = account
	is.same = found && line.UID == account.UID && line.GID == account.GID && line.Shell == wire.LoginShell
	ends, err := a.users.Expires(l.Name)
	if err != nil {
		return is, err
	}
	day, err := expireDay(l.Until)
	is.ends = ends == day
	return is, err
}

func (x *execution) login(ctx context.Context, i int, name string, l *wire.Login) (bool, error) {
	changed, err := x.makeLogin(ctx, i, name, l)
	if err != nil {
		return false, fmt.Errorf("login %s: %w", l.Name, err)
	}
	return changed, nil
}

// makeLogin creates, changes or removes the line of a login. Of the account, whose ids it shares, nothing is touched: userdel goes on although programs run
// with the id (--force), and removes neither a home nor a group that is another account's primary one.
func (x *execution) makeLogin(ctx context.Context, i int, name string, l *wire.Login) (bool, error) {
	is, err := x.a.loginIs(l)
	if err != nil {
		return false, err
	}
	run := func(argv ...string) error {
		_, err := x.execStep(ctx, i, name, &wire.Exec{Argv: argv})
		return err
	}
	day, err := expireDay(l.Until)
	if err != nil {
		return false, err
	}
	switch {
	case l.Absent && !is.found, is.found && is.same && is.ends:
		return false, nil
	case is.found && is.same:
		return true, run("usermod", "--expiredate", dateOf(day), "--", l.Name)
	case is.found:
		if err := run("userdel", "--force", "--", l.Name); err != nil || l.Absent {
			return err == nil, err
		}
	}
	x.a.crash("login removed")
	// It is a system account to useradd, which gives those no subordinate ids and no mailbox. "*" is no password, and unlike "!" no lock, which sshd would
	// refuse without PAM.
	argv := []string{
		"useradd", "--system", "--non-unique", "--uid", strconv.Itoa(is.account.UID), "--gid", strconv.Itoa(is.account.GID), "--home-dir", wire.LoginRoot(l.Name),
		"--no-create-home", "--no-log-init", "--shell", wire.LoginShell, "--password", "*", "--comment", "SFTP user of " + l.Account,
	}
	if day >= 0 {
		argv = append(argv, "--expiredate", dateOf(day))
	}
	return true, run(append(argv, "--", l.Name)...)
}

func (d *drift) login(l *wire.Login) error {
	is, err := d.a.loginIs(l)
	if err != nil || l.Absent && is.found || !l.Absent && (!is.same || !is.ends) {
		d.add(l.Name, "user", "")
	}
	return nil
}

func checkJail(j *wire.Jail) error {
	if !passwd.IsName(j.Login) {
		return fmt.Errorf("%q is not the name of a login", j.Login)
	}
	if j.Absent {
		return nil
	}
	return checkLoginDirectory(j.Account, j.Directory)
}

// checkLoginDirectory refuses what is not a directory of the account's home itself: the account could put a link into the way to one below.
func checkLoginDirectory(account, dir string) error {
	if err := object.CheckPath(dir); err != nil {
		return err
	}
	if !passwd.IsName(account) || path.Dir(dir) != "/home/"+account {
		return fmt.Errorf("%q is not a directory in the home of %q", dir, account)
	}
	return nil
}
