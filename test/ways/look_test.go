package ways_test

import (
	"archive/tar"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// look notes what is in the panel's tables and on the server.
func (l *life) look(moment string) error {
	rows, err := l.rows()
	if err != nil {
		return err
	}
	files, err := l.files()
	if err != nil {
		return err
	}
	l.seen[moment] = map[string][]string{"rows": rows, "files": files}
	return nil
}

// passing are the tables of what happened, and of who asked: a way may ask twice, or sign in.
var passing = map[string]bool{
	"operations": true, "events": true, "event_outputs": true, "audit_entries": true, "idempotency_keys": true, "leases": true, "metrics": true,
	"site_metrics": true,
	"sessions":     true, "tokens": true, "users": true, "runs": true, "throttles": true, "mails": true, "unreachable_servers": true, "goose_db_version": true,
	"acme_authorizations": true, "shared_acme_accounts": true, "organization_acme_accounts": true, "settings": true, "deliveries": true, "recipients": true,
	"sqlite_sequence": true, "push_deliveries": true, "hook_readers": true, "schema_versions": true,
}

// drawn are columns whose values are drawn, or are of the moment.
var drawn = regexp.MustCompile(`(_at|_until|_key|_keys|_hash|_secret|_token|secret|token|password|fingerprint|serial|checksum|size|key_id|` +
	`operation_id|event_id|operation|nonce|salt|duration|recipient|public_key|host_keys|facts|chain|challenge|scratch|upload_id|memory|disk_free_bytes)$`)

// drawnMembers are members of objects whose values are drawn.
var drawnMembers = regexp.MustCompile(`"(password|salt|chain|challenge|certificate|etag|key|private_key|public_key|token|secret)":"[^"]*"`)

// packed are sizes of what was packed with a moment in it.
var packed = regexp.MustCompile(`"size":\d+`)

// rows are the rows of all tables but the passing ones, without what is drawn.
func (l *life) rows() ([]string, error) {
	db := l.panel.DB(l.t)
	tables := l.panel.Rows(l.t, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
	var out []string
	for _, table := range tables {
		if passing[table[0]] || strings.HasPrefix(table[0], "river_") || strings.HasPrefix(table[0], "sqlite_") {
			continue
		}
		rows, err := db.Query("SELECT * FROM " + table[0]) //nolint:gosec // a name that the database gave
		if err != nil {
			return nil, err
		}
		columns, err := rows.Columns()
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				return nil, errors.Join(err, rows.Close())
			}
			line := []string{table[0] + ":"}
			for i, c := range columns {
				if table[0]+"."+c == "projects.checked" {
					continue // what a look at the repository found, for which the dashboard asks without being asked
				}
				line = append(line, c+"="+l.shown(c, values[i]))
			}
			out = append(out, strings.Join(line, " "))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return out, nil
}

// shown is a value of a column, or that there is one.
func (l *life) shown(column string, v any) string {
	switch x := v.(type) {
	case nil:
		return "none"
	case []byte:
		if len(x) == 0 {
			return "empty"
		}
		if drawn.MatchString(column) || !utf8.Valid(x) {
			return "drawn"
		}
		return l.plain(string(x))
	case string:
		if x != "" && drawn.MatchString(column) {
			return "drawn"
		}
		return l.plain(x)
	default:
		if drawn.MatchString(column) {
			return "drawn"
		}
		return fmt.Sprint(x)
	}
}

// stamps are moments, sums, tokens, and names that are made of them.
var stamps = regexp.MustCompile(`\b[0-9a-f]{40,64}\b|acme-challenge/[\w-]+|\b20\d\d-?\d\d-?\d\d[T ]?[\d:.]*Z?\b|\b1[78]\d{8,14}\b`)

// plain is a text without the addresses and the moments of its life.
func (l *life) plain(text string) string {
	text = strings.NewReplacer(l.panel.URL, "PANEL", l.host.Name, "SERVER").Replace(text)
	text = drawnMembers.ReplaceAllString(text, `"$1":"drawn"`)
	text = packed.ReplaceAllString(text, `"size":"drawn"`)
	return stamps.ReplaceAllString(text, "WHEN")
}

// places are where Hostler, or what it installs, writes.
var places = []string{"etc", "home", "root", "usr/local", "opt", "var/spool/cron", "var/lib/hostler"}

// unlike are files that no two servers have alike, or that the system changes.
var unlike = regexp.MustCompile(`^(etc/(ssh/ssh_host_|ssl/certs/|machine-id|mtab|resolv|hosts$|hostname|adjtime|ld\.so\.cache|shadow|gshadow|` +
	`subuid|subgid|passwd-|group-|\.updated|mysql/debian.cnf)|` +
	`root/\.(cache|ssh/authorized_keys|ssh/known_hosts|bash_history)|home/[^/]+/\.(cache|bash_history|ssh/known_hosts)|var/lib/hostler/(runs|` +
	`journal|metrics|agents?|units|lanes|fence|memory|monitors)|home/.*\.git/|home/.*/\.repository/)`)

// files are the files of the server, with who may do what with them and a sum of what is in them.
func (l *life) files() ([]string, error) {
	raw, err := l.host.TryExec("sh", "-c", "cd / && tar -cf - --warning=no-file-changed "+strings.Join(places, " ")+" 2>/dev/null || true")
	if err != nil {
		return nil, err
	}
	var out []string
	for in := tar.NewReader(strings.NewReader(raw)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		file := strings.TrimSuffix(h.Name, "/")
		if unlike.MatchString(file) {
			continue
		}
		line := fmt.Sprintf("%v %s:%s %s", h.FileInfo().Mode(), h.Uname, h.Gname, l.plain(file))
		switch h.Typeflag {
		case tar.TypeSymlink:
			line += " -> " + l.plain(h.Linkname)
		case tar.TypeReg:
			content, err := io.ReadAll(in)
			if err != nil {
				return nil, err
			}
			line += " " + l.content(file, content)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// keys are files with keys, certificates or secrets, which are drawn.
var keys = regexp.MustCompile(`\.(pem|crt|key|pub|sock|log|gz)$|id_(rsa|ed25519)|authorized_keys|\.my\.cnf|/ssl/|certificates?/`)

// content is a text if it is short, else a sum.
func (l *life) content(file string, content []byte) string {
	switch {
	case keys.MatchString(file):
		return "drawn"
	case strings.HasSuffix(file, ".jsonl"): // a list of what was written; the order is that of the work
		lines := strings.Split(l.plain(string(content)), "\n")
		slices.Sort(lines)
		return fmt.Sprintf("%q", slices.Compact(lines))
	case len(content) > 4<<10 || !utf8.Valid(content):
		return fmt.Sprintf("%x", sha256.Sum256([]byte(l.plain(string(content)))))
	}
	return fmt.Sprintf("%q", l.plain(string(content)))
}
