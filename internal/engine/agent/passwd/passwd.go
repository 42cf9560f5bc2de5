// Package passwd reads the accounts and groups of a host from their files (passwd(5), group(5)). The agent is static, so those of
// other sources are not seen.
package passwd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// FirstUser is the first id of regular accounts (UID_MIN of login.defs).
const FirstUser = 1000

var namePattern = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)

// IsName reports whether useradd accepts a name by default on Debian (NAME_REGEX of adduser).
func IsName(s string) bool { return namePattern.MatchString(s) }

// Files are the files below a root; empty means the host itself.
type Files struct{ Root string }

// Account is a line of passwd.
type Account struct {
	Name, Home, Shell string
	UID, GID          int
}

// Account returns an account, and reports whether there is one.
func (f Files) Account(name string) (acc Account, found bool, err error) {
	found, err = f.lines("/etc/passwd", name, 7, func(fields []string) (err error) {
		acc, err = parse(fields)
		return err
	})
	return acc, found, err
}

// ByID returns the first account with an id, and reports whether there is one.
func (f Files) ByID(uid int) (acc Account, found bool, err error) {
	_, err = f.lines("/etc/passwd", "", 7, func(fields []string) (err error) {
		if fields[2] == strconv.Itoa(uid) && !found {
			acc, err = parse(fields)
			found = true
		}
		return err
	})
	return acc, found, err
}

// IDs returns the ids that accounts have, as they are written.
func (f Files) IDs() (map[string]bool, error) {
	ids := map[string]bool{}
	_, err := f.lines("/etc/passwd", "", 7, func(fields []string) error { ids[fields[2]] = true; return nil })
	return ids, err
}

// GroupIDs returns the ids that groups have, as they are written.
func (f Files) GroupIDs() (map[string]bool, error) {
	ids := map[string]bool{}
	_, err := f.lines("/etc/group", "", 4, func(fields []string) error { ids[fields[2]] = true; return nil })
	return ids, err
}

func parse(fields []string) (Account, error) {
	uid, err := strconv.Atoi(fields[2])
	if err != nil {
		return Account{}, err
	}
	gid, err := strconv.Atoi(fields[3])
	return Account{Name: fields[0], UID: uid, GID: gid, Home: fields[5], Shell: fields[6]}, err
}

// Group returns a group's id and members.
func (f Files) Group(name string) (gid int, members []string, found bool, err error) {
	found, err = f.lines("/etc/group", name, 4, func(line []string) (err error) {
		gid, err = strconv.Atoi(line[2])
		if line[3] != "" {
			members = strings.Split(line[3], ",")
		}
		return err
	})
	return gid, members, found, err
}

// GroupByID returns the name of a group.
func (f Files) GroupByID(gid int) (name string, found bool, err error) {
	number := strconv.Itoa(gid)
	_, err = f.lines("/etc/group", "", 4, func(line []string) error {
		if line[2] == number && !found {
			name, found = line[0], true
		}
		return nil
	})
	return name, found, err
}

// Expires returns the first day on which an account is refused, in days since 1970 (shadow(5)), -1 for none.
func (f Files) Expires(name string) (day int64, err error) {
	const expires = 7
	day = -1
	_, err = f.lines("/etc/shadow", name, 9, func(line []string) (err error) {
		if line[expires] != "" {
			day, err = strconv.ParseInt(line[expires], 10, 64)
		}
		return err
	})
	return day, err
}

// GroupsOf returns the ids of the groups that an account is a member of.
func (f Files) GroupsOf(name string) ([]uint32, error) {
	var out []uint32
	_, err := f.lines("/etc/group", "", 4, func(line []string) error {
		for m := range strings.SplitSeq(line[3], ",") {
			if gid, err := strconv.Atoi(line[2]); m == name && err == nil {
				out = append(out, uint32(gid))
			}
		}
		return nil
	})
	return out, err
}

// lines calls fn with the fields of the line with this name, or of all lines if name is empty.
func (f Files) lines(file, name string, fields int, fn func([]string) error) (bool, error) {
	raw, err := os.ReadFile(filepath.Join(f.Root, file))
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found := false
	for l := range strings.Lines(string(raw)) { // of any length: a group may have thousands of members
		line := strings.Split(strings.TrimSuffix(l, "\n"), ":")
		if len(line) != fields || name != "" && line[0] != name {
			continue
		}
		found = true
		if err := fn(line); err != nil {
			return false, fmt.Errorf("read %s: %w", file, err)
		}
		if name != "" {
			break
		}
	}
	return found, nil
}
