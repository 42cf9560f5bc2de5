package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// password is the password of all users in the scripts.
const password = "a long enough pass phrase"

// patience is how long to wait for background work.
const patience = time.Minute

// mailed waits until the newest link to an address in the log differs from before.
func mailed(log, address, before string) (string, error) {
	link := regexp.MustCompile(`to=` + regexp.QuoteMeta(address) + `\b.*link="?([^"\s]+)`)
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		raw, err := os.ReadFile(log)
		if err != nil {
			return "", err
		}
		if all := link.FindAllStringSubmatch(string(raw), -1); all != nil && all[len(all)-1][1] != before {
			return all[len(all)-1][1], nil
		}
		select {
		case <-tick.C:
		case <-deadline:
			return "", fmt.Errorf("no mail to %s in the log:\n%s", address, raw)
		}
	}
}

var address = regexp.MustCompile(`https?://\S+/oauth/device\S*`)

// browserCommand runs the program until it shows an address, opens that as a user, decides, and lets the program end. Its output
// is in the files out and err. If denied, it must fail.
func browserCommand(ts *testscript.TestScript, neg bool, args []string) {
	decision, email := args[0], args[1]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	program, err := exec.LookPath("hostler")
	ts.Check(err)
	cmd := exec.CommandContext(ctx, program, args[2:]...)
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	var said strings.Builder
	lines := bufio.NewScanner(io.TeeReader(pipe, &said))
	for lines.Scan() {
		if at := address.FindString(lines.Text()); at != "" {
			if err := decide(ctx, at, email, decision); err != nil {
				cancel()
				_ = cmd.Wait()
				ts.Fatalf("%v", err)
			}
		}
	}
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(said.String()), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("hostler %v: %v\n%s%s", args[2:], err, &out, said.String())
	}
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// decide acts as a user at an address: signs in, reads, presses a button.
func decide(ctx context.Context, at, email, decision string) error {
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar}
	send := func(method, to string, form url.Values) (string, error) {
		req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(form.Encode()))
		if err != nil {
			return "", err
		}
		if form != nil {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		res, err := browser.Do(req)
		if err != nil {
			return "", err
		}
		defer func() { _ = res.Body.Close() }()
		raw, err := io.ReadAll(res.Body)
		if err == nil && res.StatusCode >= 400 {
			err = fmt.Errorf("%s %s answered %s: %s", method, to, res.Status, raw)
		}
		return string(raw), err
	}
	base := u.Scheme + "://" + u.Host
	if _, err := send(http.MethodPost, base+"/oauth/sign-in", url.Values{"continue": {u.RequestURI()}, "email": {email}, "password": {password}}); err != nil {
		return err
	}
	page, err := send(http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	m := formToken.FindStringSubmatch(page)
	if m == nil || !strings.Contains(page, "Hostler command line") || !strings.Contains(html.UnescapeString(page), u.Query().Get("user_code")) {
		return errors.New("no page that asks: " + page)
	}
	_, err = send(http.MethodPost, base+"/oauth/device", url.Values{"token": {m[1]}, "user_code": {u.Query().Get("user_code")}, "decision": {decision}})
	return err
}
