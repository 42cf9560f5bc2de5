package job

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/trace"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

func idsOf(batch []query.Operation) value.IDs {
	ids := make(value.IDs, len(batch))
	for i, op := range batch {
		ids[i] = op.ID
	}
	return ids
}

// traceWork starts the span of operations that are one plan. A job does whatever is pending, so that the trace of a request may end with a job that found its
// operation done: the one that did it has the operation's id.
func traceWork(ctx context.Context, args Converge, ids value.IDs) (context.Context, trace.Span) {
	ctx, span := tracing.Start(ctx, "converge "+baseOf(args.Aspect), trace.SpanKindInternal, tracing.ServerID.Int64(args.ServerID),
		tracing.Aspect.String(args.Aspect))
	if len(ids) == 1 {
		span.SetAttributes(tracing.OperationID.Int64(ids[0]))
	} else {
		span.SetAttributes(tracing.OperationIDs.Int64Slice(ids))
	}
	return ctx, span
}

// endWork ends it. That a host can't be reached is no failure of the work, which waits.
func endWork(span trace.Span, err error) {
	if away := (*awayError)(nil); errors.As(err, &away) {
		err = nil
	}
	tracing.End(span, err)
}

// traceSettled notes on the span of the work how its operations ended.
func traceSettled(ctx context.Context, ids []int64, state string) {
	span := tracing.Of(ctx)
	if !span.IsRecording() || len(ids) == 0 {
		return
	}
	span.SetAttributes(tracing.State.String(state))
	for _, id := range ids {
		span.AddEvent("settled", trace.WithAttributes(tracing.OperationID.Int64(id), tracing.State.String(state)))
	}
	if state == StateFailed {
		tracing.Fail(span)
	}
}

// traceRun starts the span of following a run on a host.
func traceRun(ctx context.Context, row query.Run, attached bool) (context.Context, trace.Span) {
	return tracing.Start(ctx, "run", trace.SpanKindClient, tracing.ServerID.Int64(row.ServerID), tracing.RunID.String(row.ID),
		tracing.RunStage.String(row.StageName), tracing.RunAttached.Bool(attached))
}
