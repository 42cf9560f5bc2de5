package panel

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/hosts"
)

// Server is a practice server that a panel knows.
type Server struct {
	ID   string
	Type string
	Host *hosts.Host
}

// Path returns a path below the server.
func (s Server) Path(rest string) string { return "/servers/" + s.ID + rest }

// Add makes a server of a host and runs its bootstrap line there. It is being set up then; Ready waits for it.
func (p *Panel) Add(t testing.TB, h *hosts.Host, kind string, with ...map[string]any) Server {
	t.Helper()
	s, line := p.Create(t, h, kind, with...)
	if out, err := h.TryExec("sh", "-c", line); err != nil {
		t.Fatalf("bootstrap %s: %v\n%s", h.Name, err, out)
	}
	return s
}

// Create makes a server of a host, with further fields, and returns the line to run on it.
func (p *Panel) Create(t testing.TB, h *hosts.Host, kind string, with ...map[string]any) (Server, string) {
	t.Helper()
	body := map[string]any{"name": h.Name, "provider": "custom", "type": kind, "custom": map[string]any{"ip_address": h.IP, "ssh_port": h.Port}}
	for _, more := range with {
		maps.Copy(body, more)
	}
	a := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", body)
	if a.Data.Meta.Bootstrap == nil {
		t.Fatalf("no bootstrap line: %s", a.Body)
	}
	return Server{ID: a.Data.ID, Type: kind, Host: h}, a.Data.Meta.Bootstrap.Command
}

// readyWithin is how long setting up may take where all packages are installed.
const readyWithin = 3 * time.Minute

// Ready waits until servers are set up.
func (p *Panel) Ready(t testing.TB, servers ...Server) {
	t.Helper()
	p.ReadyWithin(t, readyWithin, servers...)
}

// ReadyWithin is Ready with another limit, where packages are installed.
func (p *Panel) ReadyWithin(t testing.TB, within time.Duration, servers ...Server) {
	t.Helper()
	for _, s := range servers {
		a, _ := p.Until(t, within, s.Path(""), "set up", func(a Answer) bool {
			state := a.Data.Operation().State
			return a.Data.Attributes["is_ready"] == true || state == "failed" || state == "cancelled"
		})
		if a.Data.Attributes["is_ready"] != true {
			t.Fatalf("setting up %s failed: %+v\n%s", s.Host.Name, a.Data.Operation(), p.Output(t, s, a.Data.Operation().EventID))
		}
	}
}
