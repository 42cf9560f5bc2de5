package delivery

import (
	"context"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// DeliveryAttributes are the attributes of a delivery.
type DeliveryAttributes struct {
	Event     string       `json:"event" doc:"The event that is reported."`
	MessageID string       `json:"message_id" doc:"The message id, the same for every attempt and resend."`
	State     string       `json:"state" enum:"pending,delivered,failed"`
	Attempts  int64        `json:"attempts"`
	Payload   string       `json:"payload" doc:"The body of the request."`
	Status    *int64       `json:"status_code" doc:"The status code of the last response; null if there was none."`
	Response  string       `json:"response" doc:"The beginning of the last response."`
	Failure   *string      `json:"failure" doc:"Why the last attempt failed."`
	NextAt    api.NullTime `json:"next_attempt_at"`
	EndedAt   api.NullTime `json:"ended_at"`
	CreatedAt api.Time     `json:"created_at"`
	UpdatedAt api.Time     `json:"updated_at"`
}

// ResourceType returns deliveries.
func (DeliveryAttributes) ResourceType() string { return "deliveries" }

// Resource is a delivery in a document.
type Resource = api.Resource[DeliveryAttributes, api.NoRelationships]

// Resources makes documents of deliveries whose list is at a path.
func Resources(r *api.Router, list string, rows ...query.Delivery) []Resource {
	out := make([]Resource, len(rows))
	for i, d := range rows {
		id := strconv.FormatInt(d.ID, 10)
		a := DeliveryAttributes{
			Event: d.Event, MessageID: d.MessageID, State: d.State, Attempts: d.Attempts, Payload: d.Payload, Status: d.StatusCode, Response: d.Response,
			EndedAt: api.NullTimeOf(d.EndedAt), CreatedAt: api.TimeOf(d.CreatedAt), UpdatedAt: api.TimeOf(d.UpdatedAt),
		}
		if d.Failure != "" {
			a.Failure = &d.Failure
		}
		if d.State == StatePending {
			a.NextAt = api.NullTimeOf(d.NextAt)
		}
		out[i] = Resource{ID: id, Links: r.Links(list + "/" + id), Attributes: a}
	}
	return out
}

// Page returns a page of the deliveries at list.
func Page(ctx context.Context, q query.DBTX, r *api.Router, list string, l db.List) (api.Collection[Resource], error) {
	return api.Paged(ctx, q, l, func(rows ...query.Delivery) ([]Resource, error) { return Resources(r, list, rows...), nil })
}
