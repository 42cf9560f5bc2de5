package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Reason is why an operation waits, or ended as it did: a sentence for people, and for clients the same in a code with what it is about.
type Reason struct {
	Text string
	Code Code
	// Params are what the code is about, by the names of Codes.
	Params map[string]any
}

// Code is a reason that never changes its meaning. The sentence says more; what there is no code for has the one of its kind: failed, plan_refused,
// step_failed or waiting.
type Code string

// The codes.
const (
	// It waits.
	codeWaiting           Code = "waiting"
	codeForOperation      Code = "waiting_for_operation"
	codeForResult         Code = "waiting_for_result"
	codeForSetup          Code = "waiting_for_setup"
	codeForCommand        Code = "waiting_for_setup_command"
	codeForWorker         Code = "waiting_for_worker"
	codeStalled           Code = "stalled"
	codeCancelAsked       Code = "cancel_requested"
	codeUnreachable       Code = "server_unreachable"
	codeKeyChanged        Code = "host_key_changed"
	codeNoKey             Code = "host_key_unknown"
	codeLoginRefused      Code = "login_refused"
	codeAgent             Code = "agent_failed"
	codeAgentRefused      Code = "agent_refused"
	codeServerStopped     Code = "server_stopped"
	codeAgentRemoved      Code = "agent_removed"
	codeNotConfirmed      Code = "not_confirmed"
	codeUnreachableInTime Code = "unreachable_in_time"

	// It ended.
	codeCancelled   Code = "cancelled"
	codeBeforeBegun Code = "cancelled_before_start"
	codeRevoked     Code = "permission_revoked"
	codeArchived    Code = "server_archived"
	codeDeleted     Code = "server_deleted"
	codeSuperseded  Code = "superseded"
	codeDeadline    Code = "deadline_passed"
	codeInDoubt     Code = "result_unknown"
	codeTimedOut    Code = "timed_out"
	codeStep        Code = "step_failed"
	codeScript      Code = "script_failed"
	codeParts       Code = "parts_failed"
	codePlan        Code = "plan_refused"
	codeFailed      Code = "failed"
	codeLateSuccess Code = "succeeded_late"
	codeLateFailure Code = "failed_late"
)

// Codes are all codes with what each says, for the description. In braces is what its parameters are.
func Codes() map[Code]string {
	return map[Code]string{
		codeWaiting: "something else has to happen first", codeForOperation: "another operation has to end {operation_id}",
		codeForResult: "the server has not said how an earlier operation ended {operation_id}", codeForSetup: "the server is not set up",
		codeForCommand: "the setup command was not run on the server", codeForWorker: "no worker of the panel is free",
		codeStalled: "nothing is in the way, but it did not begin for a minute", codeCancelAsked: "it was cancelled, and ends once the server has stopped it",
		codeUnreachable: "the server can't be reached", codeKeyChanged: "the server shows another host key", codeNoKey: "no host key of the server is known",
		codeLoginRefused: "the server refuses the login", codeAgent: "the agent could not be delivered or started, or ended",
		codeAgentRefused: "the agent refused the work", codeServerStopped: "the server or its agent stopped during the work",
		codeAgentRemoved: "the agent's directory was removed during the work", codeNotConfirmed: "the server could not be reached to confirm the change",
		codeUnreachableInTime: "the server could not be reached in time",
		codeCancelled:         "it was cancelled", codeBeforeBegun: "it was cancelled before it started",
		codeRevoked: "the person who requested it no longer has the permission", codeArchived: "the server was archived",
		codeDeleted: "the server was deleted", codeSuperseded: "newer work has taken its place {operation_id, where it is one}",
		codeDeadline: "the deadline passed {last_code, of what it waited for}",
		codeInDoubt:  "the deadline passed, and the server has not said how it ended {last_code}",
		codeTimedOut: "the work took too long", codeStep: "the step of meta.operation.step failed",
		codeScript: "the script exited with another status than 0 {status}",
		codeParts:  "parts of the work failed {parts}", codePlan: "the change can't be planned", codeFailed: "it failed, as the sentence says",
		codeLateSuccess: "the server had completed the work by its deadline", codeLateFailure: "the server said after the deadline that it failed",
	}
}

