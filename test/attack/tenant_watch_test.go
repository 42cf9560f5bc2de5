package attack_test

import (
	_ "embed"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

//go:embed testdata/watch.php
var watch string

// While the panel works for the neighbour with secrets of all kinds, a customer reads the command lines, environments and
// short-lived files of the host: they contain none of the secrets.
func TestNeighbourWatchesWork(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	for _, h := range w.Hosts() {
		a, b := h.Alice, h.Bob
		dir := a.Home + "/watch"
		h.root(t, "install", "-d", "-o", a.User, "-m", "700", dir)
		h.Host.WriteFile(t, dir+"/watch.php", []byte(watch), 0o644)
		saw := make(chan string, 1)
		go func() {
			out, err := a.try("php", "-d", "memory_limit=512M", dir+"/watch.php")
			if err != nil {
				out += err.Error()
			}
			saw <- out
		}()
		site, secrets := h.Path("/sites/"+b.Site.ID), map[string]string{}
		secret := func(of string) string {
			word := "watched" + random(t)
			secrets[word] = of
			return word
		}
		var made []string
		for _, r := range []struct {
			path string
			body map[string]any
		}{
			{h.Path("/database/schemas"), map[string]any{"name": "watched", "user": "watched", "password": secret("the password of a database")}},
			{h.Path("/database/users"), map[string]any{
				"name": "watched2", "password": secret("the password of an account"), "database_ids": []int{number(b.Schema.ID)},
			}},
			{site + "/security-rules", map[string]any{
				"name": "watched", "path": "/admin",
				"credentials": []any{map[string]any{"username": "watched", "password": secret("the password of a path")}},
			}},
			{site + "/composer/credentials", map[string]any{"repository": "repo.example.com", "username": "u", "password": secret("the password of a repository")}},
			{site + "/npm/credentials", map[string]any{"registry": "https://npm.example.com/", "token": secret("the token of a registry")}},
			{site + "/scheduled-jobs", map[string]any{"name": "job", "user": b.User, "frequency": "nightly", "command": "echo " + secret("a job")}},
			{h.Path("/background-processes"), map[string]any{
				"name":      "watched",
				"user":      b.User,
				"site_id":   number(b.Site.ID),
				"processes": 1,
				"command":   "exec sleep 8640 # " + secret("a process"),
			}},
		} {
			answer, err := w.Do(http.MethodPost, r.path, r.body)
			if err != nil || answer.Code >= 300 {
				t.Errorf("POST %s: %d %v %s", r.path, answer.Code, err, answer.Body)
				continue
			}
			if answer.Data.ID != "" {
				made = append(made, r.path+"/"+answer.Data.ID)
			}
			b.settle(t)
		}
		w.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment",
			map[string]any{"environment": "SECRET=" + b.Secret + "\nMORE=" + secret("an environment") + "\n"})
		w.Want(t, http.StatusAccepted, http.MethodPost, site+"/commands", map[string]any{"command": ": " + secret("a command")})
		b.settle(t)
		for _, path := range made {
			if answer, err := w.Do(http.MethodDelete, path, nil); err != nil || answer.Code >= 300 && answer.Code != http.StatusNotFound {
				t.Errorf("DELETE %s: %d %v %s", path, answer.Code, err, answer.Body)
			}
			b.settle(t)
		}
		a.run(t, "touch", dir+"/stop")
		out := <-saw
		h.root(t, "rm", "-rf", dir)
		if !strings.HasSuffix(out, "\nend\n") {
			t.Fatalf("nothing was watched: %.500s", out)
		}
		if !strings.Contains(out, "php-fpm") || !strings.Contains(out, "nginx") {
			t.Errorf("no process of the host was seen: this tests nothing")
		}
		for word, of := range secrets {
			for _, form := range []string{word, base64.StdEncoding.EncodeToString([]byte(word)), url.QueryEscape(word)} {
				if i := strings.Index(out, form); i >= 0 {
					t.Errorf("%s: %s sees %s: %q", h.Engine, a.User, of, out[max(0, i-200):min(len(out), i+100)])
				}
			}
		}
		w.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "SECRET=" + b.Secret + "\n"})
		b.settle(t)
	}
	w.unharmed(t)
}
