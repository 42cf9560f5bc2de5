package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Names of every length and script are served; overlaps are refused; a foreign broken file fails a change clearly and harms no site.
func TestNamesAndBrokenConfiguration(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	label := strings.Repeat("a", 60)
	long := label + "." + label + "." + label + "." + strings.Repeat("b", 12) + ".test"
	if len(long) != 200 {
		t.Fatalf("the long name has %d characters", len(long))
	}
	for name, asked := range map[string]string{long: long, "bücher.example": "xn--bcher-kva.example"} {
		r := site(t, w, s, map[string]any{"name": name, "type": "php"})
		v := newVisitor(s.Host.Addr(80), asked, false)
		if code, text, err := v.get(t.Context()); code != http.StatusOK || nodeOf(text) != s.Host.Name {
			t.Errorf("%.20s: %d %v %.60s", name, code, err, text)
		}
		t.Cleanup(func() { removeSite(t, w, s, r) })
	}

	apex := site(t, w, s, map[string]any{"name": "apex.example.com", "type": "static-html"})
	t.Cleanup(func() { removeSite(t, w, s, apex) })
	for name, body := range map[string]map[string]any{
		"the same name": {"name": "apex.example.com", "type": "static-html"},
		"its www":       {"name": "www.apex.example.com", "type": "static-html", "www_redirect_type": "from-www"},
	} {
		a, err := w.Do(http.MethodPost, s.Path("/sites"), body)
		if err != nil || name == "the same name" && a.Code != http.StatusUnprocessableEntity && a.Code != http.StatusConflict {
			t.Errorf("%s: %d %v %s", name, a.Code, err, a.Body)
		}
		t.Logf("%s beside apex.example.com: %d %.200s", name, a.Code, a.Body)
		if a.Code == http.StatusAccepted {
			r := w.Settled(t, time.Minute, "/sites/"+a.Data.ID)
			removeSite(t, w, s, r)
		}
	}
	wild, err := w.Do(http.MethodPost, s.Path("/sites"), map[string]any{"name": "wild.example.com", "type": "static-html", "allow_wildcard_subdomains": true})
	if err != nil || wild.Code != http.StatusAccepted {
		t.Fatalf("wildcard: %d %v %s", wild.Code, err, wild.Body)
	}
	r := w.Settled(t, time.Minute, "/sites/"+wild.Data.ID)
	t.Cleanup(func() { removeSite(t, w, s, r) })
	if code, _, err := newVisitor(s.Host.Addr(80), "any.wild.example.com", false).get(t.Context()); code != http.StatusOK {
		t.Errorf("a name below a wildcard: %d %v", code, err)
	}

	// Break nginx manually.
	const path = "/etc/nginx/conf.d/by-hand.conf"
	s.Host.WriteFile(t, path, []byte("server { this is not nginx\n"), 0o644)
	t.Cleanup(func() { s.Host.Exec(t, "rm", "-f", path) })
	before := s.Host.Exec(t, "sh", "-c", "ls -1 /etc/nginx/conf.d | grep -v by-hand; ls -1 /home/forge")
	failed := w.Settled(t, time.Minute, "/sites/"+w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"),
		map[string]any{"name": "later.example.com", "type": "php"}).Data.ID)
	op := failed.Operation()
	t.Logf("with a broken file: %s, %+v", failed.Text("status"), op)
	if failed.Text("status") != "failed" || op.Step != "check nginx" || !strings.Contains(op.Reason, "by-hand.conf") {
		t.Errorf("with a broken file: %s, %+v", failed.Text("status"), op)
	}
	if after := s.Host.Exec(t, "sh", "-c", "ls -1 /etc/nginx/conf.d | grep -v by-hand; ls -1 /home/forge"); after != before {
		t.Errorf("files are left:\n%s\nbefore:\n%s", after, before)
	}
	if code, _, err := newVisitor(s.Host.Addr(80), "apex.example.com", false).get(t.Context()); code != http.StatusOK {
		t.Errorf("another site: %d %v", code, err)
	}
	s.Host.Exec(t, "rm", "-f", path)
	w.Retry(t, s, op)
	later := w.Settled(t, time.Minute, "/sites/"+failed.ID)
	if later.Text("status") != "installed" {
		t.Errorf("after a retry: %s, %+v", later.Text("status"), later.Operation())
	}
	removeSite(t, w, s, later)
}

// While sites are created and deleted on a server, pages of its other sites are served, including slow ones.
func TestOtherSitesAreServed(t *testing.T) {
	w := world(t)
	s := w.Server(3)
	r := site(t, w, s, map[string]any{"name": "old.example.com", "type": "php"})
	t.Cleanup(func() { removeSite(t, w, s, r) })
	s.Host.WriteFile(t, "/home/forge/old.example.com/public/index.php", []byte("<?php usleep(300000); echo 'Ready: ', gethostname(), ',';"), 0o644)
	for _, keepAlive := range []bool{false, true} {
		stop := pressure(t, s.Host.Addr(80), "old.example.com", keepAlive)
		for range 3 {
			other := site(t, w, s, map[string]any{"name": "new.example.com", "type": "php"})
			removeSite(t, w, s, other)
		}
		y := stop()
		if len(y.failed) > 0 {
			t.Errorf("keep-alive %t: %d of %d requests failed, the first: %s", keepAlive, len(y.failed), y.total, y.failed[0])
		}
		t.Logf("keep-alive %t: %d requests of 0.3 s while a site came and went 3 times, %d failed", keepAlive, y.total, len(y.failed))
	}
}
