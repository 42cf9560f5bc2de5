package certificate

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// An authorization counts for an order only if it was opened and validated for it. Authorities offer an account earlier
// authorizations again (RFC 8555 section 7.4 permits it, and Let's Encrypt does so): possibly for another site of the
// organization, or for a name that points elsewhere by now. So each is recorded with the order that sees it first, those of
// others are deactivated and replaced, and those of an order are deactivated when it ends, with any result.

// obtain orders a certificate in an account.
func (a *Authority) obtain(ctx context.Context, account acme.Account, o Order, key crypto.Signer) (string, error) {
	kind, solver, err := a.solver(ctx, o)
	if err != nil {
		return "", err
	}
	csr, err := acmez.NewCSR(key, o.Names)
	if err != nil {
		return "", fmt.Errorf("make request: %w", err)
	}
	order, authorizations, err := a.begin(ctx, account, o)
	defer func() { a.relinquish(ctx, account, authorizations) }()
	if err != nil {
		return "", err
	}
	if err := a.prove(ctx, account, kind, solver, authorizations); err != nil {
		return "", fmt.Errorf("prove names: %w", err)
	}
	if order, err = a.acme().FinalizeOrder(ctx, account, order, csr.Raw); err != nil {
		return "", fmt.Errorf("finalize order: %w", err)
	}
	chains, err := a.acme().GetCertificateChain(ctx, account, order.Certificate)
	if err != nil {
		return "", fmt.Errorf("fetch certificate: %w", err)
	}
	if len(chains) == 0 {
		return "", errors.New("the authority issued nothing")
	}
	at := slices.IndexFunc(chains, func(c acme.Certificate) bool {
		return o.PreferredChain != "" && issuedBy(string(c.ChainPEM), o.PreferredChain)
	})
	return string(chains[max(at, 0)].ChainPEM), nil
}

// beginTries is how many orders may depend on older authorizations, each of which is deactivated, before one is given up.
const beginTries = 4

// begin places an order whose authorizations are all its own. The authorizations are returned even with an error, to be relinquished.
func (a *Authority) begin(ctx context.Context, account acme.Account, o Order) (acme.Order, []acme.Authorization, error) {
	wanted := acme.Order{}
	for _, name := range o.Names {
		wanted.Identifiers = append(wanted.Identifiers, acme.Identifier{Type: "dns", Value: name})
	}
	var err error
	if o.Replaces != nil {
		if wanted.Replaces, err = acme.ARIUniqueIdentifier(o.Replaces); err != nil {
			return acme.Order{}, nil, fmt.Errorf("name what is replaced: %w", err)
		}
	}
	opener := secret.Random(openerBytes)
	for range beginTries {
		order, err := a.acme().NewOrder(ctx, account, wanted)
		if err != nil && wanted.Replaces != "" && unreplaced(err) {
			wanted.Replaces = ""
			order, err = a.acme().NewOrder(ctx, account, wanted)
		}
		if err != nil {
			return order, nil, fmt.Errorf("place order: %w", err)
		}
		authorizations, whole, err := a.claim(ctx, account, o, opener, order)
		if err != nil || whole {
			return order, authorizations, err
		}
		a.relinquish(ctx, account, authorizations) // the order ends with them
	}
	return acme.Order{}, nil, &proofError{"The authority insists on authorizations that were not validated for this domain. Try again later."}
}

const openerBytes = 12

// unreplaced reports whether an authority refused an order because of the certificate that it replaces (RFC 9773 section 5): it
// was already replaced, or belongs to another authority or account, such as the one that organizations shared. None of that
// concerns the order itself.
func unreplaced(err error) bool {
	var problem acme.Problem
	refusals := []string{acme.ProblemTypeMalformed, acme.ProblemTypeUnauthorized, acme.ProblemTypeAlreadyReplaced}
	return errors.As(err, &problem) && slices.Contains(refusals, problem.Type)
}

