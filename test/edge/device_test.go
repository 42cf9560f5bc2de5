package edge

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A device that was allowed and has not taken its token yet is shut out with everything else that a person revokes: who had the session may have allowed it.
func TestRevokingEverythingEndsAllowedDevices(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	w.WithPassword(w.users["owner"].ID)
	b := w.browser(t)
	b.signIn("/oauth/device", "owner@example.com")
	c := oauth2.Config{
		ClientID: "hostler-cli", Scopes: []string{"server:view"},
		Endpoint: oauth2.Endpoint{TokenURL: w.URL + "/oauth/token", DeviceAuthURL: w.URL + "/oauth/device/code", AuthStyle: oauth2.AuthStyleInParams},
	}
	device, err := c.DeviceAuth(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	_, page := b.get("/oauth/device?user_code=" + device.UserCode)
	b.post("/oauth/device", url.Values{"user_code": {device.UserCode}, "token": {hidden.FindStringSubmatch(page)[1]}, "decision": {"allow"}})
	w.Session(w.users["owner"]).Put("/user/password", map[string]any{
		"current_password": password, "password": "another " + password, "end_sessions": true, "revoke_tokens": true,
	}).Want(t, 200)
	w.Clock.Move(5 * time.Second)
	res, body := b.post("/oauth/token", url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {"hostler-cli"}, "device_code": {device.DeviceCode},
	})
	if res.StatusCode != 400 || !strings.Contains(body, "invalid_grant") {
		t.Errorf("the device takes a token after everything was revoked: %d %s", res.StatusCode, body)
	}
}
