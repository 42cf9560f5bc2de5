package edge

import (
	"net/http"
	"slices"
	"testing"
)

// What an account has on a server goes with its last site, not with an earlier one. Resources of other accounts stay.
func TestAccountGoesWithItsLastSite(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := "/orgs/acme/servers/" + w.mine.server
		site := func(name string) string {
			return w.owner.Post(at+"/sites", map[string]any{
				"type": "static-html", "name": name, "is_isolated": true, "isolated_user": "tenant",
			}).Want(t, http.StatusAccepted).ID()
		}
		first, second := site("one.example.org"), site("two.example.org")
		var of, others []string
		for _, user := range []string{"tenant", "forge"} {
			made := []string{
				at + "/background-processes/" + w.owner.Post(at+"/background-processes",
					map[string]any{"name": "stay", "command": "sleep 60", "user": user, "processes": 1}).Want(t, http.StatusAccepted).ID(),
				at + "/scheduled-jobs/" + w.owner.Post(at+"/scheduled-jobs",
					map[string]any{"name": "stay", "command": "true", "user": user, "frequency": "hourly"}).Want(t, http.StatusAccepted).ID(),
				at + "/ssh-keys/" + w.owner.Post(at+"/ssh-keys",
					map[string]any{"name": "stay-" + user, "key": publicKey(t), "user": user}).Want(t, http.StatusAccepted).ID(),
			}
			if of == nil {
				of = made
			} else {
				others = made
			}
		}
		removing := func(path string) bool {
			return slices.Contains([]string{"removing", "uninstalling"}, w.owner.Get(path).Want(t, http.StatusOK).Text("data", "attributes", "status"))
		}
		w.owner.Delete(at+"/sites/"+first).Want(t, http.StatusAccepted)
		for _, path := range of {
			if removing(path) {
				t.Errorf("%s goes with a site that is not the account's last", path)
			}
		}
		w.owner.Delete(at+"/sites/"+second+"?keep_home=true").Want(t, http.StatusAccepted)
		for _, path := range of {
			if !removing(path) {
				t.Errorf("%s stays after the account's last site", path)
			}
		}
		for _, path := range others {
			if removing(path) {
				t.Errorf("%s of another account is removed", path)
			}
		}
		// The account can't be shared while it is being removed.
		w.owner.Post(at+"/sites", map[string]any{
			"type": "static-html", "name": "three.example.org", "is_isolated": true, "isolated_user": "tenant",
		}).Want(t, http.StatusConflict)
		w.owner.Delete(at+"/sites/"+second+"?keep_home=perhaps").Want(t, http.StatusAccepted) // a second delete while the first runs
	})
}
