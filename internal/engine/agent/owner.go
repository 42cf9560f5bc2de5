package agent

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// account is a line of passwd.
type account struct {
	name, home, shell string
	uid, gid          int
}

// lookAccount finds a Unix account in passwd. The agent is static, so accounts of other sources are not seen.
func (a *Agent) lookAccount(name string) (account, bool, error) {
	var acc account
	found, err := a.lookLine("/etc/passwd", name, 7, func(f []string) error {
		uid, err := strconv.Atoi(f[2])
		if err != nil {
			return err
		}
		gid, err := strconv.Atoi(f[3])
		acc = account{name: f[0], uid: uid, gid: gid, home: f[5], shell: f[6]}
		return err
	})
	return acc, found, err
}

// lookGroup returns a Unix group's id and members.
func (a *Agent) lookGroup(name string) (gid int, members []string, found bool, err error) {
	found, err = a.lookLine("/etc/group", name, 4, func(f []string) (err error) {
		gid, err = strconv.Atoi(f[2])
		if f[3] != "" {
			members = strings.Split(f[3], ",")
		}
		return err
	})
	return gid, members, found, err
}

// groupsOf returns the ids of the groups that an account is a member of.
func (a *Agent) groupsOf(name string) ([]uint32, error) {
	var out []uint32
	_, err := a.lookLine("/etc/group", "", 4, func(f []string) error {
		for m := range strings.SplitSeq(f[3], ",") {
			if gid, err := strconv.Atoi(f[2]); m == name && err == nil {
				out = append(out, uint32(gid))
			}
		}
		return nil
	})
	return out, err
}

// lookLine calls fn with the fields of the line with this name, or of all lines if name is empty.
func (a *Agent) lookLine(file, name string, fields int, fn func([]string) error) (bool, error) {
	raw, err := os.ReadFile(a.host(file))
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found := false
	for s := bufio.NewScanner(bytes.NewReader(raw)); s.Scan(); {
		f := strings.Split(s.Text(), ":")
		if len(f) != fields || name != "" && f[0] != name {
			continue
		}
		found = true
		if err := fn(f); err != nil {
			return false, fmt.Errorf("read %s: %w", file, err)
		}
		if name != "" {
			break
		}
	}
	return found, nil
}

// owner returns the ids of an owner and a group; empty means root.
func (a *Agent) owner(user, group string) (uid, gid int, err error) {
	uid, gid = a.uid, a.gid
	if user != "" && user != "root" {
		acc, found, err := a.lookAccount(user)
		if err != nil {
			return 0, 0, err
		}
		if !found {
			return 0, 0, fmt.Errorf("there is no account %q", user)
		}
		uid = acc.uid
	}
	if group != "" && group != "root" {
		n, _, found, err := a.lookGroup(group)
		if err != nil {
			return 0, 0, err
		}
		if !found {
			return 0, 0, fmt.Errorf("there is no group %q", group)
		}
		gid = n
	}
	return uid, gid, nil
}
