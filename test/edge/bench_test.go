package edge

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// caller sends one request repeatedly on one connection, with as little overhead as possible: the server is measured.
type caller struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
}

func newCaller(b *testing.B, base, method, path, token string, headers ...string) *caller {
	b.Helper()
	address := strings.TrimPrefix(base, "http://")
	conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s", method, path, address, token, strings.Join(headers, ""))
	return &caller{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), out: []byte(head)}
}

// do sends the request with a body and reads the answer.
func (c *caller) do(b *testing.B, body string, want int) int {
	out := c.out
	if body != "" {
		out = append(out[:len(out):len(out)], "Content-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n"...)
	}
	out = append(out[:len(out):len(out)], "\r\n"+body...)
	if _, err := c.conn.Write(out); err != nil {
		b.Fatal(err)
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		b.Fatal(err)
	}
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil {
		b.Fatal(err)
	}
	if res.StatusCode != want {
		b.Fatalf("answered %d, want %d", res.StatusCode, want)
	}
	return int(n)
}

// cpu reports the processor time of an operation, client and server together: on a machine that others use as well it says more than the
// time that passed.
func cpu(b *testing.B) (stop func()) {
	used := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}

// bare is a handler without anything around it: the same tables, one prepared statement, encoding/json.
type bare struct {
	URL string
}

func newBare(b *testing.B, w *world) *bare {
	b.Helper()
	file := filepath.Join(w.App.Config.DataDir, "hostler.db")
	open := func(extra string) *sql.DB {
		d, err := sql.Open("sqlite", "file:"+
			file+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"+
			"&_pragma=temp_store(2)&_pragma=cache_size(-16000)"+extra)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = d.Close() })
		return d
	}
	read, write := open("&_pragma=query_only(1)"), open("&_txlock=immediate")
	write.SetMaxOpenConns(1)
	get, err := read.PrepareContext(b.Context(),
		"SELECT id, server_id, name, port, type, ip_address, status, operation_id, created_at, updated_at FROM firewall_rules WHERE server_id = $1 AND id = $2")
	if err != nil {
		b.Fatal(err)
	}
	mux := http.NewServeMux()
	answer := func(res http.ResponseWriter, status int, r query.FirewallRule) {
		raw, err := json.Marshal(r)
		if err != nil {
			http.Error(res, "", 500)
			return
		}
		res.Header().Set("Content-Type", "application/json")
		res.WriteHeader(status)
		_, _ = res.Write(raw)
	}
	mux.HandleFunc("GET /servers/{server}/rules/{rule}", func(res http.ResponseWriter, req *http.Request) {
		var r query.FirewallRule
		err := get.QueryRowContext(req.Context(), req.PathValue("server"), req.PathValue("rule")).Scan(&r.ID, &r.ServerID, &r.Name,
			&r.Port, &r.Type, &r.IPAddress, &r.Status, &r.OperationID, &r.CreatedAt, &r.UpdatedAt)
		if err != nil {
			http.Error(res, "", 404)
			return
		}
		answer(res, 200, r)
	})
	// The same queries that the edge makes, and nothing else of it.
	mux.HandleFunc("GET /queries/{organization}/{server}/{rule}", func(res http.ResponseWriter, req *http.Request) {
		q, ctx := w.App.DB.Read().Ungranted(), req.Context()
		token, err := q.GetTokenByHash(ctx, secret.Hash(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")))
		if err != nil {
			http.Error(res, "", http.StatusUnauthorized)
			return
		}
		org, err := q.GetOrganizationOfMember(ctx, token.UserID, req.PathValue("organization"))
		if err != nil {
			http.Error(res, "", 404)
			return
		}
		if _, err := q.GetMembership(ctx, org.ID, token.UserID); err != nil {
			http.Error(res, "", 404)
			return
		}
		server, err := q.GetServer(ctx, number(req.PathValue("server")))
		if err != nil {
			http.Error(res, "", 404)
			return
		}
		r, err := q.GetFirewallRule(ctx, server.ID, number(req.PathValue("rule")))
		if err != nil {
			http.Error(res, "", 404)
			return
		}
		if _, err := q.GetOperation(ctx, *r.OperationID); err != nil {
			http.Error(res, "", 500)
			return
		}
		answer(res, 200, r)
	})
	mux.HandleFunc("POST /servers/{server}/rules", func(res http.ResponseWriter, req *http.Request) {
		r := query.FirewallRule{Status: "installing"}
		if err := json.NewDecoder(req.Body).Decode(&r); err != nil {
			http.Error(res, "", 400)
			return
		}
		tx, err := write.BeginTx(req.Context(), nil)
		if err != nil {
			http.Error(res, "", 500)
			return
		}
		defer func() { _ = tx.Rollback() }()
		err = tx.QueryRowContext(req.Context(),
			"INSERT INTO firewall_rules (server_id, name, port, type, ip_address, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, 0, 0) RETURNING id",
			req.PathValue("server"), r.Name, r.Port, r.Type, r.IPAddress, r.Status).Scan(&r.ID)
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			http.Error(res, err.Error(), 500)
			return
		}
		answer(res, 202, r)
	})
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	return &bare{server.URL}
}

