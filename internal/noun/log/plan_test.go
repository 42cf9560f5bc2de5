package log

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// A log of a server is emptied by its row alone: a database is not asked.
func TestPlanGolden(t *testing.T) {
	t.Parallel()
	postgres := "postgres17"
	for name, key := range map[string]string{"nginx": "nginx-error", "php": "php84", "database": "database", "packages": "packages"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work := []query.Operation{{ID: 1, Request: `{"log":"` + key + `"}`}}
			stages, err := (&Task{}).Aspect().Plan(t.Context(), nil, query.Server{ID: 7, DatabaseType: &postgres}, work)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, stages)
		})
	}
}

// What has no file can't be cleared.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"auth", "system", "nothing"} {
		work := []query.Operation{{ID: 1, Request: `{"log":"` + key + `"}`}}
		if _, err := (&Task{}).Aspect().Plan(t.Context(), nil, query.Server{ID: 7}, work); err == nil {
			t.Errorf("the log %s was emptied", key)
		}
	}
}
