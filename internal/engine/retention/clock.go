package retention

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

const (
	// clockSetting names the setting with the last time of a pruning, and the time until which nothing is deleted.
	clockSetting = "retention-clock"
	// clockLeap is how much later than the last pruning, which is an hour ago, the clock may be: either Hostler was away for long, or the clock is wrong.
	clockLeap = 12 * time.Hour
	// clockDoubt is how long nothing is deleted then. A clock that was set to a wrong time has long been noticed, and nothing was lost.
	clockDoubt = 24 * time.Hour
)

// trusted reports whether the clock can be trusted to delete what is old: it has not leapt ahead within the last day.
func (k *Keeper) trusted(ctx context.Context) (ok bool, err error) {
	err = k.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		before, err := tx.Ungranted().GetSetting(ctx, clockSetting)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		last, until := times(before)
		switch {
		case last != 0 && tx.Now.Sub(time.UnixMicro(last)) > clockLeap:
			until = tx.Now.Add(clockDoubt).UnixMicro()
		case tx.Micros() < last-clockLeap.Microseconds(): // put back: it is right now, or else leaps again
			until = 0
		}
		ok = tx.Micros() >= until
		return tx.PutSetting(ctx, clockSetting, fmt.Sprintf("%d %d", tx.Micros(), until))
	})
	if err != nil {
		return false, fmt.Errorf("find out whether the clock can be trusted: %w", err)
	}
	return ok, nil
}

func times(setting string) (last, until int64) {
	a, b, _ := strings.Cut(setting, " ")
	last, _ = strconv.ParseInt(a, 10, 64)
	until, _ = strconv.ParseInt(b, 10, 64)
	return last, until
}
