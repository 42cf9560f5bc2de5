package agent

import "fmt"

// owner returns the ids of an owner and a group; empty means root.
func (a *Agent) owner(user, group string) (uid, gid int, err error) {
	uid, gid = a.uid, a.gid
	if user != "" && user != "root" {
		acc, found, err := a.users.Account(user)
		if err != nil {
			return 0, 0, err
		}
		if !found {
			return 0, 0, fmt.Errorf("there is no account %q", user)
		}
		uid = acc.UID
	}
	if group != "" && group != "root" {
		n, _, found, err := a.users.Group(group)
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
