package agent

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A colleague who can only view the server wants to read a database: the reason of a failed restore names no row of it, and
// quotes no program that read it. Members who can restore read them in the output.
func TestReaderReadsRowsInReasonsOfRestores(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.engine(0)
	b.program("mariadb", `sql=$(cat); case $sql in *geheim*) echo "ERROR 1062 (23000): Duplicate entry 'geheim' for key 'PRIMARY'" >&2; exit 1 ;;
*max_allowed_packet*) echo 16777216 ;; *schemata*) echo 0 ;; esac`)
	res, events := b.run(restoring(t, "r", "INSERT INTO people VALUES ('geheim');"))
	wantState(t, res, wire.StateFailed)
	if want := "the backup of shop: mariadb: exit status 1"; res.Reason != want || res.FailedStep != stepFill {
		t.Errorf("%s failed: %s", res.FailedStep, res.Reason)
	}
	var out strings.Builder
	for _, e := range events {
		out.WriteString(e.Text)
	}
	if !strings.Contains(out.String(), "Duplicate entry 'geheim'") {
		t.Errorf("the output is %s", out.String())
	}
}

// The same for a failed dump, whose reason is reported beside the successful ones.
func TestReaderReadsFilesInReasonsOfBackups(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.engine(0)
	b.program("mariadb-dump", `echo "mariadb-dump: Couldn't execute 'SHOW FIELDS FROM geheim'" >&2; exit 2`)
	run := measuring("r")
	run.Backup = &wire.Backup{
		Recipient: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
		Items: []wire.BackupItem{{
			ID: 7, Parts: []string{"http://127.0.0.1:1/"},
			PartSize: archive.MinPart, Store: wire.Store{Engine: wire.EngineMariaDB, Database: "shop"},
		}},
	}
	res, events := b.run(run)
	if report := res.Report[wire.ReportKey]; !strings.Contains(report, `"error":"mariadb-dump: exit status 2"`) {
		t.Errorf("reported is %s", report)
	}
	if out := fmt.Sprint(events); !strings.Contains(out, "geheim") {
		t.Errorf("the output is %s", out)
	}
}

// PostgreSQL's messages, a statement of the dump and its differences are quoted, but never part of the reason.
func TestRefusalsQuoteNothing(t *testing.T) {
	t.Parallel()
	refusal := pgError(&pgproto3.ErrorResponse{
		Severity: "ERROR", Code: insufficientPrivilege, Message: "permission denied for geheim",
		Detail: "Key (word)=(geheim)",
	})
	differs := &restoration{d: &database{engine: wire.EngineMariaDB}, report: wire.ItemReport{Tables: map[string]wire.ReportTable{"geheim": {Rows: 1}}}}
	for name, err := range map[string]error{
		"refusal":   fmt.Errorf("empty the database: %w", refusal),
		"statement": refused(refusal, []byte("CREATE EXTENSION geheim;")),
		"command":   (&pgSession{}).load(false, nil, func(s *archive.Script) error { _, err := s.Write([]byte("\\! geheim\n")); return err }),
		"differs":   differs.compared(map[string]archive.Table{}, nil),
	} {
		var q *quote
		if err == nil || strings.Contains(err.Error(), "geheim") || !errors.As(err, &q) || !strings.Contains(q.text, "geheim") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := pgError(&pgproto3.ErrorResponse{Code: "geheim"}); strings.Contains(err.Error(), "geheim") {
		t.Errorf("a code that is none: %v", err)
	}
}
