package attack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// What a program of a site puts in place of directories that Hostler works in is not followed: not the site's own directory, which is another's or root's
// now, nor one of its home in which Hostler leaves links and credentials.
func TestSiteDirectoryLeadsAway(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	h := w.MariaDB
	a, b := h.Alice, h.Bob
	h.root(t, "sh", "-c", `cd "$1" && mkdir -p storage/logs &&
echo "$2" >storage/logs/laravel.log && chown -R bob:bob storage`, "sh", b.Base, b.Secret)
	t.Cleanup(func() { h.root(t, "rm", "-rf", b.Base+"/storage") })
	state := func() string {
		return h.root(t, "sh", "-c", guarded+"\nls -lA etc/cron.d home/$1/$2/storage/logs; cat home/$1/$2/storage/logs/laravel.log", "sh", b.User, b.Domain)
	}
	site := h.Path("/sites/" + a.Site.ID)
	type lead struct{ name, undo, do string }
	swapped := func(target string) lead {
		return lead{"the site is " + target, `rm -f "$1"; mv "$1.was" "$1"`, `mv "$1" "$1.was"; ln -s ` + target + ` "$1"`}
	}
	for _, l := range tenth(t, []lead{
		swapped(b.Base), swapped("/root"),
		{"logs are the neighbour's", `rm -rf "$1/storage"`, `ln -s ` + b.Base + `/storage "$1/storage"`},
		{"a log is a name of two lines", `rm -rf "$1/storage"`, `mkdir -p "$1/storage/logs"; cd "$1/storage/logs"
ln -s /root/secret "$(printf 'laravel-2031\n-01-01.log')"`},
		{"programs' logs are cron's", `rm -f "$HOME/.forge"`, `rm -rf "$HOME/.forge"; ln -s /etc/cron.d "$HOME/.forge"`},
		{"settings are the neighbour's", `rm -f "$HOME/.config" "$HOME/.composer"`, `rm -rf "$HOME/.config" "$HOME/.composer"
ln -s /home/bob "$HOME/.config"; ln -s /home/bob "$HOME/.composer"`},
	}) {
		before, since := state(), w.Count(t, "SELECT MAX(id) FROM events")
		a.run(t, "sh", "-c", l.do, "sh", a.Base)
		var said strings.Builder
		for _, r := range []struct {
			method, path string
			body         any
		}{
			{http.MethodGet, site + "/environment", nil},
			{http.MethodGet, site + "/logs/application", nil},
			{http.MethodDelete, site + "/logs/application", nil},
			{http.MethodPut, site + "/environment", map[string]any{"environment": "SECRET=" + a.Secret + "\nN=" + random(t) + "\n"}},
			{http.MethodPost, site + "/composer/credentials", map[string]any{"repository": random(t) + ".example.com", "username": "u", "password": "p"}},
			{http.MethodPost, site + "/commands", map[string]any{"command": "pwd -P; cat .env storage/logs/* secret; touch canary"}},
			{http.MethodPost, site + "/deployments", nil},
			{http.MethodPut, site, map[string]any{"directory": "/sub"}},
			{http.MethodPut, site, map[string]any{"directory": "/public"}},
			{http.MethodPost, h.Path("/background-processes"), map[string]any{
				"name": random(t), "command": "cat .env secret; sleep 600", "user": "alice", "processes": 1, "directory": a.Base,
			}},
			{http.MethodGet, h.Path("/drift"), nil},
		} {
			answer, err := w.Do(r.method, r.path, r.body)
			if err != nil || answer.Code >= http.StatusInternalServerError {
				t.Errorf("%s: %s %s: %v %d %s", l.name, r.method, r.path, err, answer.Code, answer.Body)
			}
			said.WriteString(answer.Body)
			if r.method != http.MethodGet {
				a.settle(t)
			}
			if strings.HasSuffix(r.path, "/background-processes") && answer.Code == http.StatusAccepted {
				at := r.path + "/" + answer.Data.ID
				log, err := w.Do(http.MethodGet, at+"/log", nil)
				if err != nil {
					t.Error(err)
				}
				said.WriteString(log.Body)
				w.Want(t, http.StatusAccepted, http.MethodDelete, at, nil)
				w.Gone(t, time.Minute, at)
			}
		}
		for _, out := range w.Rows(t,
			"SELECT e.description, o.content FROM event_outputs o JOIN events e ON e.id = o.event_id WHERE e.server_id = "+h.ID+" AND e.id > "+itoa(since)) {
			said.WriteString("\nevent " + strings.Join(out, ": "))
		}
		for word, is := range map[string]string{h.RootSecret: "root's secret", b.Secret: "the neighbour's secret", "root:$": "passwords", "root:*:": "passwords"} {
			if at := strings.Index(said.String(), word); at >= 0 {
				t.Errorf("%s: an answer has %s: …%s…", l.name, is, said.String()[max(0, at-300):min(said.Len(), at+100)])
			}
		}
		if after := state(); after != before {
			t.Errorf("%s: root's files or the neighbour's changed:\n%s\nbefore:\n%s", l.name, after, before)
		}
		a.run(t, "sh", "-c", l.undo, "sh", a.Base)
	}
	a.run(t, "sh", "-c", `cd "$1" && rm -rf .env storage sub auth.json canary`, "sh", a.Base)
	w.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "SECRET=" + a.Secret + "\n"})
	a.settle(t)
	w.unharmed(t)
}
