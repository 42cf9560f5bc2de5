package api

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

func TestPublicError(t *testing.T) {
	t.Parallel()
	refusal, failure := Invalid("token", "This link was used."), errors.New("disk I/O error")
	for name, c := range map[string]struct {
		err      error
		status   int
		internal bool
	}{
		"a refusal":                         {refusal, http.StatusUnprocessableEntity, false},
		"a wrapped refusal":                 {fmt.Errorf("use link: %w", refusal), http.StatusUnprocessableEntity, false},
		"a refusal joined to nothing":       {errors.Join(nil, refusal), http.StatusUnprocessableEntity, false},
		"a failure":                         {failure, http.StatusInternalServerError, true},
		"a failure joined to a refusal":     {errors.Join(failure, refusal), http.StatusInternalServerError, true},
		"a refusal joined to a failure":     {fmt.Errorf("use link: %w", errors.Join(refusal, failure)), http.StatusInternalServerError, true},
		"a refusal that wraps a failure":    {fmt.Errorf("%w: %w", refusal, failure), http.StatusInternalServerError, true},
		"a missing row":                     {fmt.Errorf("read link: %w", db.ErrNotFound), http.StatusNotFound, false},
		"a missing row joined to a refusal": {errors.Join(db.ErrNotFound, refusal), http.StatusUnprocessableEntity, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, internal := publicError(c.err); e.Status != c.status || internal != c.internal {
				t.Errorf("%d, internal %v; want %d, %v", e.Status, internal, c.status, c.internal)
			}
		})
	}
}
