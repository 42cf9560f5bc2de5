package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// The kinds of output that say how parts of work ended which end apart. They are also how a restarted panel knows of those that failed before.
const (
	partsBegin = "parts"
	partFailed = "part failed"
)

// errGivesWay ends an attempt between two parts, because other work waits for the lane. The run of the part before is attached to again afterwards.
var errGivesWay = errors.New("other work is let in between")

// parts are the stages of one attempt that failed while others went on.
type parts struct {
	names   []string
	reasons []string
}

// failedParts returns the parts that failed in the attempt that a batch was in before a restart.
func (e *Engine) failedParts(ctx context.Context, batch []query.Operation) (parts, error) {
	var out parts
	if batch[0].EventID == nil {
		return out, nil
	}
	const page = 200
	for after := int64(0); ; {
		pieces, err := e.db.Read().Ungranted().ListOutput(ctx, *batch[0].EventID, after, page)
		if err != nil {
			return out, fmt.Errorf("read output of event %d: %w", *batch[0].EventID, err)
		}
		for _, p := range pieces {
			switch after = p.Seq; p.Kind {
			case partsBegin:
				out = parts{}
			case partFailed:
				out.add(p.Step, strings.TrimPrefix(strings.TrimSpace(p.Content), failedPart(p.Step)))
			}
		}
		if len(pieces) < page {
			return out, nil
		}
	}
}

func failedPart(name string) string { return "Failed: " + name + ". " }

func (p *parts) add(name, reason string) {
	p.names, p.reasons = append(p.names, name), append(p.reasons, reason)
}

// note records that a stage failed, and reports whether the next one is run all the same.
func (p *parts) note(s Stage, end *outcome) bool {
	if !s.Apart || end.state != StateFailed {
		return false
	}
	reason := end.reason.Text
	if end.step != "" {
		reason = "Step “" + end.step + "”: " + reason
	}
	if !slices.Contains(p.names, s.Name) { // else it is recorded, and looked at again after an interruption
		p.add(s.Name, reason)
		end.output = append(end.output, Piece{Kind: partFailed, Step: s.Name, Content: failedPart(s.Name) + reason + "\n"})
	}
	end.state, end.step, end.reason = StateSucceeded, "", Reason{}
	return true
}

// conclude makes work fail of which parts failed.
func (p *parts) conclude(end *outcome) {
	if len(p.names) == 0 {
		return
	}
	end.parts = true
	if !end.ok() {
		return
	}
	end.state, end.step = StateFailed, p.names[0]
	end.reason = about(codeParts, p.names[0]+": "+p.reasons[0], "parts", p.names)
	if more := len(p.names) - 1; more > 0 {
		end.reason.Text = fmt.Sprintf("%s Also: %s.", end.reason.Text, strings.Join(p.names[1:], ", "))
	}
}
