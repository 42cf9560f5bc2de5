package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// Shipped recipes do on a server what they say. Those that need packages from elsewhere, or swap, are not run here.
func TestShippedRecipesRun(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	for id, says := range map[int]string{
		1:  "Largest directories",
		2:  "MB more are free",
		6:  "Newest logins",
		7:  "table inet hostler",
		8:  "Errors of the last day",
		10: "",
	} {
		at := fmt.Sprintf("/api/forge-recipes/%d", id)
		recipe := w.Get(t, at)
		w.Want(t, http.StatusAccepted, http.MethodPost, at+"/runs", map[string]any{"servers": []any{number(s.ID)}})
		run := w.Want(t, http.StatusOK, http.MethodGet, at+"/runs?sort=-created_at", nil).List[0]
		got, _ := w.Until(t, 3*time.Minute, at+"/runs/"+run.ID, "ended", func(a panel.Answer) bool {
			status := a.Data.Text("status")
			return status == "finished" || status == "failed"
		})
		if output := got.Data.Text("output"); got.Data.Text("status") != "finished" || !strings.Contains(output, says) {
			t.Errorf("%s is %s and printed, without %q:\n%s", recipe.Text("name"), got.Data.Text("status"), says, output)
		}
	}
}
