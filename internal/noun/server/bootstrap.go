package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/inspect"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// bootstrapWithin is how long a bootstrap line works, from when it was made. The work of setting the server up waits as long.
const bootstrapWithin = 7 * 24 * time.Hour

const maxReport = 64 << 10

//go:embed bootstrap.sh
var bootstrapSource string

// bootstrapScript returns what a server runs once: it contains no secret, so it can be public; its hash is in the line.
func bootstrapScript(at func(path string) string, row query.Server) string {
	back := at("/bootstrap/" + strconv.FormatInt(row.ID, 10))
	return strings.NewReplacer(
		"@LOOK@", strings.TrimSpace(inspect.Functions()),
		"@KEY@", row.PublicKey, // made by us: a type, base64 and a comment of letters, digits and dashes
		"@URL@", back,
		"@FROM@", likelyFrom(back),
		"@PORTS@", inspect.Ports(servicesOf(row)...),
	).Replace(bootstrapSource)
}

// likelyFrom returns an address for the question whether sshd lets Hostler in: its own where the base URL has it, else one of the internet.
func likelyFrom(base string) string {
	if u, err := url.Parse(base); err == nil {
		if a, err := netip.ParseAddr(u.Hostname()); err == nil {
			return a.WithZone("").String()
		}
	}
	return "192.0.2.1"
}

// servicesOf returns what a server of its type runs, as package inspect names it.
func servicesOf(row query.Server) []string {
	var out []string
	if HasNginx(row.Type) {
		out = append(out, "nginx")
	}
	if HasCache(row.Type) {
		out = append(out, "caches")
	}
	if asked := row.DatabaseType; asked != nil {
		if strings.HasPrefix(*asked, "postgres") {
			return append(out, "postgres")
		}
		out = append(out, "mysql")
	}
	return out
}

// LineMeta is what a server that waits for its setup command adds to meta.
type LineMeta struct {
	Bootstrap *BootstrapMeta `json:"bootstrap,omitempty"`
}

// BootstrapMeta is the command line for a new server.
type BootstrapMeta struct {
	Command   api.Secret `json:"command"`
	ExpiresAt api.Time   `json:"expires_at"`
	Warning   string     `json:"warning,omitempty"`
}

// bootstrapMeta returns the line to paste. It checks the script before running it, and hands it the secret that signs the call-back.
func bootstrapMeta(at func(path string) string, row query.Server, code secret.String) *BootstrapMeta {
	script := at("/bootstrap/" + strconv.FormatInt(row.ID, 10) + "/script")
	sum := sha256.Sum256([]byte(bootstrapScript(at, row)))
	line := fmt.Sprintf(`f=$(mktemp) && echo 'Asking for %[1]s, for up to 10 seconds' && curl -fsS --connect-timeout 10 --max-time 60 '%[1]s' -o `+
		`"$f" && echo "%[2]s  $f" | sha256sum -c --quiet && HOSTLER_SECRET=%[3]s sh "$f"; r=$?; rm -f "$f"; (exit $r)`,
		script, hex.EncodeToString(sum[:]), code.Reveal())
	m := &BootstrapMeta{Command: api.SecretOf(line), ExpiresAt: api.TimeOf(time.UnixMicro(row.LineAt).Add(bootstrapWithin).UnixMicro())}
	if u, err := url.Parse(script); err == nil {
		m.Warning = warningOf(u)
	}
	return m
}

// warningOf returns what is wrong with a base URL for servers that have to reach it.
func warningOf(u *url.URL) string {
	a, err := netip.ParseAddr(u.Hostname())
	switch {
	case u.Hostname() == "localhost" || err == nil && a.IsLoopback():
		return "Other machines can't reach Hostler at " + u.Scheme + "://" + u.Host + ", so this command works only on Hostler's own machine. " +
			"Start Hostler with an address that the server can reach, for example: hostler serve --listen :8080 --base-url https://panel.example.com"
	case u.Scheme == "http":
		return "The base URL is plain http: use it inside a private network only."
	}
	return ""
}

// Bootstrap answers the servers that are being added: the script, and its call-back.
type Bootstrap struct {
	DB     *db.DB
	Box    *secret.Box
	Router *api.Router
	Queue  *job.Queue
	// Retrier begins setting up again where it was given up before the server called.
	Retrier Retrier
	Log     *slog.Logger
	Own     Own
	Rules   OwnRules
}

// Handler answers below /bootstrap/.
func (b *Bootstrap) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /bootstrap/{server}/script", b.script)
	mux.HandleFunc("POST /bootstrap/{server}", b.report)
	return mux
}

