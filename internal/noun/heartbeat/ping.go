package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// PingPath is where heartbeats are called; the last part of an address is its secret.
const PingPath = "/heartbeats/"

const (
	// tickEvery is how often it is looked for silence. After a pause of deaf the calls of that time may be lost.
	tickEvery = 30 * time.Second
	deaf      = 3 * time.Minute
	// pingEvery is how often a call is written down at most.
	pingEvery = 5 * time.Second
	// settingHeard is the time of the last check for silence, until which calls were certainly received.
	settingHeard = "heartbeats:heard"
)

// Watch hears calls and notices silence.
type Watch struct {
	DB    *db.DB
	Log   *slog.Logger
	Alarm Alarm
}

var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{20,128}$`)

// Handler answers GET, HEAD and POST of /heartbeats/{token}. The responses reveal only that a heartbeat exists.
func (w *Watch) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(PingPath+"{token}", w.ping)
	return api.WithoutSlash(mux)
}

func (w *Watch) ping(rw http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead && req.Method != http.MethodPost {
		rw.Header().Set("Allow", "GET, HEAD, POST")
		answer(rw, http.StatusMethodNotAllowed, "Heartbeats are called with GET, HEAD or POST.\n")
		return
	}
	token := req.PathValue("token")
	if !tokenPattern.MatchString(token) {
		answer(rw, http.StatusNotFound, "Not found.\n")
		return
	}
	// Found by its hash: the duration of the search reveals nothing about the secret.
	hash := secret.Hash(token)
	row, err := w.DB.Read().Ungranted().GetHeartbeatByToken(req.Context(), hash)
	if err == nil && !w.heardJustNow(row) {
		err = w.DB.Tx(req.Context(), func(ctx context.Context, tx *db.Tx) error { return w.beat(ctx, tx, row.ID, hash) })
	}
	switch {
	case errors.Is(err, db.ErrNotFound):
		answer(rw, http.StatusNotFound, "Not found.\n")
	case err != nil:
		w.Log.ErrorContext(req.Context(), "a heartbeat could not be noted", "error", err)
		answer(rw, http.StatusInternalServerError, "Server error.\n")
	default:
		answer(rw, http.StatusOK, "ok\n")
	}
}

func answer(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text))
}

func (w *Watch) heardJustNow(row query.Heartbeat) bool {
	return row.Status == statusBeating && row.LastPingAt != nil && w.DB.Clock.Now().Sub(time.UnixMicro(*row.LastPingAt)) < pingEvery
}

func (w *Watch) beat(ctx context.Context, tx *db.Tx, id int64, hash string) error {
	if err := tx.LockRow(ctx, "heartbeats", id); err != nil {
		return err
	}
	row, err := tx.Ungranted().GetHeartbeatByToken(ctx, hash)
	if err != nil {
		return err
	}
	s, srv, err := whereOf(ctx, tx.Granted, row)
	if err != nil {
		return err
	}
	due, err := next(row, tx.Now, zoneOf(srv))
	if err != nil {
		return err
	}
	if err := tx.BeatHeartbeat(ctx, row.ID, new(tx.Micros()), new(due.UnixMicro())); err != nil {
		return fmt.Errorf("note heartbeat %d: %w", row.ID, err)
	}
	if row.Status != statusMissing {
		return nil
	}
	text := "It was called again.\n"
	if row.LastPingAt != nil {
		text += "The previous call was at " + time.UnixMicro(*row.LastPingAt).UTC().Format(time.RFC3339) + ".\n"
	}
	return w.tell(ctx, tx, s, row, false, text)
}

func whereOf(ctx context.Context, q *query.Granted, row query.Heartbeat) (query.Site, query.Server, error) {
	s, err := q.GetSite(ctx, row)
	if err != nil {
		return s, query.Server{}, fmt.Errorf("read site of heartbeat %d: %w", row.ID, err)
	}
	srv, err := q.GetServer(ctx, s)
	if err != nil {
		return s, srv, fmt.Errorf("read server of heartbeat %d: %w", row.ID, err)
	}
	return s, srv, nil
}

// tell creates an event for a change of a heartbeat, and an alarm.
func (w *Watch) tell(ctx context.Context, tx *db.Tx, s query.Site, row query.Heartbeat, missing bool, text string) error {
	description := "Heartbeat " + row.Name + " recovered"
	if missing {
		description = "Heartbeat " + row.Name + " is missing"
	}
	event, err := tx.InsertEvent(ctx, query.InsertEventParams{
		OrganizationID: s.OrganizationID, ServerID: &s.ServerID, SiteID: &s.ID,
		Description: description, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("tell of a heartbeat: %w", err)
	}
	if err := job.Say(ctx, tx, event.ID, job.Piece{Kind: "alarm", Step: "heartbeat", Content: text}); err != nil {
		return fmt.Errorf("tell of a heartbeat: %w", err)
	}
	if w.Alarm == nil {
		return nil
	}
	return w.Alarm.HeartbeatChanged(ctx, tx, row, missing, text)
}

// Tick looks for silence.
type Tick struct{}

// Kind names the job.
func (Tick) Kind() string { return "heartbeat.tick" }

// Periodic returns how often that is.
func Periodic() job.Periodic { return job.Periodic{Every: tickEvery, Args: Tick{}} }

// Tick reports heartbeats that fell silent. A call that was due while Hostler was not running is unknown; the next one is expected.
func (w *Watch) Tick(ctx context.Context, _ Tick) error {
	return w.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		heard, err := lastHeard(ctx, tx)
		if err != nil {
			return err
		}
		if err := tx.PutSetting(ctx, settingHeard, strconv.FormatInt(tx.Micros(), 10)); err != nil {
			return fmt.Errorf("note when heartbeats were heard: %w", err)
		}
		wasDeaf := tx.Now.Sub(heard) > deaf
		due, err := tx.Ungranted().ListDueHeartbeats(ctx, new(tx.Micros()))
		if err != nil {
			return fmt.Errorf("list silent heartbeats: %w", err)
		}
		for _, row := range due {
			if err := tx.LockRow(ctx, "heartbeats", row.ID); err != nil {
				return err
			}
			id := row.ID
			row, err := tx.Ungranted().GetHeartbeatByID(ctx, id)
			if errors.Is(err, db.ErrNotFound) || err == nil && (row.Status == statusMissing || row.DueAt == nil || *row.DueAt > tx.Micros()) {
				continue // deleted, or called meanwhile
			}
			if err != nil {
				return fmt.Errorf("read heartbeat %d: %w", id, err)
			}
			if err := w.silent(ctx, tx, row, wasDeaf, heard); err != nil {
				return err
			}
		}
		return nil
	})
}

// lastHeard returns until when we certainly listened; the zero time if we never did.
func lastHeard(ctx context.Context, tx *db.Tx) (time.Time, error) {
	text, err := tx.Ungranted().GetSetting(ctx, settingHeard)
	if errors.Is(err, db.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read when heartbeats were heard: %w", err)
	}
	micros, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read when heartbeats were heard: %w", err)
	}
	return time.UnixMicro(micros), nil
}

// silent decides about a heartbeat whose call is due.
func (w *Watch) silent(ctx context.Context, tx *db.Tx, row query.Heartbeat, wasDeaf bool, heard time.Time) error {
	over := time.UnixMicro(*row.DueAt).Add(grace(row))
	if wasDeaf && over.After(heard) {
		_, srv, err := whereOf(ctx, tx.Granted, row)
		if err != nil {
			return err
		}
		due, err := next(row, tx.Now, zoneOf(srv))
		if err != nil {
			return err
		}
		if err := tx.SetHeartbeatStatus(ctx, row.ID, statusUnknown, new(due.UnixMicro())); err != nil {
			return fmt.Errorf("note heartbeat %d: %w", row.ID, err)
		}
		return nil
	}
	if over.After(tx.Now) {
		return nil
	}
	s, err := tx.GetSite(ctx, row)
	if err != nil {
		return fmt.Errorf("read site of heartbeat %d: %w", row.ID, err)
	}
	if err := tx.SetHeartbeatStatus(ctx, row.ID, statusMissing, row.DueAt); err != nil {
		return fmt.Errorf("note heartbeat %d: %w", row.ID, err)
	}
	text := fmt.Sprintf("It was expected by %s, with %d minutes of grace.\n", time.UnixMicro(*row.DueAt).UTC().Format(time.RFC3339), row.GracePeriod)
	if row.LastPingAt != nil {
		text += "The last call was at " + time.UnixMicro(*row.LastPingAt).UTC().Format(time.RFC3339) + ".\n"
	}
	return w.tell(ctx, tx, s, row, true, text)
}
