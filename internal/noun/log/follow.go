package log

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

const (
	// followEvery is how often a server is asked for new lines.
	followEvery = time.Second
	// firstLines is how many lines a stream begins with.
	firstLines = 100
)

// Piece is what a stream of a log tells.
type Piece struct {
	Content string `json:"content,omitempty"`
	// State is why nothing can be sent, empty when it can be again.
	State *string `json:"state,omitempty"`
}

// follow polls the server for new lines, as long as the caller may read them.
func (o *Operations) follow(ctx context.Context, current api.Current[site.Path], kind, last string, send api.Send) error {
	q := wire.LogQuery{Lines: firstLines}
	if after, err := strconv.ParseInt(last, 10, 64); err == nil && after > 0 {
		q.Follow, q.After = true, after
	}
	state := ""
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	return api.Follow(ctx, tick.C, send, func() (said bool, err error) {
		c, err := current()
		if err != nil {
			return false, err
		}
		from, err := siteSource(c.Parent.Site, kind)
		if err != nil {
			return false, err
		}
		q.Search = asked(c.Query).Search
		page, err := o.ask(ctx, c.Parent.Server, from, q)
		var away *api.Error
		now := ""
		switch {
		case errors.As(err, &away):
			now = away.Message
		case err != nil:
			return false, err
		default:
			q.Follow, q.After, q.File = true, page.End, page.File
		}
		if now != state {
			if err := send(q.After, "state", Piece{State: &now}); err != nil {
				return false, err
			}
			state, said = now, true
		}
		if len(page.Content) == 0 {
			return said, nil
		}
		return true, send(page.End, "log", Piece{Content: strings.ToValidUTF8(string(page.Content), "\uFFFD")})
	})
}
