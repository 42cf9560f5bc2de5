package certificate

import (
	"context"
	"errors"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// broken are DNS providers that can't be read.
type broken struct{ err error }

func (b broken) Open(context.Context, *query.Granted, query.InOrganization, int64) (dns.Publisher, error) {
	return nil, b.err
}

// A failed read of the service's own database ends no order, and is no reason that a person is shown; a provider that was deleted is one.
func TestFailedReadEndsNoOrder(t *testing.T) {
	t.Parallel()
	d, err := dbtest.Open(t.Context(), db.Config{Dir: t.TempDir(), Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	a := &Authority{DB: d, Box: secrettest.Box(t), Directory: "https://acme.example.com/dir", Resolver: resolved{}}
	ends := func(err error) bool {
		t.Helper()
		if err == nil {
			t.Fatal("a certificate is obtained")
		}
		return errors.As(a.judge(t.Context(), Order{}, err), new(*job.StageError))
	}
	through := Order{Method: DNS01, Provider: new(int64(1))}
	for want, err := range map[bool]error{true: db.ErrNotFound, false: errors.New("database is locked")} {
		a.Providers = broken{err}
		if _, _, err := a.solver(t.Context(), through); ends(err) != want {
			t.Errorf("a provider that can't be opened (%v) ends the order: %v, want %v", err, !want, want)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Obtain(t.Context(), Order{}, nil); ends(err) {
		t.Errorf("a database that is closed ends the order: %v", a.judge(t.Context(), Order{}, err))
	}
	if err := a.judge(t.Context(), Order{}, errors.New("the authority issued nothing")); !errors.As(err, new(*job.StageError)) {
		t.Errorf("the end of an order is %v", err)
	}
}
