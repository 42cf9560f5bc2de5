package ufw

import (
	"slices"
	"strings"
	"testing"
)

func text(rules []Rule) []string {
	var out []string
	for _, r := range rules {
		kind := "allow "
		if r.Deny {
			kind = "deny "
		}
		out = append(out, kind+r.Port.String()+" from "+r.From.String())
	}
	return out
}

func TestParse(t *testing.T) {
	t.Parallel()
	rules, err := Parse([]string{
		"policy DROP",
		Mark + "deny any 25 0.0.0.0/0 any 0.0.0.0/0 in",
		Mark + "limit tcp 22 0.0.0.0/0 any 0.0.0.0/0 in",
		Mark + "allow tcp 80,443 0.0.0.0/0 any 0.0.0.0/0 Nginx%20Full - in comment=776562",
		Mark + "allow any 8000:8010 0.0.0.0/0 any 10.1.0.0/16 in",
		Mark + "allow udp 8000:8010 0.0.0.0/0 any 10.2.0.0/16 in",
		Mark + "allow_log tcp 5432 0.0.0.0/0 any 0.0.0.0/0 in",
		Mark + "allow any any 0.0.0.0/0 any 192.0.2.7 in",
		Mark + "allow any any 0.0.0.0/0 any 0.0.0.0/0 out",
		Mark + "limit tcp 22 ::/0 any ::/0 in",
		Mark + "allow tcp 80,443 ::/0 any ::/0 Nginx%20Full - in comment=776562",
		Mark + "reject any 25 ::/0 any ::/0 in",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"deny 25 from ", "allow 22 from ", "allow 80 from ", "allow 443 from ",
		"allow 8000:8010 from 10.1.0.0/16,10.2.0.0/16", "allow 5432 from 0.0.0.0/0", "allow  from 192.0.2.7",
	}
	if got := text(rules); !slices.Equal(got, want) {
		t.Errorf("rules are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A rule that Hostler's rules can't express is named, and nothing is taken over.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"its policy is ACCEPT":              {"policy ACCEPT"},
		"in_eth1":                           {Mark + "allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in_eth1"},
		`"out" can't be said`:               {Mark + "deny any any 0.0.0.0/0 any 0.0.0.0/0 out"},
		"one address of the server":         {Mark + "allow tcp 22 192.0.2.1 any 0.0.0.0/0 in"},
		"one port of the sender":            {Mark + "allow tcp 22 0.0.0.0/0 1024 0.0.0.0/0 in"},
		"the protocol esp":                  {Mark + "allow esp any 0.0.0.0/0 any 0.0.0.0/0 in"},
		"route:allow":                       {Mark + "route:allow any any 0.0.0.0/0 any 0.0.0.0/0 in"},
		"denies stand above allows":         {Mark + "allow any 8000:8010 0.0.0.0/0 any 10.0.0.0/8 in", Mark + "deny any 8005 0.0.0.0/0 any 0.0.0.0/0 in"},
		"here rules are for TCP and UDP":    {Mark + "deny udp 53 0.0.0.0/0 any 0.0.0.0/0 in", Mark + "allow tcp 53 0.0.0.0/0 any 0.0.0.0/0 in"},
		"5 words":                           {Mark + "allow tcp 22 0.0.0.0/0 in"},
		`a rule for the port "ssh"`:         {Mark + "allow tcp ssh 0.0.0.0/0 any 0.0.0.0/0 in"},
		`ufw has a rule from "not-an-addre`: {Mark + "allow tcp 22 0.0.0.0/0 any not-an-address in"},
	} {
		if rules, err := Parse(lines); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, text(rules), err)
		}
	}
}
