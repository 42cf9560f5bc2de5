package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/host/wire"
)

// firstUser is the first number of accounts that are not the system's (UID_MIN of login.defs).
const firstUser = 1000

func (x *execution) user(ctx context.Context, i int, name string, u *wire.User) (bool, error) {
	changed, err := x.makeUser(ctx, i, name, u)
	if err != nil {
		return false, fmt.Errorf("account %s: %w", u.Name, err)
	}
	home, err := x.homeMode(u)
	if err != nil {
		return false, fmt.Errorf("home of account %s: %w", u.Name, err)
	}
	return changed || home, nil
}

func (x *execution) makeUser(ctx context.Context, i int, name string, u *wire.User) (bool, error) {
	argv, err := x.a.userArgv(u)
	if err != nil || argv == nil {
		return false, err
	}
	if u.Own {
		if err := x.a.claimAccount(u.Name); err != nil {
			return false, err
		}
	}
	_, err = x.execStep(ctx, i, name, &wire.Exec{Argv: argv})
	return err == nil, err
}

// userArgv is what makes an account as wanted, nil if it is.
func (a *Agent) userArgv(u *wire.User) ([]string, error) {
	is, found, err := a.lookAccount(u.Name)
	if err != nil {
		return nil, err
	}
	if u.Own {
		if err := a.ownAccount(u.Name, found); err != nil {
			return nil, err
		}
	}
	groups := slices.Clone(u.Groups)
	var args []string
	if found {
		if is.uid == 0 || is.uid < firstUser && !u.System {
			return nil, errors.New("is one of the system's")
		}
		groups = slices.DeleteFunc(groups, func(g string) bool {
			gid, members, known, err := a.lookGroup(g)
			return err == nil && known && (gid == is.gid || slices.Contains(members, u.Name))
		})
	}
	if len(groups) > 0 {
		if found {
			args = append(args, "--append")
		}
		args = append(args, "--groups", strings.Join(groups, ","))
	}
	if u.Home != "" && u.Home != is.home {
		args = append(args, "--home-dir", u.Home)
	}
	if u.Shell != "" && u.Shell != is.shell {
		args = append(args, "--shell", u.Shell)
	}
	switch {
	case found && len(args) == 0:
		return nil, nil
	case found:
		// usermod calls it otherwise.
		for n, s := range args {
			if s == "--home-dir" {
				args[n] = "--home"
			}
		}
		return append(append([]string{"usermod"}, args...), "--", u.Name), nil
	}
	if u.System {
		args = append(args, "--system")
	}
	if _, _, known, err := a.lookGroup(u.Name); err != nil {
		return nil, err
	} else if known {
		args = append(args, "--gid", u.Name)
	} else {
		args = append(args, "--user-group")
	}
	if u.System && u.HomeMode == 0 || u.Home == "" {
		args = append(args, "--no-create-home")
	} else {
		args = append(args, "--create-home")
	}
	return append(append([]string{"useradd"}, args...), "--", u.Name), nil
}

// homeMode gives the home directory the mode that lets, or does not let, others in.
func (x *execution) homeMode(u *wire.User) (bool, error) {
	if u.HomeMode == 0 || u.Home == "" {
		return false, nil
	}
	acc, found, err := x.a.lookAccount(u.Name)
	if err != nil {
		return false, err
	}
	if !found {
		return false, errors.New("the account is not there")
	}
	fd, name, err := x.a.openParent(u.Home)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	is, err := lookAt(fd, name)
	switch {
	case err != nil:
		return false, err
	case is.Kind == dir && is.Mode == u.HomeMode:
		return false, nil
	case is.Kind != dir && is.Kind != absent:
		return false, os.ErrExist
	}
	uid, gid := acc.uid, acc.gid
	if is.Kind == dir {
		uid, gid = is.UID, is.GID
	}
	return true, makeDirAt(fd, name, is, u.HomeMode, uid, gid)
}
