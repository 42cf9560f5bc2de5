package service

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	wish := func(w ledger.Wish, err error) ledger.Wish {
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	wishes := []ledger.Wish{
		wish(site.Sites.Want(11, site.Specification{Name: "shop.example.com", Type: "php", User: "shop", Isolated: true, PHPVersion: "php84"})),
		wish(site.Sites.Want(12, site.Specification{Name: "blog.example.com", Type: "php", User: "forge"})),
		wish(site.Sites.Want(13, site.Specification{Name: "old.example.com", Type: "php", User: "old", Isolated: true, PHPVersion: "php82"})),
		wish(process.Processes.Want(21, process.Specification{Name: "queue", Command: "true", User: "forge", Processes: 2, Stopwaitsecs: 60})),
		wish(process.Processes.Want(22, process.Specification{Name: "stopped", Command: "true", User: "forge", Processes: 1, Stopwaitsecs: 600, Stopped: true})),
	}
	for name, c := range map[string]struct {
		database, action string
		asked            request
	}{
		"nginx-restart":      {"", actionRestart, request{Service: nginx}},
		"nginx-stop":         {"", actionStop, request{Service: nginx}},
		"php-restart":        {"", actionRestart, request{Service: php, Version: "php84"}},
		"php-reload":         {"", actionReload, request{Service: php, Version: "php84"}},
		"mariadb-restart":    {"mariadb1011", actionRestart, request{Service: engine}},
		"mysql-stop":         {"mysql84", actionStop, request{Service: engine}},
		"postgres-restart":   {"postgres17", actionRestart, request{Service: engine}},
		"redis-restart":      {"", actionRestart, request{Service: redis}},
		"valkey-restart":     {"", actionRestart, request{Service: redis}},
		"supervisor-restart": {"", actionRestart, request{Service: programs}},
	} {
		raw, err := json.Marshal(c.asked)
		if err != nil {
			t.Fatal(err)
		}
		srv := query.Server{ID: 1, Type: "app", PHPVersion: new("php84")}
		if c.database != "" {
			srv.DatabaseType = &c.database
		}
		if strings.HasPrefix(name, "valkey") { // its package is the only one of the two
			srv.Facts = `{"packages": {"valkey-server": "8.1.1+dfsg1-3"}}`
		}
		v := ledger.NewView(srv, wishes...)
		v.Included = []query.Operation{{ID: 1, ResourceType: resource, ResourceID: 1, Action: c.action, Request: string(raw)}}
		stages, err := Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		jobtest.Golden(t, name, stages)
	}
}

// Without processes that run there is nothing to restart, and without an engine nothing to stop.
func TestPlanOfNothing(t *testing.T) {
	t.Parallel()
	v := ledger.NewView(query.Server{ID: 1, Type: "web"})
	if stages, err := Plan(v); err != nil || len(stages) > 0 {
		t.Errorf("without work there are %s, %v", jobtest.Text(stages), err)
	}
	v.Included = []query.Operation{{ID: 1, Action: actionRestart, Request: `{"service":"supervisor"}`}}
	if stages, err := Plan(v); err != nil || len(stages) > 0 {
		t.Errorf("without processes there are %s, %v", jobtest.Text(stages), err)
	}
	for _, request := range []string{`{"service":"database"}`, `{"service":"cron"}`, `{"service":"php","version":"x"}`} {
		v.Included = []query.Operation{{ID: 1, Action: actionRestart, Request: request}}
		if _, err := Plan(v); err == nil {
			t.Errorf("%s is planned", request)
		}
	}
}
