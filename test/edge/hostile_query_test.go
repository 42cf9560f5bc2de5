package edge

import (
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
)

// hostileValues are what a database might take for a pattern, a number, a time, another type, or a part of the statement.
func hostileValues() []string {
	return []string{
		"%", "_", `\`, `\%`, `%\`, "'", `"`, "''", "' OR '1'='1", "1) OR 1=1 --", "); DROP TABLE servers; --", "$1", "?", "::int", "E'\\x00'", "NULL",
		"null", "NaN", "true",
		"9223372036854775807", "9223372036854775808", "-9223372036854775809", "99999999999999999999999", "-1", "-0", "0x10", "1e400", "1_000", "１", "1.0", " 1", "+1",
		"0000-00-00", "9999-12-31T23:59:59Z", "-infinity", "2026-02-30", "2026-01-01T00:00:00+99:00", "294277-01-01",
		"\u202e", "\ufffd", "😀", "a\u0300", "İ", "ß", "\x7f", "\r\n", "a\tb", "[a-z]*", "^(a+)+$", strings.Repeat("%a", 200), strings.Repeat("_",
			900), ",", ",,,", "a,%,b",
	}
}

// forgedCursors are places in a list that no page named. A cursor is read by us, and its values go into a statement.
func forgedCursors(order string) []string {
	var out []string
	for _, values := range []string{
		`[]`, `[""]`, `[null]`, `[1]`, `[1e400]`, `["9223372036854775808"]`, `["-9223372036854775809"]`, `["' OR 1=1 --"]`, `["\u0000"]`, `["\ud800"]`,
		`[["a"]]`, `[{"a":1}]`, `["a","b","c"]`,
		`[true]`, `["` + strings.Repeat("a", 10_000) + `"]`, strings.Repeat("[", 10_000),
	} {
		for _, id := range []string{"1", "-1", "9223372036854775808", `"1"`, "1.5", "null"} {
			out = append(out, base64.RawURLEncoding.EncodeToString([]byte(`{"o":"`+order+`","v":`+values+`,"i":`+id+`}`)))
		}
	}
	return append(out, "", "=", "e30", "bnVsbA", "//8", strings.Repeat("A", 4000))
}

// Every list is asked for what its database could stumble over, on both: it is a page or a 400, the same one, and nothing is a wildcard. HOSTLER_ATTACK=full
// tries all of it, else a part that changes.
func TestHostileQueriesOfEveryList(t *testing.T) {
	t.Parallel()
	every, begin := 1, 0
	if os.Getenv("HOSTLER_ATTACK") != "full" {
		every = 25
		begin = rand.IntN(every)
	}
	Worlds(t, func(t *testing.T, w *world) {
		n, lists, tried := begin, 0, 0
		try := func(op api.Operation, path, name, value string) {
			if n++; n%every != 0 {
				return
			}
			tried++
			a := w.owner.Get(path + "?" + url.QueryEscape(name) + "=" + url.QueryEscape(value))
			if a.Status != 200 && a.Status != 400 {
				t.Errorf("%s, %s=%q: answered %d %s", op.ID, name, value, a.Status, a.Body)
			}
			if pattern := value == "%" || value == `\%` || strings.HasPrefix(value, "%a%a"); pattern && a.Status == 200 &&
				strings.HasPrefix(name, "filter") && len(a.IDs()) > 0 {
				t.Errorf("%s, %s=%q finds %v", op.ID, name, value, a.IDs())
			}
		}
		for _, op := range w.App.Router.Operations() {
			if op.Method != http.MethodGet || len(op.Filters)+len(op.Sorts) == 0 {
				continue
			}
			path := fill(t, op.Path, scenarioOf(op.ID).at(w.mine))
			if w.owner.Get(path).Status == 403 { // for a person, not a token
				continue
			}
			lists++
			for _, f := range op.Filters {
				for _, v := range hostileValues() {
					try(op, path, "filter["+f.Name+"]", v)
				}
			}
			for _, s := range op.Sorts {
				for _, v := range []string{
					s + "'", s + " DESC", s + ";", s + ",(SELECT 1)", "-" + s + ",-" + s, s + "\x00",
					strings.Repeat(s+",", 500), "*", s + "::text", strings.ToUpper(s),
				} {
					try(op, path, "sort", v)
				}
			}
			for _, v := range forgedCursors(op.ID) {
				try(op, path, "page[cursor]", v)
			}
		}
		if lists < 20 || tried == 0 {
			t.Errorf("%d lists and %d queries were tried", lists, tried)
		}
		t.Logf("%d lists, %d queries", lists, tried)
	})
}

// A client that sends its request by the byte, or reads its answer by the byte, holds no row that others wait for.
func TestSlowClientHoldsARow(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		rules := "/orgs/acme/servers/" + w.mine.server + "/firewall-rules"
		body := `{"name":"slow","type":"allow","port":"8080"}`
		var slow []net.Conn
		for i := range 8 {
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			slow = append(slow, conn)
			t.Cleanup(func() { _ = conn.Close() })
			_, err = fmt.Fprintf(conn, "POST %s%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				api.Root, rules, w.owner.Token, len(body), body[:len(body)-1-i])
			if err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		w.owner.Post(rules, map[string]any{"name": "prompt", "type": "allow", "port": "9090"}).Want(t, 202)
		w.owner.Get(rules).Want(t, 200)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("others waited for the slow ones, for %v", took)
		}
		if _, err := io.WriteString(slow[0], body[len(body)-1:]); err != nil { // and it is served once it is done
			t.Fatal(err)
		}
		raw := make([]byte, 12)
		if _, err := io.ReadFull(slow[0], raw); err != nil || string(raw) != "HTTP/1.1 202" {
			t.Errorf("the slow one is answered %q, %v", raw, err)
		}
	})
}
