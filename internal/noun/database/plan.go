package database

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

const stageWithin = 5 * time.Minute

// The names of the stages.
const (
	stageDatabases   = "databases"
	stageSynchronize = "synchronize"
	stageRights      = "rights"
	stageExtensions  = "extensions"
)

var errNoEngine = errors.New("the server has no database engine")

// Plan returns the statements that make an engine match the included work: what a host has is not planned again, since no file
// describes an engine's contents. A database or an account is dropped only if its deletion was requested. Without included work it
// restores rights and extensions, which is all that a repair does.
func Plan(v ledger.View) ([]job.Stage, error) {
	kind := EngineOf(v.Server)
	switch {
	case kind == "" && len(v.Included) == 0:
		return nil, nil
	case kind == "":
		return nil, errNoEngine
	}
	s, err := read(v, kind)
	if err != nil {
		return nil, err
	}
	if len(v.Included) == 0 {
		return s.repair()
	}
	steps, err := s.steps()
	if err != nil {
		return nil, err
	}
	changed, err := s.extensions(false)
	if err != nil {
		return nil, err
	}
	steps = append(steps, s.extend(changed, false)...)
	var stages []job.Stage
	if len(steps) > 0 {
		// A server that was set up with other settings gets these; they take effect when the engine next starts.
		if m, ok := s.engine.(mysql); ok {
			steps = append([]wire.Step{server.MySQLSettings(m.client)}, steps...)
		}
		stages = append(stages, job.Stage{Name: stageDatabases, Within: stageWithin, Change: wire.Change{Steps: steps}})
	}
	if s.synchronizes() {
		stages = append(stages, job.Stage{
			Name: stageSynchronize, Within: stageWithin, Change: wire.Change{Steps: []wire.Step{s.engine.ask()}},
			About: []int64{v.Server.ID},
		})
	}
	return stages, nil
}

// repair restores the rights of accounts and the extensions of databases, unless the engine was stopped.
func (s state) repair() ([]job.Stage, error) {
	if status := s.v.Server.DBStatus; status != nil && *status == ServiceStopped {
		return nil, nil
	}
	steps, err := s.restore()
	if err != nil {
		return nil, err
	}
	var stages []job.Stage
	if len(steps) > 0 {
		stages = append(stages, job.Stage{Name: stageRights, Within: stageWithin, Change: wire.Change{Steps: steps}})
	}
	have, err := s.extensions(true)
	if err != nil || len(have) == 0 {
		return stages, err
	}
	return append(stages, job.Stage{Name: stageExtensions, Within: stageWithin, Change: wire.Change{Steps: s.extend(have, true)}}), nil
}

// synchronizes reports whether included work asks what the engine has.
func (s state) synchronizes() bool {
	return slices.ContainsFunc(s.v.Included, func(op query.Operation) bool { return op.ResourceType == resourceSync })
}

// state is a view of databases and accounts, in the form that statements use.
type state struct {
	v      ledger.View
	kind   Engine
	engine engine
	// databases are those that the engine should have, new the ones among them that it does not have, and gone those whose removal is requested.
	databases, new, gone []schema
	// wanted are the databases again, with their specifications.
	wanted           []ledger.Resource[Specification]
	users, goneUsers []ledger.Resource[UserSpecification]
	// proofs are the passwords that an inventory was asked about.
	proofs []proof
}

func read(v ledger.View, kind Engine) (state, error) {
	s := state{v: v, kind: kind, engine: engineFor(kind)}
	var err error
	if s.wanted, err = Databases.Of(v); err != nil {
		return s, err
	}
	for _, r := range s.wanted {
		d, err := s.schema(r)
		if err != nil {
			return s, err
		}
		s.databases = append(s.databases, d)
		if _, there, err := Databases.Before(v, r.ID); err != nil {
			return s, err
		} else if !there {
			s.new = append(s.new, d)
		}
	}
	gone, err := Databases.Gone(v)
	if err != nil {
		return s, err
	}
	for _, r := range gone {
		d, err := s.schema(r)
		if err != nil {
			return s, err
		}
		s.gone = append(s.gone, d)
	}
	if s.users, err = Users.Of(v); err != nil {
		return s, err
	}
	s.goneUsers, err = Users.Gone(v)
	return s, err
}

// steps returns all statements: removals first, so that their names are free.
func (s state) steps() ([]wire.Step, error) {
	var all []wire.Step
	for _, part := range []func() ([]wire.Step, error){s.dropDatabases, s.dropUsers, s.createDatabases, s.changeUsers} {
		steps, err := part()
		if err != nil {
			return nil, err
		}
		all = append(all, steps...)
	}
	return all, nil
}