// claim records the authorizations of an order and reports whether all of them are its own. An authorization of a running order
// of another domain is left alone, and is an error.
func (a *Authority) claim(ctx context.Context, account acme.Account, o Order, opener string,
	order acme.Order,
) (out []acme.Authorization, whole bool, err error) {
	whole = true
	for _, location := range order.Authorizations {
		var row query.AcmeAuthorization
		err := a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			in := query.InsertACMEAuthorizationParams{
				Location: location, OrganizationID: o.Server.OrganizationID, Directory: a.Directory, Opener: opener,
				DomainID: o.Domain.ID, CreatedAt: tx.Micros(),
			}
			if _, err = tx.InsertACMEAuthorization(ctx, in); err != nil {
				return err
			}
			row, err = tx.Ungranted().GetACMEAuthorization(ctx, location)
			return err
		})
		if err != nil {
			return out, false, own(fmt.Errorf("record authorization: %w", err))
		}
		authorization, err := a.acme().GetAuthorization(ctx, account, location)
		if err != nil {
			return append(out, acme.Authorization{Location: location}), false, fmt.Errorf("read authorization: %w", err)
		}
		running := a.DB.Clock.Now().Sub(time.UnixMicro(row.CreatedAt)) < staleAfter
		if row.Opener != opener && row.DomainID != o.Domain.ID && running {
			return out, false, &proofError{"Another certificate for " + authorization.IdentifierValue() +
				" is being issued in this organization. Try again in a few minutes."}
		}
		out = append(out, authorization)
		whole = whole && row.Opener == opener && authorization.Status == acme.StatusPending
	}
	return out, whole, nil
}

// prove answers one challenge of each authorization and returns when the authority has verified all of them.
func (a *Authority) prove(ctx context.Context, account acme.Account, kind string, solver acmez.Solver, authorizations []acme.Authorization) error {
	var challenges []acme.Challenge
	for _, authorization := range authorizations {
		at := slices.IndexFunc(authorization.Challenges, func(c acme.Challenge) bool { return c.Type == kind })
		if at < 0 {
			return &proofError{"The authority offers no " + kind + " challenge for " + authorization.IdentifierValue() + "."}
		}
		challenges = append(challenges, authorization.Challenges[at])
	}
	for _, c := range challenges {
		defer func() { _ = solver.CleanUp(ctx, c) }()
		if err := solver.Present(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range challenges {
		if waiter, ok := solver.(acmez.Waiter); ok {
			if err := waiter.Wait(ctx, c); err != nil {
				return err
			}
		}
		if _, err := a.acme().InitiateChallenge(ctx, account, c); err != nil {
			return fmt.Errorf("begin challenge: %w", err)
		}
	}
	for _, authorization := range authorizations {
		if _, err := a.acme().PollAuthorization(ctx, account, authorization); err != nil {
			return fmt.Errorf("[%s] %w", authorization.IdentifierValue(), err)
		}
	}
	return nil
}

// Time limits: for deactivation once an order has ended, and after which an order that recorded an authorization has certainly ended.
const (
	relinquishWithin = time.Minute
	staleAfter       = attemptWithin + 2*relinquishWithin
)

// relinquish deactivates authorizations (RFC 8555 section 7.5.2), whether or not the context of the order has ended. What can't
// be deactivated now stays recorded for the sweep.
func (a *Authority) relinquish(ctx context.Context, account acme.Account, authorizations []acme.Authorization) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), relinquishWithin)
	defer cancel()
	for _, authorization := range authorizations {
		_ = a.deactivate(ctx, account, authorization.Location)
	}
}

// deactivate ends an authorization. The authority refuses one that is already invalid, expired or deactivated, which is then forgotten here.
func (a *Authority) deactivate(ctx context.Context, account acme.Account, location string) error {
	_, err := a.acme().DeactivateAuthorization(ctx, account, location)
	var problem acme.Problem
	if err != nil && (!errors.As(err, &problem) || problem.Status >= 500 || problem.Type == acme.ProblemTypeRateLimited) {
		return fmt.Errorf("deactivate authorization: %w", err)
	}
	return a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.DeleteACMEAuthorization(ctx, location) })
}

// sweep deactivates the authorizations of orders that ended without doing so, for example because this service was killed.
func (a *Authority) sweep(ctx context.Context) error {
	rows, err := a.DB.Read().Ungranted().ListStaleACMEAuthorizations(ctx, a.Directory, a.DB.Clock.Now().Add(-staleAfter).UnixMicro())
	if err != nil {
		return fmt.Errorf("list authorizations: %w", err)
	}
	for _, row := range rows {
		account, err := a.known(ctx, row.OrganizationID)
		if errors.Is(err, db.ErrNotFound) { // the authority forgot the account and its authorizations
			err = a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.DeleteACMEAuthorization(ctx, row.Location) })
		} else if err == nil {
			err = a.deactivate(ctx, account, row.Location)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
