package contract

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateGuide = flag.Bool("update", false, "write the deviations into the guide")

const (
	guide      = "../../docs/from-forge.md"
	guideBegin = "<!-- deviations: go test ./test/contract -run Guide -update -->\n"
	guideEnd   = "<!-- end of deviations -->\n"
)

// The guide for those who have clients of this API lists every deviation with its reason, as deviations.json has them.
func TestGuideListsDeviations(t *testing.T) {
	t.Parallel()
	d, err := readDeviations(deviationsJSON)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(raw), guideBegin)
	_, after, ends := strings.Cut(rest, guideEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the deviations", guide)
	}
	want := before + guideBegin + "\n" + d.guide() + "\n" + guideEnd + after
	if *updateGuide {
		if err := os.WriteFile(guide, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(raw) {
		t.Errorf("%s does not list the deviations: go test ./test/contract -run Guide -update", guide)
	}
}

// reasoned are places with the same reason.
type reasoned struct {
	reason string
	places []string
}

type reasons []reasoned

func (r *reasons) add(reason, place string) {
	i := slices.IndexFunc(*r, func(of reasoned) bool { return of.reason == reason })
	if i < 0 {
		*r, i = append(*r, reasoned{reason: reason}), len(*r)
	}
	(*r)[i].places = append((*r)[i].places, place)
}

func (r reasons) table(b *strings.Builder, heading, column string) {
	fmt.Fprintf(b, "\n### %s\n\n| %s | why |\n|---|---|\n", heading, column)
	for _, of := range r {
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(of.places, "; "), strings.ReplaceAll(of.reason, "|", "\\|"))
	}
}

// place names a field of an operation's body or of a resource.
func place(operation, schema, at string) string {
	return fmt.Sprintf("`%s%s` `%s`", operation, schema, at)
}

// guide returns the deviations as tables.
func (d deviations) guide() string {
	var values, permissions, answers, fields reasons
	for _, v := range d.Values {
		for _, value := range v.Values {
			is := "`" + text(value) + "`"
			if value == "text" { // as the tests write any text
				is = "another value"
			}
			values.add(v.Reason, place(v.Operation, "", v.At)+" "+is)
		}
	}
	for _, p := range d.Permissions {
		permissions.add(p.Reason, fmt.Sprintf("`%s` asks for `%s`", p.Operation, strings.Join(p.Is, "`, `")))
	}
	for _, c := range d.Codes {
		where := strings.Join(c.Methods, ", ")
		if len(c.Operations) > 0 {
			where = "`" + strings.Join(c.Operations, "`, `") + "`"
		}
		answers.add(c.Reason, fmt.Sprintf("%d of %s", c.Code, where))
	}
	for _, e := range d.Errors {
		answers.add(e.Reason, "bodies of "+strings.Trim(fmt.Sprint(e.Codes), "[]"))
	}
	for _, doc := range d.Documents {
		answers.add(doc.Reason, fmt.Sprintf("`%s` answers with a `%s`", doc.Operation, doc.Resource))
	}
	answers.add(d.Bodies, "bodies with required fields")
	for _, s := range d.Schemas {
		fields.add(s.Reason, place(s.Operation, s.Schema, s.At))
	}
	for _, a := range d.Additions {
		fields.add(a.Reason, place(a.Operation, a.Schema, a.At))
	}
	var b strings.Builder
	values.table(&b, "Values that are refused", "value")
	permissions.table(&b, "Permissions", "operation")
	answers.table(&b, "Answers", "answer")
	fields.table(&b, "Fields", "field")
	return strings.TrimPrefix(b.String(), "\n")
}