// because is a reason without parameters.
func because(code Code, sentence string) Reason { return Reason{Text: sentence, Code: code} }

// maybe is because, or no reason where there is no sentence.
func maybe(code Code, sentence string) Reason {
	if sentence == "" {
		return Reason{}
	}
	return because(code, sentence)
}

// about is a reason with one parameter.
func about(code Code, sentence, name string, value any) Reason {
	return Reason{Text: sentence, Code: code, Params: map[string]any{name: value}}
}

// aboutOperation is a reason that names another operation.
func aboutOperation(code Code, sentence string, id int64) Reason {
	return about(code, sentence, "operation_id", fmt.Sprint(id))
}

func (r Reason) params() string {
	if len(r.Params) == 0 {
		return ""
	}
	raw, err := json.Marshal(r.Params)
	if err != nil { // strings, numbers and lists of strings
		panic(err)
	}
	return string(raw)
}

// paramsOf reads what params wrote.
func paramsOf(raw string) map[string]any {
	var out map[string]any
	if raw == "" || json.Unmarshal([]byte(raw), &out) != nil {
		return nil
	}
	return out
}

// ScriptStatus returns the exit status of the script whose failure ended an operation; 0 if it ended otherwise.
func ScriptStatus(m *api.OperationMeta) int {
	if m == nil || m.ReasonCode != string(codeScript) {
		return 0
	}
	status, _ := m.ReasonParams["status"].(float64) // as JSON has it
	return int(status)
}

// noteReason writes why an operation waits.
func noteReason(ctx context.Context, tx *db.Tx, id int64, step string, r Reason) error {
	return tx.NoteOperation(ctx, query.NoteOperationParams{
		ID: id, Step: step, Reason: r.Text, ReasonCode: string(r.Code), ReasonParams: r.params(), UpdatedAt: tx.Micros(),
	})
}

// sentence is the reason with its text as a sentence.
func (r Reason) sentence() Reason {
	r.Text = text.Sentence(r.Text)
	return r
}

// silence is why a server could not be worked with.
func silence(err error) Reason {
	r := Reason{Text: host.Reason(err)}
	var refused *wire.Error
	switch {
	case errors.Is(err, host.ErrHostKeyChanged):
		r.Code = codeKeyChanged
	case errors.Is(err, host.ErrNoHostKey):
		r.Code = codeNoKey
	case errors.Is(err, host.ErrAuth):
		r.Code = codeLoginRefused
	case errors.Is(err, host.ErrNotConfirmed):
		r.Code = codeNotConfirmed
	case errors.Is(err, host.ErrAgent):
		r.Code = codeAgent
	case errors.As(err, &refused):
		r.Code = codeAgentRefused
	default:
		r.Code = codeUnreachable
	}
	return r
}

// passed is why an operation ends whose time is up.
func passed(op query.Operation, doubt bool) Reason {
	r := because(codeDeadline, "The deadline passed.")
	if op.Reason != "" {
		r.Text += " Last: " + op.Reason
	}
	if op.ReasonCode != "" {
		r.Params = map[string]any{"last_code": op.ReasonCode}
	}
	if doubt {
		r.Code = codeInDoubt
		r.Text += " " + unknownYet
	}
	return r
}

// unknownYet is said of work whose time was up, until its server tells its end.
const unknownYet = "Whether the server did it is not known until it answers."

// late is why work failed that ended in doubt, once its server told of it; ok is false if it did not end in doubt.
func late(op query.Operation, told string) (Reason, bool) {
	if Code(op.ReasonCode) != codeInDoubt {
		return Reason{}, false
	}
	return because(codeLateFailure, strings.TrimSpace(strings.TrimSuffix(op.Reason, unknownYet)+told)), true
}
