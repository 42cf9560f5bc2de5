package attack_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// A customer's site leads the file manager away: by links out, links that change while they are followed, pipes, devices and names that mean something in
// headers. Whoever manages the site's files sees and changes nothing of root's or of the neighbour's.
func TestSiteUserLeadsTheFileManagerAway(t *testing.T) {
	w := tenantWorld(t)
	for _, h := range w.Hosts()[:1] {
		a, b := h.Alice, h.Bob
		before := h.root(t, "sh", "-c", guarded, "sh", b.User, b.Domain)
		files := h.Path("/sites/" + a.Site.ID + "/files")
		a.run(t, "sh", "-c", `cd "$1" && mkdir -p lead/dir && cd lead && echo mine >dir/secret && ln -s /root root && ln -s "$2" bob && ln -s /etc/shadow shadow &&
ln -s /proc/self/root proc && ln -s ../../../../../../etc up && mkfifo pipe &&
	ln -s /dev/zero zero && ln -s /etc/cron.d/evil dangling && truncate -s 1T endless &&
touch "$(printf 'a\r\nSet-Cookie: x=1')" '"; filename=evil.html' && ln -s "$2" out && ln /etc/passwd hard 2>/dev/null; true`, "sh", a.Base, b.Base)
		secrets := []string{b.Secret, "root:$", "root:*:", "daemon:x:"}
		try := func(method, path string, body any) panel.Answer {
			t.Helper()
			answer, err := w.Do(method, path, body)
			if err != nil || answer.Code >= http.StatusInternalServerError {
				t.Errorf("%s %s: %v %d %.300s", method, path, err, answer.Code, answer.Body)
			}
			for _, secret := range secrets {
				if strings.Contains(answer.Body, secret) {
					t.Errorf("%s %s shows %q: %.300s", method, path, secret, answer.Body)
				}
			}
			return answer
		}
		for _, path := range []string{
			"root", "root/secret", "bob/.env", "bob", "shadow", "proc/etc/passwd", "up/passwd", "pipe", "zero", "dangling", "out/index.php", "../../" + b.Base,
			"..", "hard/x",
			b.Base + "/.env", "/etc/passwd", `\x2e\x2e/\x2e\x2e/etc/passwd`, "root/../../../etc/passwd", "%2e%2e/secret", "..\\..\\etc\\passwd",
		} {
			at := "?path=" + url.QueryEscape("/lead/"+path)
			for _, r := range [][2]string{{http.MethodGet, "/content" + at}, {http.MethodGet, "/download" + at}, {http.MethodGet, at},
				{http.MethodDelete, "/entry" + at + "/x"}} {
				if answer := try(r[0], files+r[1], nil); answer.Code/100 == 2 {
					t.Errorf("%s %s answers %d %.200s", r[0], r[1], answer.Code, answer.Body)
				}
			}
			for _, r := range []struct {
				method, path string
				body         map[string]any
			}{
				{http.MethodPut, "/content", map[string]any{"path": "/lead/" + path, "content": "evil"}},
				{http.MethodPost, "/directories", map[string]any{"path": "/lead/" + path + "/evil"}},
				{http.MethodPost, "/moves", map[string]any{"path": "/lead/dir", "new_path": "/lead/" + path + "/evil"}},
			} {
				if answer := try(r.method, files+r.path, r.body); answer.Code/100 == 2 {
					t.Errorf("%s %s of %s answers %d %.200s", r.method, r.path, path, answer.Code, answer.Body)
				}
			}
		}
		for _, name := range []string{`a\x0d\x0aSet-Cookie: x=1`, `"; filename=evil.html`} {
			answer := try(http.MethodGet, files+"/download?path="+url.QueryEscape("/lead/"+name), nil)
			if answer.Code != http.StatusOK || answer.Header.Get("Set-Cookie") != "" || !strings.HasPrefix(answer.Header.Get("Content-Disposition"), "attachment") ||
				answer.Header.Get("Content-Type") != "application/octet-stream" || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%q is downloaded with %d %v", name, answer.Code, answer.Header)
			}
		}
		if answer := try(http.MethodGet, files+"/content?path=/lead/endless", nil); answer.Code != http.StatusOK || !strings.Contains(answer.Body, `"content":null`) {
			t.Errorf("an endless file answers %d %.300s", answer.Code, answer.Body)
		}

		// The directory is exchanged for a link to the neighbour's, and back, as fast as the customer can.
		swap := fmt.Sprintf(`cd "%s/lead" && timeout 60 sh -c 'while [ ! -e stop ]; do mv -T dir was; mv -T out dir; mv -T dir out; mv -T was dir; done'`, a.Base)
		done := make(chan struct{})
		go func() {
			defer close(done)
			a.run(t, "sh", "-c", swap+"; true")
		}()
		for range 40 {
			try(http.MethodGet, files+"/content?path=/lead/dir/.env", nil)
			try(http.MethodGet, files+"?path=/lead/dir", nil)
			try(http.MethodPut, files+"/content", map[string]any{"path": "/lead/dir/evil", "content": "evil"})
			try(http.MethodDelete, files+"/entry?path=/lead/dir/.env", nil)
		}
		a.run(t, "touch", a.Base+"/lead/stop")
		<-done
		a.run(t, "rm", "-rf", a.Base+"/lead")
		if after := h.root(t, "sh", "-c", guarded, "sh", b.User, b.Domain); after != before {
			t.Errorf("what is root's or the neighbour's was\n%s\nand is\n%s", before, after)
		}
	}
}
