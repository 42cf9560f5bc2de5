package certificate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// served answers http-01 challenges with a file that the host's nginx serves, whatever else the site does.
type served struct {
	runner Runner
	target host.Target
	db     *db.DB
}

const tokenWithin = time.Minute

func (s *served) file(ctx context.Context, token string, f wire.File) error {
	if path.Base(token) != token || strings.HasPrefix(token, ".") || token == "" { // from the authority
		return errors.New("the authority sent a token that is none")
	}
	f.Path = render.ACMEDirectory + "/" + token
	now := s.db.Clock.Now()
	// Without a fence: challenges of several names and certificates are put on a server at the same time, each is a file of its own.
	run := wire.Run{ID: "acme-" + secret.Random(8), Lane: "challenge", Deadline: now.Add(tokenWithin), Left: tokenWithin, Change: &wire.Change{Steps: []wire.Step{
		{Name: "directory of challenges", Dir: &wire.Dir{Path: render.ACMEDirectory, Mode: 0o755}}, {Name: "challenge", File: &f},
	}}}
	result, err := s.runner.Run(ctx, s.target, run, nil)
	if err != nil {
		if reason := host.Reason(err); reason != "" {
			return errors.New(reason)
		}
		return err
	}
	if result.State != wire.StateSucceeded {
		return fmt.Errorf("put the challenge on the server: %s", result.Reason)
	}
	return nil
}

// Present writes the file.
func (s *served) Present(ctx context.Context, c acme.Challenge) error {
	return s.file(ctx, c.Token, wire.File{Mode: 0o644, Content: []byte(c.KeyAuthorization)})
}

// CleanUp removes it.
func (s *served) CleanUp(ctx context.Context, c acme.Challenge) error {
	return s.file(context.WithoutCancel(ctx), c.Token, wire.File{Absent: true})
}

// proofError is why a name could not be validated, for the user.
type proofError struct{ reason string }

func (e *proofError) Error() string { return e.reason }

// published answers dns-01 challenges with TXT records: at the name that the domain's alias points to, or, without a target, at its own.
type published struct {
	to       dns.Publisher
	target   string
	resolver Resolver
}

func (p *published) name(c acme.Challenge) string {
	if p.target != "" {
		return p.target
	}
	return dns.Prefix + c.Identifier.Value
}

// Present publishes the record. If the alias is known to be missing the authority is not asked: it counts failed tries.
func (p *published) Present(ctx context.Context, c acme.Challenge) error {
	if p.target != "" {
		alias := dns.Prefix + c.Identifier.Value
		leads, err := p.resolver.Lookup(ctx, dns.CNAME, alias)
		if err == nil && !slices.Contains(leads, strings.ToLower(p.target)) {
			return &proofError{fmt.Sprintf("DNS has no CNAME record %s that points to %s.", alias, p.target)}
		}
	}
	if err := p.to.Present(ctx, p.name(c), c.KeyAuthorization); err != nil {
		return &proofError{"The DNS record for the challenge could not be created: " + err.Error() + "."}
	}
	return nil
}

// Wait returns when the authority can see the record.
func (p *published) Wait(ctx context.Context, c acme.Challenge) error {
	waiting, cancel := context.WithTimeout(ctx, dns.SeenWithin)
	defer cancel()
	err := p.resolver.Seen(waiting, p.name(c), dns.Text(c.KeyAuthorization))
	if err != nil && ctx.Err() == nil {
		return &proofError{"The DNS record for the challenge was created, but " + err.Error() + "."}
	}
	return err
}

// CleanUp removes the record.
func (p *published) CleanUp(ctx context.Context, c acme.Challenge) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tokenWithin)
	defer cancel()
	return p.to.Remove(ctx, p.name(c), c.KeyAuthorization)
}