func (b *Bootstrap) load(req *http.Request) (query.Server, error) {
	id, err := strconv.ParseInt(req.PathValue("server"), 10, 64)
	if err != nil {
		return query.Server{}, db.ErrNotFound
	}
	return b.DB.Read().Ungranted().GetServer(req.Context(), id)
}

func (b *Bootstrap) script(w http.ResponseWriter, req *http.Request) {
	row, err := b.load(req)
	if err != nil || !b.waits(row) {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, bootstrapScript(b.Router.URL, row))
}

// waits reports whether a server has yet to run its line. The key and the ids of others are useful only to an attacker who searches for servers.
func (b *Bootstrap) waits(row query.Server) bool {
	return row.HostKeys == "" && uncalled(row) && !b.expired(row)
}

// uncalled reports whether a server is in a state in which its line makes it known.
func uncalled(row query.Server) bool {
	return row.Status == StatusConnecting || row.Status == StatusFailed || row.Status == StatusCreating
}

func (b *Bootstrap) expired(row query.Server) bool {
	return b.DB.Clock.Now().After(time.UnixMicro(row.LineAt).Add(bootstrapWithin))
}

// refusal is what the person at the server's terminal reads.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

func (b *Bootstrap) report(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8") // else it is guessed from the text, which repeats what the server said
	err := b.accept(req)
	var known *refusal
	switch {
	case err == nil:
		_, _ = io.WriteString(w, "Hostler has registered this server and is setting it up.\n")
	case errors.As(err, &known):
		w.WriteHeader(known.status)
		_, _ = io.WriteString(w, known.text+"\n")
	default:
		b.Log.ErrorContext(req.Context(), "bootstrap failed", "path", req.URL.Path, "error", err)
		http.Error(w, "Something went wrong on Hostler's side; run the command again.", http.StatusInternalServerError)
	}
}

func (b *Bootstrap) accept(req *http.Request) error {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxReport+1))
	if err != nil || len(body) > maxReport {
		return refuse(http.StatusBadRequest, "The report can't be read.")
	}
	row, err := b.load(req)
	forged := refuse(http.StatusForbidden, "The signature is wrong: paste the whole command again, or generate a new one in Hostler.")
	if errors.Is(err, db.ErrNotFound) || err == nil && len(row.BootstrapSecret) == 0 {
		return forged
	}
	if err != nil {
		return fmt.Errorf("read server: %w", err)
	}
	code, err := b.Box.Open(sealedAt(row.ID, "bootstrap_secret"), row.BootstrapSecret)
	if err != nil {
		return err
	}
	if !signed(code, body, req.Header.Get("X-Hostler-Signature")) {
		return forged
	}
	if b.expired(row) {
		return refuse(http.StatusForbidden, "This command has expired; generate a new one in Hostler.")
	}
	report, err := parseReport(string(body))
	if err != nil {
		return err
	}
	return b.DB.Tx(req.Context(), func(ctx context.Context, tx *db.Tx) error { return b.enter(ctx, tx, row.ID, report) })
}

// signed checks HMAC-SHA256 (RFC 2104) over the report.
func signed(code, body []byte, signature string) bool {
	key, err := hex.DecodeString(string(code))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	got, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(got, mac.Sum(nil))
}

type report struct {
	hostKeys []string
	port     int64
	facts    wire.Facts
}

// parseReport reads the lines "name value" of a report.
func parseReport(text string) (report, error) {
	var r report
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		number := func() int64 {
			n, _ := strconv.ParseInt(value, 10, 64) // absent or odd facts are zero; nothing depends on them before they are read again
			return n
		}
		switch name {
		case "host-key":
			key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(value))
			if err != nil {
				return r, refuse(http.StatusUnprocessableEntity, "A host key of the server can't be read.")
			}
			r.hostKeys = append(r.hostKeys, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))))
		case "ssh-port":
			r.port = number()
		case "os":
			r.facts.OS = printable(value)
		case "os-version":
			r.facts.OSVersion = printable(value)
		case "os-name":
			r.facts.OSName = printable(value)
		case "arch":
			r.facts.Arch = printable(value)
		case "hostname":
			r.facts.Hostname = printable(value)
		case "memory-kb":
			r.facts.MemoryBytes = number() * 1024
		case "disk-kb":
			r.facts.DiskBytes = number() * 1024
		}
	}
	if len(r.hostKeys) == 0 {
		return r, refuse(http.StatusUnprocessableEntity, "The server has no SSH host keys: is its SSH server installed?")
	}
	slices.Sort(r.hostKeys)
	return r, nil
}

const maxFact = 1024

