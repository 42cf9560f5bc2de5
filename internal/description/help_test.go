package description

import (
	"slices"
	"strings"
	"testing"
)

func command(t *testing.T, words string) Operation {
	t.Helper()
	all := Operations()
	i := slices.IndexFunc(all, func(o Operation) bool { return o.Noun+" "+o.Verb == words })
	if i < 0 {
		t.Fatalf("there is no command %s", words)
	}
	return all[i]
}

// A question says what is done to what, whether the verb, an argument or the path says it.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"servers reboot":               "reboots the server",
		"servers archive":              "archives the server",
		"services nginx stop":          "stops nginx of the server",
		"processes stop":               "stops the background process",
		"firewall delete":              "deletes the rule",
		"access-log clear":             "clears the access log of the site",
		"deploy-key delete":            "deletes the deploy key of the site",
		"backup-configurations delete": "deletes the backup configuration",
		"dns-records remove":           "removes the dns record of the domain record",
		"webhook-secret update":        "updates the webhook secret of the deployment webhook",
		"maintenance enable":           "enables the maintenance of the site",
	} {
		parts := strings.Fields(words)
		action := strings.Join(parts[2:], "")
		if o := command(t, parts[0]+" "+parts[1]); o.Does(action)+" the "+o.Subject() != want {
			t.Errorf("%s: it %s the %s, want %s", words, o.Does(action), o.Subject(), want)
		}
	}
}

// Help says what a command does, what its arguments are, and how it is called.
func TestHelpOfCommands(t *testing.T) {
	t.Parallel()
	o := command(t, "processes restart")
	help := o.Help()
	if !strings.HasPrefix(help, "Restart a background process.\n") ||
		!strings.Contains(help, "\n  SERVER               name or ID of the server") {
		t.Errorf("it says\n%s", help)
	}
	if got := o.Examples(); len(got) != 2 || got[0] != "hostler processes restart web-1 7" || got[1] != got[0]+" --dry-run" {
		t.Errorf("examples are %q", got)
	}
	for want, f := range map[string]Field{
		"the region":               {Description: "The region."},
		"PHP version, such as 8.4": {Description: "PHP version, such as 8.4. Older ones end."},
		"whether it is (required)": {Description: "Whether it is.", Required: true},
		"IPv4 or IPv6":             {Description: "IPv4 or IPv6."},
	} {
		if got := f.Help(); got != want {
			t.Errorf("a flag is explained as %q, want %q", got, want)
		}
	}
	if got := (Field{Enum: []string{"a", "b"}}).Choices(); got != ": a, b" {
		t.Errorf("choices are %q", got)
	}
}
