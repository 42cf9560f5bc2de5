package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hostlerhq/hostler/client"
)

// bridged is a bridge between a test, which is the assistant, and a panel that answers as the test says.
type bridged struct {
	*testing.T
	in    *os.File
	lines *bufio.Scanner
	ended chan error
	end   context.CancelFunc
}

func newBridged(t *testing.T, panel http.HandlerFunc) *bridged {
	t.Helper()
	api := httptest.NewServer(panel)
	t.Cleanup(api.Close)
	return bridgedTo(t, api.URL)
}

func bridgedTo(t *testing.T, url string) *bridged {
	t.Helper()
	c, err := client.New(url, "t0ken")
	if err != nil {
		t.Fatal(err)
	}
	in, to, err := os.Pipe() // which hold 64 KiB, as those of an assistant do
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	x := &bridged{T: t, in: to, lines: bufio.NewScanner(from), ended: make(chan error, 1)}
	x.lines.Buffer(nil, 8<<20)
	ctx, end := context.WithCancel(t.Context())
	x.end = end
	go func() {
		err := Serve(ctx, c, "/mcp", in, out)
		_ = out.Close()
		x.ended <- err
	}()
	t.Cleanup(func() { end(); _ = to.Close() })
	return x
}

func (x *bridged) say(lines ...string) {
	x.T.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(x.in, line+"\n"); err != nil {
			x.T.Fatal(err)
		}
	}
}

// hears returns the next line as "id: result" or "id: error CODE MESSAGE".
func (x *bridged) hears() string {
	x.T.Helper()
	if !x.lines.Scan() {
		return "the end"
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(x.lines.Bytes(), &m); err != nil {
		x.T.Fatalf("%v: %s", err, x.lines.Bytes())
	}
	switch {
	case m.Method != "":
		return m.Method
	case m.Error != nil:
		return fmt.Sprintf("%s: error %d %s", m.ID, m.Error.Code, m.Error.Message)
	}
	return fmt.Sprintf("%s: %s", m.ID, m.Result)
}

func (x *bridged) wants(want string) {
	x.T.Helper()
	if got := x.hears(); got != want && (!strings.HasSuffix(want, "…") || !strings.HasPrefix(got, strings.TrimSuffix(want, "…"))) {
		x.T.Errorf("heard %q, want %q", got, want)
	}
}

// ends ends the input, and expects the bridge to end.
func (x *bridged) ends() {
	x.T.Helper()
	_ = x.in.Close()
	x.wants("the end")
	if err := <-x.ended; err != nil {
		x.T.Error(err)
	}
}

func call(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + strings.Trim(id, `"`) + `"}}`
}

// asked returns what a request of the bridge asks for.
func asked(req *http.Request) (m message, raw []byte) {
	raw, _ = io.ReadAll(req.Body)
	_ = json.Unmarshal(raw, &m)
	return m, raw
}

func answers(w http.ResponseWriter, id json.RawMessage, result string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, "{\"jsonrpc\":\"2.0\",\n\"id\":%s,\"result\":%q}", id, result)
}

// A request has one answer with its id, whatever becomes of the panel: without it, an assistant waits for ever (Stek0v/Levara 97,
// modelcontextprotocol/python-sdk 1010). The next request finds a panel that is back (sparfenyuk/mcp-proxy 75).
func TestBridgeAnswersEachRequest(t *testing.T) {
	t.Parallel()
	const broke = "error -32603 the panel's answer broke off, and what was asked may have been done"
	event := func(w http.ResponseWriter, data string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: message\ndata: "+data+"\n\n")
		_ = http.NewResponseController(w).Flush()
	}
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	for name, c := range map[string]struct {
		panel http.HandlerFunc
		want  []string
	}{
		"a stream that breaks": {func(w http.ResponseWriter, _ *http.Request) {
			event(w, progress)
			panic(http.ErrAbortHandler)
		}, []string{"notifications/progress", `7: ` + broke + `: …`}},
		"a stream that ends without the answer": {func(w http.ResponseWriter, _ *http.Request) { event(w, progress) },
			[]string{"notifications/progress", "7: " + broke}},
		"a stream with an answer to another request": {func(w http.ResponseWriter, _ *http.Request) {
			event(w, `{"jsonrpc":"2.0","id":8,"result":"other"}`)
		}, []string{`8: "other"`, "7: " + broke}},
		"a stream that breaks after the answer": {func(w http.ResponseWriter, _ *http.Request) {
			event(w, `{"jsonrpc":"2.0","id":7,"result":"done"}`)
			panic(http.ErrAbortHandler)
		}, []string{`7: "done"`}},
		"an empty answer": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, []string{"7: " + broke}},
		"a cut answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"jsonrpc":`)
		}, []string{"7: " + broke + ": unexpected EOF"}},
		"a page of a proxy": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
			[]string{"7: error -32603 the panel's answer is no JSON: is a proxy in between?"}},
		"a panel of an older version": {http.NotFound,
			[]string{"7: error -32603 the panel has no /mcp: it is of a version before this command's, or a proxy does not let the path through"}},
		"a token that was revoked": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
			[]string{"7: error -32603 the token is not valid: run hostler login, or set HOSTLER_TOKEN"}},
		"a message that the panel refuses": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			_, _ = io.WriteString(w, `{"message":"The message is longer than 1 MiB."}`)
		}, []string{"7: error -32603 The message is longer than 1 MiB."}},
		"a proxy whose panel is away": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			[]string{"7: error -32603 the server answered 502 Bad Gateway"}},
		"a redirect": {func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/elsewhere", http.StatusTemporaryRedirect)
		},
			[]string{"7: error -32603 the server answered 307 Temporary Redirect, pointing to /elsewhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var back atomic.Bool
			x := newBridged(t, func(w http.ResponseWriter, req *http.Request) {
				if m, _ := asked(req); back.Load() {
					answers(w, m.ID, "back")
					return
				}
				c.panel(w, req)
			})
			x.say(call("7"))
			for _, want := range c.want {
				x.wants(want)
			}
			back.Store(true)
			x.say(call(`"seven"`))
			x.wants(`"seven": "back"`)
			x.ends()
		})
	}
}

