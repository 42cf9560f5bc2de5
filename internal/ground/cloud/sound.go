package cloud

import (
	"net/netip"
	"regexp"
	"slices"
)

// What providers answer is kept, shown and sent back to them, in the paths of later calls too. What can't be one of theirs is not let in.

var (
	ids        = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
	subnetIDs  = regexp.MustCompile(`^[A-Za-z0-9_./:-]{1,100}$`) // Hetzner's are their ranges
	currencies = regexp.MustCompile(`^[A-Z]{3}$`)
)

// nonsense is the problem of an answer that makes no sense.
func (c *Cloud) nonsense() *Problem {
	return &Problem{Reason: c.name + " answered what can't be read."}
}

// sound returns a server as far as what its provider says of it can be true.
func (c *Cloud) sound(m Machine) (Machine, error) {
	if !ids.MatchString(m.ID) {
		return Machine{}, c.nonsense()
	}
	for _, address := range []*string{&m.Address, &m.Private} {
		a, err := netip.ParseAddr(*address)
		if *address != "" && (err != nil || a.Zone() != "") {
			return Machine{}, c.nonsense()
		}
	}
	return m, nil
}

// soundNetworks leaves out networks that no server can be put in.
func soundNetworks(list []Network) []Network {
	list = slices.DeleteFunc(list, func(n Network) bool { return !ids.MatchString(n.ID) })
	for i, n := range list {
		list[i].Name, list[i].CIDR, list[i].Region = line(n.Name), soundRange(n.CIDR), line(n.Region)
		list[i].Subnets = slices.DeleteFunc(n.Subnets, func(s Subnet) bool { return !subnetIDs.MatchString(s.ID) })
		for j, s := range list[i].Subnets {
			list[i].Subnets[j].Name, list[i].Subnets[j].CIDR = line(s.Name), soundRange(s.CIDR)
		}
	}
	return list
}

// soundRange returns a range of addresses, or nothing if it is none.
func soundRange(text string) string {
	if _, err := netip.ParsePrefix(text); err != nil {
		return ""
	}
	return text
}

// soundOffers leaves out sizes that can't be ordered.
func soundOffers(list []Offer) []Offer {
	list = slices.DeleteFunc(list, func(o Offer) bool { return !sizes.MatchString(o.Code) || o.CPUs < 0 || o.RAM < 0 || o.Disk < 0 })
	for i, o := range list {
		if !currencies.MatchString(o.Currency) {
			list[i].Currency = ""
		}
	}
	return list
}
