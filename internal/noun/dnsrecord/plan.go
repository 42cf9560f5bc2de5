package dnsrecord

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
)

// What is done about a record.
const (
	actionCreate = "create"
	actionChange = "change"
	actionDelete = "delete"
	// actionKeep is a record that is as it should be, actionLeave one that is not Hostler's or was changed manually, and does not prevent anything.
	actionKeep  = "keep"
	actionLeave = "leave"
	// actionRefuse prevents the whole plan.
	actionRefuse = "refuse"
)

// Input is what a plan is computed from.
type Input struct {
	Wants []Want
	// Zones are those of names, and Live the records there.
	Zones map[string]dns.Zone
	Live  map[string][]dns.Record
	// Own are the records that were made for this domain, and Holders what other domains of the organization hold records, by "A www.example.com".
	Own     []query.DNSRecord
	Holders map[string]string
	// Named are the records of others that may be replaced, as "A www.example.com".
	Named []string
	// Delegations are the names at or above a name, below its zone, that the zone delegates to other nameservers.
	Delegations map[string]string
}

// Item is one line of a plan.
type Item struct {
	Action string `json:"action"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Was    string `json:"was"`
	Value  string `json:"value"`
	// Named is set where the request has to name the record in replace.
	Named bool   `json:"named"`
	Text  string `json:"text"`
	// live is the record at the provider, and own the row of it. adopted is set for a record of others that was named, and is as it should be.
	live dns.Record
	own  *query.DNSRecord

	adopted bool
}

// key is how requests name a record.
func key(kind, name string) string { return kind + " " + name }

// Hash names a plan by all that it shows.
func Hash(provider int64, items []Item) (string, error) {
	raw, err := json.Marshal(struct {
		Provider int64
		Items    []Item
	}{provider, items})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// Plan returns what has to be done for a domain to have the records that it needs. It is pure.
func Plan(in Input) []Item {
	var out []Item
	for _, name := range namesOf(in.Wants) {
		out = append(out, in.name(name)...)
	}
	for i := range in.Own { // of names that the domain has no longer
		if own := &in.Own[i]; !slices.ContainsFunc(in.Wants, func(w Want) bool { return w.Name == own.Name && w.Type == own.Type }) {
			out = append(out, in.without(own))
		}
	}
	return out
}

// Removal returns what has to be done for a domain to have none of the records that were made for it.
func Removal(in Input) []Item {
	var out []Item
	for i := range in.Own {
		out = append(out, in.without(&in.Own[i]))
	}
	return out
}

// mine returns the row of a live record, nil for one that was not made here. By its id at the provider it is found although it was changed.
func (in Input) mine(r dns.Record) *query.DNSRecord {
	for i := range in.Own {
		o := &in.Own[i]
		if o.Name == r.Name && o.Type == r.Type && (o.RemoteID == r.ID && r.ID != "" || (o.RemoteID == "" || r.ID == "") && o.Value == r.Value) {
			return o
		}
	}
	return nil
}

// row returns the row of a name and a type, nil if none was made.
func (in Input) row(name, kind string) *query.DNSRecord {
	for i := range in.Own {
		if o := &in.Own[i]; o.Name == name && o.Type == kind {
			return o
		}
	}
	return nil
}

// without removes what was made, if it still is what was made.
func (in Input) without(own *query.DNSRecord) Item {
	i := Item{Action: actionLeave, Name: own.Name, Type: own.Type, Was: own.Value, own: own, Text: "It is no longer at the provider."}
	for _, r := range in.Live[own.Name] {
		if r.Type != own.Type {
			continue
		}
		if in.mine(r) == own && r.Value == own.Value {
			return Item{Action: actionDelete, Name: own.Name, Type: own.Type, Was: own.Value, live: r, own: own}
		}
		i.Was, i.Text = r.Value, "It was changed manually from "+own.Value+", and stays."
	}
	return i
}

// name plans one name.
func (in Input) name(name string) []Item {
	if below := in.Delegations[name]; below != "" {
		return []Item{{Action: actionRefuse, Name: name, Type: dns.NS, Was: below, Text: "The zone " + in.Zones[name].Name + " delegates " + below +
			" to other nameservers, where records of " + name + " belong. Connect the provider of that zone."}}
	}
	var out []Item
	wants := slices.DeleteFunc(slices.Clone(in.Wants), func(w Want) bool { return w.Name != name })
	for _, r := range in.Live[name] {
		if r.Type != dns.CNAME {
			continue
		}
		if slices.Contains(namesOf(in.Wants), r.Value) && r.Value != name { // www.example.com is another name for example.com
			return []Item{{Action: actionKeep, Name: name, Type: r.Type, Was: r.Value, Value: r.Value, Text: "It leads to the site's own name."}}
		}
		i := Item{Name: name, Type: r.Type, Was: r.Value, Named: true, live: r}
		if i.Action = actionDelete; !in.named(i) {
			i.Action, i.Text = actionRefuse, "The name is an alias of "+r.Value+", which Hostler did not make. A name has either an alias or addresses."
			return []Item{i}
		}
		i.Text = "The alias was not made by Hostler. Its place is needed for addresses."
		out = append(out, i)
	}
	for _, w := range wants {
		out = append(out, in.want(w)...)
	}
	return out
}

func (in Input) named(i Item) bool { return slices.Contains(in.Named, key(i.Type, i.Name)) }

// want plans the records of one type at a name.
func (in Input) want(w Want) []Item {
	var live []dns.Record
	for _, r := range in.Live[w.Name] {
		if r.Type == w.Type {
			live = append(live, r)
		}
	}
	if holder := in.Holders[key(w.Type, w.Name)]; holder != "" && w.Value != "" {
		i := Item{Action: actionRefuse, Name: w.Name, Type: w.Type, Value: w.Value, Named: true, Text: "The record is kept for " + holder + "."}
		if !in.named(i) {
			return []Item{i}
		}
	}
	if w.Value == "" {
		return in.unwanted(w, live)
	}
	if at := slices.IndexFunc(live, func(r dns.Record) bool { return r.Value == w.Value }); at >= 0 {
		has := live[at]
		kept := Item{Action: actionKeep, Name: w.Name, Type: w.Type, Was: w.Value, Value: w.Value, live: has, own: in.mine(has)}
		if kept.own == nil {
			kept.Named, kept.Text = true, "It was there already. It becomes Hostler's."
			if kept.adopted = in.named(kept); !kept.adopted {
				kept.Text = "It was there already, and is not Hostler's: it does not follow when the site moves, unless it is named."
			}
		}
		return append([]Item{kept}, in.besides(w, slices.Delete(live, at, at+1))...)
	}
	return in.elsewhere(w, live)
}

// unwanted plans what is at a name of a type that the site is not reached by.
func (in Input) unwanted(w Want, live []dns.Record) []Item {
	var out []Item
	for _, r := range live {
		own := in.mine(r)
		i := Item{Action: actionDelete, Name: w.Name, Type: w.Type, Was: r.Value, live: r, own: own}
		switch {
		case own != nil && own.Value == r.Value:
		case in.named(i):
			i.Named, i.Text = true, "It was not made by Hostler, or was changed manually."
		default:
			i.Action, i.Named = actionLeave, true
			i.Text = "It was not made by Hostler, or was changed manually. The server has no address of this type: who asks for it reaches " + r.Value + "."
		}
		out = append(out, i)
	}
	if own := in.row(w.Name, w.Type); own != nil && len(live) == 0 {
		out = append(out, in.without(own))
	}
	return out
}

// besides plans records of others beside the one that leads to the server.
func (in Input) besides(w Want, others []dns.Record) []Item {
	var out []Item
	for _, r := range others {
		own := in.mine(r)
		i := Item{Action: actionDelete, Name: w.Name, Type: w.Type, Was: r.Value, live: r, own: own}
		switch {
		case own != nil && own.Value == r.Value:
		case in.named(i):
			i.Named, i.Text = true, "It was not made by Hostler."
		default:
			i.Action, i.Named, i.Text = actionLeave, true, "It was not made by Hostler. Some visitors are sent to "+r.Value+"."
		}
		out = append(out, i)
	}
	return out
}

// elsewhere plans a record that does not lead to the server.
func (in Input) elsewhere(w Want, live []dns.Record) []Item {
	own := in.row(w.Name, w.Type)
	if len(live) == 0 {
		i := Item{Action: actionCreate, Name: w.Name, Type: w.Type, Value: w.Value, own: own}
		if own != nil {
			i.Text = "It was removed manually."
		}
		return []Item{i}
	}
	slices.SortStableFunc(live, func(a, b dns.Record) int { return cmp.Compare(in.strange(a), in.strange(b)) })
	first := live[0]
	i := Item{Action: actionChange, Name: w.Name, Type: w.Type, Was: first.Value, Value: w.Value, live: first, own: in.mine(first)}
	if in.strange(first) == 0 {
		return append([]Item{i}, in.besides(w, live[1:])...)
	}
	i.Named, i.Text = true, "It was not made by Hostler."
	if own != nil {
		i.Text = "It was changed manually from " + own.Value + "."
	}
	if !in.named(i) {
		values := make([]string, len(live))
		for n, r := range live {
			values[n] = r.Value
		}
		i.Action, i.Was = actionRefuse, strings.Join(values, ", ")
		return []Item{i}
	}
	return append([]Item{i}, in.besides(w, live[1:])...)
}

// strange is 0 for a record that is as Hostler made it, else 1.
func (in Input) strange(r dns.Record) int {
	if own := in.mine(r); own != nil && own.Value == r.Value {
		return 0
	}
	return 1
}

// followed returns the plan of work that no person has looked at: what was removed or changed manually stays so, and is said.
func followed(items []Item) (out []Item, left []string) {
	for _, i := range items {
		switch {
		case i.Action == actionRefuse:
			left = append(left, key(i.Type, i.Name)+": "+i.Text)
			continue
		case i.Action == actionCreate && i.own != nil:
			left = append(left, key(i.Type, i.Name)+": "+i.Text)
			continue
		}
		out = append(out, i)
	}
	return out, left
}

// refused returns the sentences of what prevents a plan.
func refused(items []Item) []string {
	var out []string
	for _, i := range items {
		switch {
		case i.Action == actionRefuse && i.Type == dns.NS:
			out = append(out, i.Text)
		case i.Action == actionRefuse:
			out = append(out, "The "+i.Type+" record of "+i.Name+" leads to "+cmp.Or(i.Was, "another site")+". "+i.Text)
		}
	}
	return out
}
