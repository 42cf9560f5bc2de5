package edge

import (
	"context"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// What an earlier release accepted and the host, nginx or the application reads otherwise is shown before it is switched.
func TestInputFromBeforeNeedsAttention(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		misread := func() []string {
			var out []string
			for _, line := range attention(t, w.owner) {
				if subject, ok := strings.CutPrefix(line, "input-misread "); ok {
					out = append(out, subject)
				}
			}
			return out
		}
		site := strings.TrimSuffix(w.part("redirect-rules"), "/redirect-rules")
		w.owner.Put(site+"/environment", map[string]any{"environment": "A=1\nDB_PASSWORD=S3a$red9\n"}).Want(t, 202)
		if got := misread(); len(got) > 0 {
			t.Fatalf("nothing is from before: %v", got)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, statement := range []string{
				"UPDATE scheduled_jobs SET frequency = 'custom', cron = '0/1 * * * *', name = 'nightly report' WHERE id = " + w.mine.serverJob,
				"UPDATE redirect_rules SET source = '/caf%C3%A9', status = 'installed'",
				"UPDATE projects SET env_by_shell = TRUE, auto_source = TRUE",
			} {
				if _, err := tx.SQL.ExecContext(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		})
		got := strings.Join(misread(), "\n")
		for _, want := range []string{"nightly report", "/caf%C3%A9"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not shown: %s", want, got)
			}
		}
		if body := string(w.owner.Get("/orgs/acme/attention").Want(t, 200).Body); !strings.Contains(body, "Check DB_PASSWORD.") {
			t.Errorf("the variable is not shown: %s", body)
		}
	})
}
