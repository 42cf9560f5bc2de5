package browser_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// fleet is how many servers have measured themselves.
const fleet = 12

// measured inserts servers that have measured themselves for a month, with marks, and returns the id of one: no test has the time to wait
// for it.
func (s *stage) measured() (id string, err error) {
	for i := range fleet {
		_, err = s.db.Exec(`INSERT INTO servers (organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone,
			is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at)
			SELECT organization_id, $1, $1, 'web', provider, size, region, 'ready', ssh_port, ssh_user, behind_nat, timezone,
				TRUE, FALSE, public_key, private_key, '', '{}', '', created_at, updated_at
			FROM servers WHERE id = (SELECT MIN(id) FROM servers)`,
			fmt.Sprintf("fleet-%d", i+1))
		if err != nil {
			return "", fmt.Errorf("insert a server: %w", err)
		}
		if err := s.db.QueryRow("SELECT MAX(id) FROM servers").Scan(&id); err != nil {
			return "", fmt.Errorf("find a server: %w", err)
		}
		if err := s.measure(id, i); err != nil {
			return "", err
		}
	}
	if _, err := s.db.Exec(`UPDATE servers SET facts = '{"updates":{"pending":14,"security":3}}' WHERE id = $1`, id); err != nil {
		return "", fmt.Errorf("give server %s updates: %w", id, err)
	}
	for i, text := range []string{"Deploying shop.example.com", "Deploying shop.example.com", "Drift found on fleet-12"} {
		kind := map[bool]string{true: "drift", false: "deployment"}[i == 2]
		if err := s.mark(id, text, kind, time.Duration(2+5*i)*time.Hour); err != nil {
			return "", err
		}
	}
	return id, nil
}

// visited inserts a site that was asked for a month, more in the day, and failed for a while, and returns its id.
func (s *stage) visited() (id string, err error) {
	err = s.db.QueryRow(`INSERT INTO sites (organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards,
			www_redirect_type, created_at, updated_at)
		SELECT organization_id, id, 'visited.example.com', 'php', 'installed', 'forge', FALSE, '/public', 'php82', FALSE, 'from-www', created_at, updated_at
			FROM servers WHERE slug = 'fleet-1'
		RETURNING id`).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("insert a site: %w", err)
	}
	now := time.Now().Unix() / 60
	for _, t := range []struct{ step, steps, rows int64 }{{1, 60, 25}, {30, 48, 32}} {
		row := t.step * t.steps
		for start := now - now%row; start > now-t.rows*row; start -= row {
			var packed []byte
			for i := range t.steps {
				minute := start + i*t.step
				v := [wire.SiteMetrics]float32{wire.Unknown, wire.Unknown, wire.Unknown}
				if ago := now - minute; ago >= 0 {
					busy := 340 + 260*math.Sin((float64(minute%1440)/1440-0.25)*2*math.Pi) + 25*math.Sin(float64(minute)/3)
					v = [wire.SiteMetrics]float32{float32(busy), float32(busy / 40), 0}
					if ago > 60 && ago < 100 {
						v[wire.SiteServerErrors] = float32(busy / 3)
					}
				}
				for _, f := range v {
					packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(f))
				}
			}
			if _, err := s.db.Exec(`INSERT INTO site_metrics (site_id, server_id, step, starts_at, packed) SELECT id, server_id, $1, $2, $3 FROM sites
				WHERE id = $4`, t.step, start*60e6, packed, id); err != nil {
				return "", fmt.Errorf("insert metrics of a site: %w", err)
			}
		}
	}
	return id, nil
}

// measure writes what a server measured: a day by minutes and a month by half hours, as package metric packs them.
func (s *stage) measure(id string, nth int) error {
	now := time.Now().Unix() / 60
	for _, t := range []struct{ step, steps, rows int64 }{{1, 60, 25}, {30, 48, 32}} {
		row := t.step * t.steps
		for start := now - now%row; start > now-t.rows*row; start -= row {
			var packed []byte
			for i := range t.steps {
				for _, v := range values(start+i*t.step, now, nth) {
					packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(v))
				}
			}
			if _, err := s.db.Exec("INSERT INTO metrics (server_id, step, starts_at, packed) VALUES ($1, $2, $3, $4)", id, t.step, start*60e6, packed); err != nil {
				return fmt.Errorf("insert metrics: %w", err)
			}
		}
	}
	return nil
}

// values are those of a minute: busy in the day, with a peak each night, and a gap of an hour.
func values(minute, now int64, nth int) (v [wire.Metrics]float32) {
	day := float64(minute%1440) / 1440
	load := 8 + float64(nth%4)*9 + 22*max(0, math.Sin((day-0.25)*2*math.Pi)) + 3*math.Sin(float64(minute)/7+float64(nth))
	if m := minute%1440 - int64(60*nth%1440); m >= 0 && m < 25 {
		load = 93
	}
	v = [wire.Metrics]float32{
		wire.MetricCPU: float32(load), wire.MetricLoad: float32(load * 1.3), wire.MetricMemory: float32(41 + nth%5*8),
		wire.MetricDisk:     float32(23 + day*4),
		wire.MetricReceived: float32(4e4 * load), wire.MetricSent: float32(1.7e5 * load),
	}
	if away := now - minute; away < 0 || away > 400 && away < 460 {
		for i := range v {
			v[i] = wire.Unknown
		}
	}
	return v
}

// mark inserts an event that plots have a line for.
func (s *stage) mark(server, text, kind string, ago time.Duration) error {
	at := time.Now().Add(-ago).UnixMicro()
	var event, op int64
	err := s.db.QueryRow(`INSERT INTO events (organization_id, server_id, description, ran_as, created_at, updated_at)
		SELECT organization_id, id, $2, 'root', $3, $3 FROM servers WHERE id = $1 RETURNING id`,
		server, text, at).Scan(&event)
	switch {
	case err != nil:
	case kind == "drift":
		_, err = s.db.Exec(`INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at) VALUES ($1, 1, 'drift', 'x', 'y', $2)`, event, at)
	default:
		err = s.db.QueryRow(`INSERT INTO operations (organization_id, server_id, aspect, resource_type, resource_id, action,
			description, request, state, step, reason,
			attempt, cancelled, deadline, event_id, needs, created_at, updated_at)
			SELECT organization_id, id, 'deployment:1', 'deployments', 1, 'create', $2, '{}', 'succeeded', '', '', 1, FALSE, $3, $4, '', $3, $3
				FROM servers WHERE id = $1 RETURNING id`,
			server, text, at, event).Scan(&op)
		if err == nil {
			_, err = s.db.Exec("UPDATE events SET operation_id = $2 WHERE id = $1", event, op)
		}
	}
	if err != nil {
		return fmt.Errorf("insert a mark: %w", err)
	}
	return nil
}
