package sshkey

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// closeWithin is how long the sessions of removed keys have to end: each is given time before systemd kills its programs.
const closeWithin = 5 * time.Minute

// Plan edits the files of the accounts with work: lines of other programs and people stay, except that a removed key is in no
// line of the account afterwards.
func Plan(v ledger.View) ([]job.Stage, error) {
	keys, err := Noun.Of(v)
	if err != nil {
		return nil, err
	}
	gone, err := Noun.Gone(v)
	if err != nil {
		return nil, err
	}
	edits := map[string]*wire.Lines{}
	edit := func(user string) *wire.Lines {
		if edits[user] == nil {
			edits[user] = &wire.Lines{Path: directory(user) + "/authorized_keys", Owner: user}
		}
		return edits[user]
	}
	for _, k := range keys {
		if s := k.Specification; v.Asks(Noun.Kind, k.ID) {
			l := edit(s.User)
			line := s.Key + " hostler-key-" + strconv.FormatInt(k.ID, 10)
			if s.Options != "" { // sshd uses the first line with a key, so none may be without them
				line = s.Options + " " + line
				l.Without = append(l.Without, strings.Fields(s.Key)[1])
			}
			l.Add = append(l.Add, line)
		}
	}
	for _, k := range gone {
		l := edit(k.Specification.User)
		l.Without = append(l.Without, strings.Fields(k.Specification.Key)[1])
	}
	var steps []wire.Step
	for _, user := range slices.Sorted(maps.Keys(edits)) {
		steps = append(steps, stepsOf(user, edits[user])...)
	}
	if len(steps) == 0 {
		return nil, nil
	}
	stages := []job.Stage{{Name: "keys", Change: wire.Change{Steps: steps}}}
	closing, err := sessions(v.Included, gone)
	if err != nil || len(closing) == 0 {
		return stages, err
	}
	// A stage of its own: a session that can't be closed does not bring the key back.
	return append(stages, job.Stage{Name: "sessions", Change: wire.Change{Steps: closing}, Within: closeWithin}), nil
}

// sessions are the steps that close the sessions of removed keys, for the removals that ask for it.
func sessions(included []query.Operation, gone []ledger.Resource[Specification]) ([]wire.Step, error) {
	var steps []wire.Step
	for _, op := range included {
		asked, err := removalOf(op)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(gone, func(k ledger.Resource[Specification]) bool { return k.ID == op.ResourceID })
		if !asked.CloseSessions || i < 0 {
			continue
		}
		s := gone[i].Specification
		steps = append(steps, wire.Step{Name: "sessions of " + s.User, Sessions: &wire.Sessions{User: s.User, Fingerprint: s.fingerprint()}})
	}
	return steps, nil
}

func directory(user string) string { return render.Home(user) + "/.ssh" }

func stepsOf(user string, edit *wire.Lines) []wire.Step {
	name := "keys of " + user
	step := wire.Step{Name: name, Lines: edit}
	if len(edit.Add) == 0 {
		return []wire.Step{step}
	}
	return []wire.Step{
		{Name: name, Dir: &wire.Dir{Path: directory(user), Mode: 0o700, Owner: user, Group: user}},
		{Name: name, File: &wire.File{Path: edit.Path, Mode: 0o600, Owner: user, Group: user, Once: true}},
		step,
	}
}
