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
	restricted, err := sshkey.Noun.Want(6, sshkey.Specification{Name: "backup", User: "forge", Key: "ssh-ed25519 AAAA0006", Options: `restrict,from="10.0.0.0/8"`})
	if err != nil {
		t.Fatal(err)
	}
	empty := ledger.NewView(query.Server{ID: 1})
	three := []ledger.Wish{want(1, "forge", "AAAA0001"), want(2, "root", "AAAA0002"), want(3, "forge", "AAAA0003")}
	closing := func(v ledger.View, ids ...int64) ledger.View {
		for _, id := range ids {
			v.Included = append(v.Included, query.Operation{
				ID: 10 + id, ResourceType: sshkey.Noun.Kind, ResourceID: id, Action: "delete",
				Request: `{"close_sessions":true}`,
			})
		}
		v.Included = append(v.Included, query.Operation{ID: 20, ResourceType: sshkey.Noun.Kind, ResourceID: 3, Action: "delete", Request: "{}"})
		return v
	}
	for name, v := range map[string]ledger.View{
		"nothing":    empty,
		"added":      empty.On(three...),
		"beside":     empty.On(three...).On(want(4, "shop", "AAAA0004")),
		"restricted": empty.On(three...).On(restricted),
		"removed":    empty.On(three...).On(sshkey.Noun.Removal(1)),
		"closed":     closing(empty.On(three...).On(sshkey.Noun.Removal(1), sshkey.Noun.Removal(2), sshkey.Noun.Removal(3)), 1, 2),
		"changed":    empty.On(three...).On(sshkey.Noun.Removal(3), want(5, "forge", "AAAA0005")),
	} {
		stages, err := sshkey.Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		jobtest.Golden(t, name, stages)
	}
}
