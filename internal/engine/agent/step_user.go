package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func (x *execution) user(ctx context.Context, i int, name string, u *wire.User) (bool, error) {
	changed, err := x.makeUser(ctx, i, name, u)
	if err != nil {
		return false, fmt.Errorf("account %s: %w", u.Name, err)
	}
	left, err := x.leaveGroups(ctx, i, name, u)
	if err != nil {
		return false, fmt.Errorf("account %s: %w", u.Name, err)
	}
	return changed || left, nil
}

func (x *execution) makeUser(ctx context.Context, i int, name string, u *wire.User) (bool, error) {
	argv, err := x.a.userArgv(u)
	if err == nil && u.Fresh {
		err = x.a.nothingLeft(u.Name)
	}
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

// userArgv returns the command that creates or changes an account as wanted, nil if it matches.
func (a *Agent) userArgv(u *wire.User) ([]string, error) {
	is, found, err := a.users.Account(u.Name)
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
		if is.UID == 0 || is.UID < passwd.FirstUser && !u.System {
			return nil, errors.New("is a system account")
		}
		groups = slices.DeleteFunc(groups, func(g string) bool {
			gid, members, known, err := a.users.Group(g)
			return err == nil && known && (gid == is.GID || slices.Contains(members, u.Name))
		})
	}
	if len(groups) > 0 {
		if found {
			args = append(args, "--append")
		}
		args = append(args, "--groups", strings.Join(groups, ","))
	}
	if u.Home != "" && u.Home != is.Home {
		args = append(args, "--home-dir", u.Home)
	}
	if u.Shell != "" && u.Shell != is.Shell {
		args = append(args, "--shell", u.Shell)
	}
	switch {
	case found && len(args) == 0:
		return nil, nil
	case found:
		// usermod has another name for it.
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
	if _, _, known, err := a.users.Group(u.Name); err != nil {
		return nil, err
	} else if known {
		args = append(args, "--gid", u.Name)
	} else {
		args = append(args, "--user-group")
	}
	if u.Own {
		id, err := a.nextID()
		if err != nil {
			return nil, err
		}
		args = append(args, "--uid", strconv.Itoa(id))
	}
	if u.System || u.Home == "" {
		args = append(args, "--no-create-home")
	} else {
		args = append(args, "--create-home")
	}
	return append(append([]string{"useradd"}, args...), "--", u.Name), nil
}

// leaveGroups removes an account from groups. Its primary group can't be left.
func (x *execution) leaveGroups(ctx context.Context, i int, name string, u *wire.User) (changed bool, err error) {
	groups, err := x.a.groupsToLeave(u)
	if err != nil {
		return false, err
	}
	for _, g := range groups {
		if _, err := x.execStep(ctx, i, name, &wire.Exec{Argv: []string{"gpasswd", "--delete", u.Name, g}}); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

func (a *Agent) groupsToLeave(u *wire.User) (groups []string, err error) {
	acc, found, err := a.users.Account(u.Name)
	if err != nil || !found {
		return nil, err
	}
	for _, g := range u.Without {
		gid, members, known, err := a.users.Group(g)
		switch {
		case err != nil:
			return nil, err
		case !known:
		case gid == acc.GID:
			return nil, fmt.Errorf("its primary group is %s, which gives access to the files of other sites", g)
		case slices.Contains(members, u.Name):
			groups = append(groups, g)
		}
	}
	return groups, nil
}
