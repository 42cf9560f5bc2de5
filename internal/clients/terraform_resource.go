package clients

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// making is a resource that is being made from the calls of its noun.
type making struct {
	terraformer
	TerraformThing
	// answered are the members of the answer, and updates those of the body of an update, by the names that the creation has for them.
	answered, updates map[string]description.Member
	// taken are the names of attributes, and seen the members of the answer that an attribute shows.
	taken, seen map[string]bool
}

// resource makes the resource of a noun.
func (t terraformer) resource(noun string, calls map[string]*description.Call) (TerraformThing, error) {
	m := making{
		terraformer: t, TerraformThing: TerraformThing{Noun: noun, Name: thingName(noun), Key: keys[noun], Absent: absent[noun]},
		answered: map[string]description.Member{}, updates: map[string]description.Member{}, taken: map[string]bool{"id": true}, seen: map[string]bool{},
	}
	if err := m.life(calls); err != nil {
		return m.TerraformThing, err
	}
	for _, p := range m.Parents {
		m.taken[p.Name] = true
	}
	for _, member := range t.members(m.Read.Resource) {
		m.answered[member.Name] = member
	}
	if m.Update != nil {
		for _, member := range t.objects[m.Update.Body].Members {
			for create, change := range renamed[noun] {
				if change == member.Name {
					member.Name = create
				}
			}
			m.updates[member.Name] = member
		}
	}
	if err := m.arguments(); err != nil {
		return m.TerraformThing, err
	}
	m.results()
	return m.TerraformThing, nil
}

// life sets the calls that create, read, change and delete, what they are about, and the parameters of their paths.
func (m *making) life(calls map[string]*description.Call) error {
	m.Create, m.Update, m.Delete = first(calls["create"], calls["enable"]), calls["update"], first(calls["delete"], calls["disable"])
	m.Read = calls["show"]
	if m.Read == nil {
		m.Read, m.Listed = calls["list"], true
	}
	if m.Read == nil {
		return fmt.Errorf("%s can't be read: say in noResource why it has no resource", m.Noun)
	}
	m.About = sentence(first(m.Create, m.Update).Summary)
	if m.Create == nil {
		m.Create = m.Update
		m.About = sentence(m.Update.Summary) + " It is always there: destroying the resource leaves it as it is."
	}
	if about := m.Create.Description; about != "" {
		m.About += " " + about
	}
	m.ID = idOf(m.Delete)
	if m.Delete == nil {
		m.ID = ""
	}
	if m.Update != nil && m.Update.Body == "" && m.Update != m.Create { // it takes nothing that could be configured
		m.Update = nil
	}
	m.Parents = parameters(m.ID, m.Delete, m.Create, m.Read, m.Update)
	return nil
}

// arguments adds the attributes that are configured: the members of the bodies of creation and update.
func (m *making) arguments() error {
	sent := map[string]bool{}
	if m.Create.Body != "" {
		for _, member := range m.objects[m.Create.Body].Members {
			sent[member.Name] = true
			if err := m.argument(member, true); err != nil {
				return err
			}
		}
	}
	if m.Update != nil {
		for _, member := range m.objects[m.Update.Body].Members {
			if member = m.updates[member.Name]; member.Name == "" || sent[member.Name] {
				continue
			}
			if err := m.argument(member, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// argument adds the attribute of one member, of the creation's body or only of the update's.
func (m *making) argument(member description.Member, create bool) error {
	if member.Description == idle || slices.Contains(leftOut[m.Noun], member.Name) {
		return nil
	}
	u, update := m.updates[member.Name]
	a := TerraformAttribute{
		Name: snake(member.Name), Field: member.Name, Change: renamed[m.Noun][member.Name], About: sentence(member.Description),
		Create: create, Required: create && member.Required, Update: update, Needed: update && u.Required,
		Secret: member.Secret || u.Secret, Replace: create && !update,
	}
	if a.About == "" {
		a.About = sentence(u.Description)
	}
	if name := reserved[a.Name]; name != "" {
		a.Name = name
	}
	if m.taken[a.Name] {
		a.Name = m.Name + "_" + a.Name
	}
	if m.ID == member.Name && m.written(m.Delete, m.ID) { // which is in the path as it is written here
		a.Replace, a.Needed = true, true
	}
	m.answer(&a, member)
	if m.taken[a.Name] {
		return fmt.Errorf("%s has two attributes %s", m.Noun, a.Name)
	}
	m.taken[a.Name] = true
	if a.Secret {
		m.taken[a.Name+"_version"] = true
	}
	m.Attributes = append(m.Attributes, a)
	return nil
}

// answer sets the shape of an attribute, and where the answer shows it, if it does.
func (m *making) answer(a *TerraformAttribute, member description.Member) {
	name := cmp.Or(answers[m.Noun][member.Name], member.Name)
	at, _, deep := strings.Cut(name, ".")
	got, ok := m.answered[at]
	if deep {
		a.Answer = name
	}
	m.seen[name] = ok || m.seen[name]
	shape := member.Shape
	if ok && shape.Kind == description.KindAny {
		shape = got.Shape
	}
	m.shape(a, shape)
	if ok && !deep && !a.Secret && !got.Secret {
		var shown TerraformAttribute
		if m.shape(&shown, got.Shape); shown.Kind == a.Kind {
			a.Answer = name
		}
		if a.Kind == "object" || a.Kind == "objects" {
			a.Answer = ""
		}
	}
	if of := listed[m.Noun][member.Name]; of[0] != "" {
		a.From, a.Answer = of[0], of[1]
	}
	if m.Listed && member.Name == m.ID+"_id" {
		a.Answer = "id"
	}
}

// results adds the attributes that only the answer has.
func (m *making) results() {
	if m.Listed {
		return
	}
	for _, member := range m.members(m.Read.Resource) {
		a := m.terraformer.answered(member)
		if name := reserved[a.Name]; name != "" {
			a.Name = name
		}
		if m.seen[member.Name] || member.Secret || member.Name == "id" || m.taken[a.Name] {
			continue
		}
		m.Attributes = append(m.Attributes, a)
	}
}