func BenchmarkRead(b *testing.B) {
	w := newWorld(New(b, db.SQLite))
	plain := newBare(b, w)
	for _, tt := range []struct{ name, base, path string }{
		{"bare", plain.URL, "/servers/" + w.mine.server + "/rules/" + w.mine.rule},
		{"bare-same-queries", plain.URL, "/queries/acme/" + w.mine.server + "/" + w.mine.rule},
		{"rule", w.URL, api.Root + w.rules(w.mine.server) + "/" + w.mine.rule},
		{"server", w.URL, api.Root + servers + "/" + w.mine.server},
		{"organization", w.URL, api.Root + "/orgs/acme"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			c := newCaller(b, tt.base, "GET", tt.path, w.owner.Token)
			c.do(b, "", 200)
			b.ReportAllocs()
			stop := cpu(b)
			for b.Loop() {
				c.do(b, "", 200)
			}
			stop()
		})
	}
}

// manySites are n sites of one organization, on ten servers.
func manySites(b *testing.B, w *world, slug string, n int) {
	b.Helper()
	org := w.Organization(slug, w.users["owner"])
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		var ids []int64
		for i := range 10 {
			row, err := tx.InsertServer(ctx, query.InsertServerParams{
				OrganizationID: org.ID, Name: fmt.Sprint(i), Slug: "x", Type: "app", Provider: "custom", Status: "ready",
				SSHPort: 22, SSHUser: "root", Timezone: "UTC",
			})
			if err != nil {
				return err
			}
			ids = append(ids, row.ID)
		}
		for i := range n {
			_, err := tx.InsertSite(ctx, query.InsertSiteParams{
				OrganizationID: org.ID, ServerID: ids[i%10], Name: fmt.Sprintf("site-%d.example.com", i), Type: "static-html",
				Status: "installed", UnixUser: "forge", WebDirectory: "/", WWWRedirectType: "none", CreatedAt: tx.Micros(),
				UpdatedAt: tx.Micros(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// The first page of 30, a page from the middle, and a search that ends in the middle.
func BenchmarkList(b *testing.B) {
	w := newWorld(New(b, db.SQLite))
	for _, n := range []int{100, 100_000} {
		slug := fmt.Sprintf("with-%d", n)
		manySites(b, w, slug, n)
		path := "/orgs/" + slug + "/sites"
		first := w.owner.Get(path+"?page[size]=30").Want(b, 200)
		next, ok := first.At("meta", "next_cursor").(string)
		if !ok {
			b.Fatal("there is no second page")
		}
		for name, q := range map[string]string{"first": "?page[size]=30", "next": "?page[size]=30&page[cursor]=" + next, "include": "?page[size]=30&include=server"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				c := newCaller(b, w.URL, "GET", api.Root+path+q, w.owner.Token)
				c.do(b, "", 200)
				b.ReportAllocs()
				stop := cpu(b)
				for b.Loop() {
					c.do(b, "", 200)
				}
				stop()
			})
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	w := newWorld(New(b, db.SQLite))
	plain := newBare(b, w)
	const body = `{"name":"bench","port":"8080","type":"allow","ip_address":"203.0.113.7"}`
	run := func(name, base, path string, headers ...string) {
		b.Run(name, func(b *testing.B) {
			c := newCaller(b, base, "POST", path, w.owner.Token, headers...)
			i := 0
			b.ReportAllocs()
			stop := cpu(b)
			for b.Loop() {
				if i++; i%50 == 0 { // a server has few rules
					b.StopTimer()
					w.clearRules()
					b.StartTimer()
				}
				c.do(b, body, 202)
			}
			stop()
			w.clearRules()
		})
	}
	run("bare", plain.URL, "/servers/"+w.mine.server+"/rules")
	run("rule", w.URL, api.Root+w.rules(w.mine.server))
}

func (w *world) clearRules() {
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "DELETE FROM firewall_rules WHERE name = 'bench'")
		return err
	})
}