// A panel that does not run is said, and found once it does.
func TestBridgeFindsThePanelAgain(t *testing.T) {
	t.Parallel()
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		m, _ := asked(req)
		answers(w, m.ID, "here")
	}))
	at := "http://" + api.Listener.Addr().String()
	_ = api.Listener.Close()
	x := bridgedTo(t, at)
	x.say(call("1"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`) // which nothing answers
	x.wants("1: error -32603 call " + at + ": …")
	x.say("[" + call("2") + `,{"jsonrpc":"2.0","method":"notifications/initialized"}]`)
	x.wants("2: error -32603 call " + at + ": …")
	x.ends()
}

// A call that the assistant cancels ends at the panel, and has no answer; the others go on.
func TestBridgeCancels(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan string, 2), make(chan string, 2)
	release := make(chan struct{})
	x := newBridged(t, func(w http.ResponseWriter, req *http.Request) {
		m, _ := asked(req)
		begun <- string(m.ID)
		select {
		case <-req.Context().Done():
			ended <- string(m.ID)
		case <-release:
			answers(w, m.ID, "done")
		}
	})
	x.say(call("1"), call(`"1"`))
	<-begun
	<-begun
	x.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if id := <-ended; id != "1" {
		t.Errorf("the call %s was cancelled", id)
	}
	close(release)
	x.wants(`"1": "done"`)
	x.ends()
}

// At the end of the input, calls that are on their way are answered (modelcontextprotocol/python-sdk 2678), and the program ends (PaSympa/discord-mcp 83).
func TestBridgeEndsWithItsInput(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	x := newBridged(t, func(w http.ResponseWriter, req *http.Request) {
		m, _ := asked(req)
		begun <- struct{}{}
		<-release
		answers(w, m.ID, "late")
	})
	go x.say(call("1"), call("2"))
	<-begun
	<-begun
	_ = x.in.Close()
	close(release)
	got := map[string]bool{x.hears(): true, x.hears(): true}
	if !got[`1: "late"`] || !got[`2: "late"`] {
		t.Errorf("heard %v", got)
	}
	x.ends()
}

// Ctrl-C ends calls that are on their way.
func TestBridgeIsInterrupted(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	x := newBridged(t, func(_ http.ResponseWriter, req *http.Request) {
		_, _ = asked(req)
		close(begun)
		<-req.Context().Done()
		close(ended)
	})
	x.say(call("1"))
	<-begun
	x.end()
	x.wants("the end")
	<-ended
	if err := <-x.ended; err != nil {
		t.Error(err)
	}
}

// Lines that are no messages are refused, and the next one is carried: whole, whatever its length up to 4 MiB.
func TestBridgeCarriesLines(t *testing.T) {
	t.Parallel()
	x := newBridged(t, func(w http.ResponseWriter, req *http.Request) {
		m, raw := asked(req)
		version := req.Header.Get("Mcp-Protocol-Version")
		if m.Method == "initialize" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18"}}`, m.ID)
			return
		}
		answers(w, m.ID, fmt.Sprintf("%d bytes, version %s, of %s %s", len(raw), version, req.Header.Get("Mcp-Method"), req.Header.Get("Mcp-Name")))
	})
	for _, line := range []string{"{", "null", "7", `"text"`, "[1", "hello", "\xff\xfe", `{"id":`, `{"method":7}`, "\x00"} {
		x.say(line)
		x.wants("null: error -32700 The message is not a JSON-RPC request.")
	}
	x.say("", "   ", "\r", call("1")+"\r")
	x.wants(fmt.Sprintf("1: \"%d bytes, version , of  \"", len(call("1"))))
	x.say(`{"jsonrpc":"2.0","id":2,"method":"initialize"}`, call("3"))
	x.wants(`2: {"protocolVersion":"2025-06-18"}`)
	x.wants(fmt.Sprintf("3: \"%d bytes, version 2025-06-18, of  \"", len(call("3"))))
	newest := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	x.say(newest)
	x.wants(fmt.Sprintf("4: \"%d bytes, version 2026-07-28, of tools/call wait\"", len(newest)))
	long := `{"jsonrpc":"2.0","id":5,"method":"x","params":{"text":"` + strings.Repeat("ä", 1<<20) + `"}}`
	x.say(long)
	x.wants(fmt.Sprintf("5: \"%d bytes, version 2025-06-18, of  \"", len(long)))

	// One that is longer ends the command, with a reason.
	go func() { _, _ = io.WriteString(x.in, strings.Repeat("a", longestMessage+1)) }()
	x.wants("the end")
	if err := <-x.ended; err == nil || !strings.Contains(err.Error(), "longer than 4 MiB") {
		t.Errorf("a line of more than 4 MiB: %v", err)
	}
}