func (s state) dropDatabases() (steps []wire.Step, err error) {
	var there []user
	for _, r := range slices.Concat(s.users, s.goneUsers) {
		if _, was, err := Users.Before(s.v, r.ID); err != nil {
			return nil, err
		} else if !was {
			continue
		}
		u, err := s.user(r)
		if err != nil {
			return nil, err
		}
		there = append(there, u)
	}
	for _, d := range s.gone {
		_, was, err := Databases.Before(s.v, d.id)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s.engine.dropDatabase(d, there, !was)...)
	}
	return steps, nil
}

func (s state) dropUsers() (steps []wire.Step, err error) {
	for _, r := range s.goneUsers {
		u, err := s.user(r)
		if err != nil {
			return nil, err
		}
		_, was, err := Users.Before(s.v, r.ID)
		if err != nil {
			return nil, err
		}
		var made *secret.String
		if !was {
			if r.Specification.Password == nil { // it was never created here
				continue
			}
			password, err := s.password(r)
			if err != nil {
				return nil, err
			}
			made = &password
		}
		steps = append(steps, s.engine.dropUser(u, s.old(), made)...)
	}
	return steps, nil
}

func (s state) createDatabases() (steps []wire.Step, err error) {
	for _, d := range s.new {
		var may []user
		for _, r := range s.users {
			if _, there, err := Users.Before(s.v, r.ID); err != nil {
				return nil, err
			} else if !there || !s.may(r.Specification, d) || s.about(r.ID) {
				continue
			}
			u, err := s.user(r)
			if err != nil {
				return nil, err
			}
			may = append(may, u)
		}
		steps = append(steps, s.engine.createDatabase(d, may)...)
	}
	return steps, nil
}

func (s state) changeUsers() (steps []wire.Step, err error) {
	for _, r := range s.users {
		u, err := s.user(r)
		if err != nil {
			return nil, err
		}
		before, there, err := Users.Before(s.v, r.ID)
		if err != nil {
			return nil, err
		}
		if !there && r.Specification.Password == nil {
			return nil, fmt.Errorf("the account %s is not on the server, and its password is not known here", u.name.text)
		}
		if there && !s.about(r.ID) {
			continue // its access to new databases came with them
		}
		another := !bytes.Equal(before.Salt, r.Specification.Salt)
		var password secret.String
		if !there || another {
			if password, err = s.password(r); err != nil {
				return nil, err
			}
		}
		may, not := s.split(r.Specification)
		if !there {
			steps = append(steps, s.engine.createUser(u, password, may)...)
			continue
		}
		if another {
			steps = append(steps, s.engine.setPassword(u, password)...)
		}
		// Work that changes nothing else restores access that was revoked manually.
		if !another || !slices.Equal(before.Databases, r.Specification.Databases) {
			steps = append(steps, s.engine.grant(u, may, not)...)
		}
	}
	return steps, nil
}

// about reports whether included work is about an account.
func (s state) about(user int64) bool { return s.v.Asks(Users.Kind, user) }

func (s state) may(u UserSpecification, d schema) bool {
	return u.Main || slices.Contains(u.Databases, d.id)
}

// split returns the databases that an account should have access to, and the engine's other databases.
func (s state) split(u UserSpecification) (may, not []schema) {
	for _, d := range s.databases {
		if s.may(u, d) {
			may = append(may, d)
		} else if !slices.Contains(s.new, d) {
			not = append(not, d)
		}
	}
	return may, not
}

// old returns the databases that the engine has and keeps.
func (s state) old() []schema {
	return slices.DeleteFunc(slices.Clone(s.databases), func(d schema) bool { return slices.Contains(s.new, d) })
}

func (s state) password(r ledger.Resource[UserSpecification]) (secret.String, error) {
	return s.v.Open(sealedAt(r.ID), r.Specification.Password)
}

func (s state) schema(r ledger.Resource[Specification]) (schema, error) {
	name, err := ParseName(s.kind, r.Specification.Name)
	if err != nil {
		return schema{}, fmt.Errorf("name of database %d: %w", r.ID, err)
	}
	return schema{id: r.ID, name: name, adopted: r.Specification.Adopted}, nil
}

func (s state) user(r ledger.Resource[UserSpecification]) (user, error) {
	name, err := ParseAccount(s.kind, "name", r.Specification.Name)
	if err != nil {
		return user{}, fmt.Errorf("name of database user %d: %w", r.ID, err)
	}
	return user{id: r.ID, name: name, host: r.Specification.Host, readOnly: r.Specification.ReadOnly, salt: r.Specification.Salt}, nil
}
