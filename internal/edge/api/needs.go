package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

const keyNeeds contextKey = 103

// needs collects the permissions of a call: those of its operation, and those that its handler required.
type needs struct{ list []access.Permission }

func (n *needs) add(permissions []access.Permission) {
	if n == nil {
		return
	}
	for _, p := range permissions {
		if !slices.Contains(n.list, p) {
			n.list = append(n.list, p)
		}
	}
}

func withNeeds(req *http.Request) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), keyNeeds, &needs{}))
}

func needsOf(ctx context.Context) *needs {
	n, _ := ctx.Value(keyNeeds).(*needs)
	return n
}

// Needed returns the permissions that the call in ctx required, in order; nil outside of a call. They are recorded with the work
// that a call starts, so that retrying or cancelling it requires the same.
func Needed(ctx context.Context) []access.Permission {
	if n := needsOf(ctx); n != nil {
		return slices.Clone(n.list)
	}
	return nil
}
