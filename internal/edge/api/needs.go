package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

const keyNeeds contextKey = 103

// needs collects the permissions that a call was asked for: those of its operation, and what its handler asked for besides.
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

// Needed returns the permissions that the call in ctx was asked for, in the order of asking; nil outside of a call. Work that a call begins is
// written down with them, so that trying it again or cancelling it asks for the same.
func Needed(ctx context.Context) []access.Permission {
	if n := needsOf(ctx); n != nil {
		return slices.Clone(n.list)
	}
	return nil
}
