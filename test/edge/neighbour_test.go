package edge

import (
	"testing"
)

// Who may create sites is not the neighbour: another site in a neighbour's isolated account would read its variables, and another directory of its site would
// be served with its logs and dumps.
func TestCreatingSitesIsNotBeingTheNeighbour(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		bob := w.owner.Post(w.sites(w.mine.server), static("bob.example.org", "is_isolated", true, "isolated_user", "bob", "web_directory", "/public")).Want(t, 202)
		path := w.sites(w.mine.server) + "/" + bob.ID()
		creates, acts := w.with("server:view", "site:create"), w.with("server:view", "site:create", "site:manage-commands")
		decides := w.with("server:view", "site:create", "site:manage-project")
		beside := func(name string) map[string]any { return static(name, "is_isolated", true, "isolated_user", "bob") }

		creates.Post(w.sites(w.mine.server), beside("beside.example.org")).Want(t, 403)
		for field, value := range map[string]any{"directory": "/", "root_path": "/", "type": "other"} {
			if a := creates.Put(path, map[string]any{field: value}); a.Status != 403 {
				t.Errorf("with site:create, another %s of a site: %d %s", field, a.Status, a.Body)
			}
		}
		w.owner.Put(path, map[string]any{"directory": "/public"}).Want(t, 202)
		creates.Put(path, map[string]any{"directory": "/public", "tags": []string{"shop"}}).Want(t, 202)
		creates.Post(w.sites(w.mine.server), static("own.example.org", "is_isolated", true, "isolated_user", "eve")).Want(t, 202)
		acts.Post(w.sites(w.mine.server), beside("beside.example.org")).Want(t, 202)
		decides.Put(path, map[string]any{"directory": "/"}).Want(t, 202)
	})
}
