package cli

import (
	"context"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/show"
)

// listsOfPeople are the lists whose table names a person's role, which an answer has by its id only.
var listsOfPeople = []string{
	"organizations.members.index", "organizations.teams.members.index", "organizations.invites.index", "organizations.teams.invites.index",
}

// roleColumn returns the column with people's roles. A member of the organization without one is here through teams.
func (s *session) roleColumn(ctx context.Context) (show.Column, error) {
	names := map[string]string{}
	own, err := s.path("/roles")
	if err != nil {
		return show.Column{}, err
	}
	for _, list := range []string{"/predefined-roles", own} {
		err := s.client.Each(ctx, list, func(r client.Resource) bool {
			names[r.ID] = r.Attribute("name")
			return true
		})
		if err != nil {
			return show.Column{}, err
		}
	}
	return show.Column{Name: "ROLE", Of: func(r client.Resource) string {
		if id := r.Related("role"); id != "" && id != "0" {
			return names[id]
		}
		return "Through teams only"
	}}, nil
}
