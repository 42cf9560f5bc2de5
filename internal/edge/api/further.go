package api

import (
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

// Further is what an operation requires beyond its Permissions, depending on the request or on stored work. The description says it in a sentence.
type Further struct {
	// Permissions are required together; none stands for those that starting the work required.
	Permissions []access.Permission
	// Given are fields of the request: the permissions are required if one of them is given. None is always.
	Given []string
	// Elsewhere is where the permissions are required, if not in the organization of the path.
	Elsewhere Elsewhere
	// Second is the field that names a second server. If it is given, the permissions are required on both servers.
	Second string
}

// condition is a Further that depends on fields of the request, as clients read it: the permissions are required if one of the fields is given.
type condition struct {
	Permissions []access.Permission `json:"permissions"`
	Given       []string            `json:"given"`
}

// Elsewhere is a place other than the one in an operation's path.
type Elsewhere string

// OtherOrganization is the organization that a request names.
const OtherOrganization Elsewhere = "in the other organization"

// sentence returns the condition as the description says it: "Also requires server:create-databases if name is given."
func (f Further) sentence() string {
	what := "the permissions that starting the work required"
	if len(f.Permissions) > 0 {
		names := make([]string, len(f.Permissions))
		for i, p := range f.Permissions {
			names[i] = string(p)
		}
		what = listed(names, "and")
	}
	s := "Also requires " + what
	if len(f.Given) > 0 {
		s += " if " + listed(f.Given, "or") + " is given"
	}
	if f.Elsewhere != "" {
		s += " " + string(f.Elsewhere)
	}
	if f.Second != "" {
		s += ", on both servers if " + f.Second + " is given"
	}
	return s + "."
}

// listed joins names: "a", "a or b", "a, b or c".
func listed(names []string, last string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " " + last + " " + names[n-1]
}