// printable returns a value that terminals and pages show as it is: answers repeat it.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, value.Prefix(text, maxFact))
}

// enter pins the server's host keys and lets the work begin. Run twice, it changes nothing.
func (b *Bootstrap) enter(ctx context.Context, tx *db.Tx, id int64, r report) error {
	if err := tx.LockServer(ctx, id); err != nil {
		return err
	}
	row, err := tx.Ungranted().GetServer(ctx, id)
	if err != nil {
		return fmt.Errorf("read server: %w", err)
	}
	if row.Status == StatusDeleting {
		return refuse(http.StatusConflict, "This server is being deleted.")
	}
	keys := strings.Join(r.hostKeys, "\n") + "\n"
	if row.HostKeys != "" {
		if row.HostKeys != keys {
			return refuse(http.StatusConflict, "This command was already run on another server, or the host keys changed.")
		}
		return b.Queue.Insert(ctx, tx, job.Converge{ServerID: id, Aspect: AspectProvision})
	}
	if row.FormerHostKeys != "" && row.FormerHostKeys != keys {
		return refuse(http.StatusConflict, "This is not the machine that was archived: its host keys are different. Add it as a new server.")
	}
	if !uncalled(row) {
		return refuse(http.StatusConflict, "This server is not waiting for this command.")
	}
	if err := Supported(r.facts); err != nil {
		return refuse(http.StatusUnprocessableEntity, "%s.", err)
	}
	if r.port < 1 || r.port > 65535 {
		r.port = row.SSHPort
	}
	accepted := sshPort(row)
	row.SSHPort = r.port
	if sshPort(row) != accepted {
		if taken, err := reachedElsewhere(ctx, tx, row); err != nil {
			return err
		} else if taken {
			return refuse(http.StatusConflict, "Another server of your organization has the same address and SSH port.")
		}
	}
	if b.Own.is(r.hostKeys) {
		if err := b.enterOwn(ctx, tx, row); err != nil {
			return err
		}
	}
	if err := b.reopen(ctx, tx, row); err != nil {
		return err
	}
	if err := Pin(ctx, tx, row, keys, r.port, r.facts); err != nil {
		return err
	}
	if awaited(row) { // everything on the server can read the secret in its user data
		if err := tx.ClearServerSecret(ctx, row.ID); err != nil {
			return fmt.Errorf("clear the secret of server %d: %w", row.ID, err)
		}
	}
	return b.Queue.Insert(ctx, tx, job.Converge{ServerID: id, Aspect: AspectProvision})
}

// reopen begins setting a server up again, for whoever asked for it, where that has ended: it was cancelled, or waited too long.
func (b *Bootstrap) reopen(ctx context.Context, tx *db.Tx, row query.Server) error {
	if row.OperationID == nil {
		return nil
	}
	op, err := tx.Ungranted().GetOperation(ctx, *row.OperationID)
	switch {
	case err != nil:
		return fmt.Errorf("read operation %d: %w", *row.OperationID, err)
	case op.State != job.StateFailed && op.State != job.StateCancelled:
		return nil
	case op.AskedBy == nil || row.Revoked:
		return refuse(http.StatusConflict, "The setup of this server has ended; ask Hostler for a new line.")
	}
	return b.Retrier.Retry(ctx, tx, op.ID, *op.AskedBy)
}

// Pin makes a server known by its host keys; from now on another key stops everything.
func Pin(ctx context.Context, tx *db.Tx, row query.Server, hostKeys string, port int64, facts wire.Facts) error {
	if err := tx.SetServerIdentity(ctx, query.SetServerIdentityParams{
		ID: row.ID, HostKeys: hostKeys, IPAddress: row.IPAddress, SSHPort: port, Facts: "{}",
		UpdatedAt: tx.Micros(),
	}); err != nil {
		return fmt.Errorf("pin host keys: %w", err)
	}
	if err := keepFacts(ctx, tx, row, facts); err != nil {
		return err
	}
	if row.OperationID != nil {
		if err := tx.ExtendOperation(ctx, *row.OperationID, tx.Now.Add(ProvisionDeadline).UnixMicro(), tx.Micros()); err != nil {
			return fmt.Errorf("start provisioning: %w", err)
		}
	}
	connection := ConnectionConnecting
	row.ConnectionStatus = &connection
	return setStatus(ctx, tx, row, StatusProvisioning, false)
}

// PrivateBase reports whether a plain-http base URL stays inside a private network.
func PrivateBase(u *url.URL) bool {
	if u.Scheme == "https" || u.Hostname() == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(u.Hostname())
	return err == nil && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast())
}
