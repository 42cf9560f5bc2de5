package agent

import (
	"context"
	"errors"

	"github.com/hostlerhq/hostler/internal/host/wire"
)

func (x *execution) packages(context.Context, int, string, *wire.Packages) (bool, error) {
	return false, errors.New("not yet")
}
func (x *execution) user(context.Context, int, string, *wire.User) (bool, error) {
	return false, errors.New("not yet")
}
func (x *execution) endPackages([]entry) error { return nil }
