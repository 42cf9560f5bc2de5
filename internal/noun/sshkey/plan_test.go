package sshkey_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	want := func(id int64, user, key string) ledger.Wish {
		w, err := sshkey.Noun.Want(id, sshkey.Specification{Name: "laptop", User: user, Key: "ssh-ed25519 " + key})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	empty := ledger.NewView(query.Server{ID: 1})
	three := []ledger.Wish{want(1, "forge", "AAAA1"), want(2, "root", "AAAA2"), want(3, "forge", "AAAA3")}
	for name, v := range map[string]ledger.View{
		"nothing": empty,
		"added":   empty.On(three...),
		"beside":  empty.On(three...).On(want(4, "shop", "AAAA4")),
		"removed": empty.On(three...).On(sshkey.Noun.Remove(1)),
		"changed": empty.On(three...).On(sshkey.Noun.Remove(3), want(5, "forge", "AAAA5")),
	} {
		stages, err := sshkey.Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		jobtest.Golden(t, name, stages)
	}
}
