package cloud

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// Codes are in URLs, and in the tables of people's own programs.
var codePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,40}$`)

func TestCatalog(t *testing.T) {
	t.Parallel()
	c, err := NewCatalog()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.DateOnly, AsOf); err != nil {
		t.Error(err)
	}
	ids := map[int64]string{}
	for _, p := range c.Providers {
		if len(p.Regions) == 0 || len(p.Sizes) == 0 {
			t.Errorf("%s has %d regions and %d sizes", p.Slug, len(p.Regions), len(p.Sizes))
		}
		codes := map[string]bool{}
		last := int64(0)
		for _, r := range p.Regions {
			if ids[r.ID] != "" || codes[r.Code] || r.ID <= last || !codePattern.MatchString(r.Code) || r.Name == "" {
				t.Errorf("%s: the region %+v has the id or code of another, is out of order, or has no code or name", p.Slug, r)
			}
			ids[r.ID], codes[r.Code], last = r.Code, true, r.ID
		}
		var known bool
		sizes := map[string]bool{}
		for i, s := range p.Sizes {
			if s.Number != int64(i)+1 || sizes[s.Code] || !codePattern.MatchString(s.Code) || s.CPUs < 1 || s.RAM < 512 ||
				s.Architecture != "x86_64" && s.Architecture != "arm64" {
				t.Errorf("%s: size %+v", p.Slug, s)
			}
			sizes[s.Code] = true
			known = known || s.Code == p.DefaultSize && s.In(p.DefaultRegion)
			for _, region := range s.regions {
				if !codes[region] {
					t.Errorf("%s: %s names the region %s, which is not in the list", p.Slug, s.Code, region)
				}
			}
		}
		if !known {
			t.Errorf("%s: the region %s does not have the size %s, and both are the defaults", p.Slug, p.DefaultRegion, p.DefaultSize)
		}
	}
	if !c.HasRegion(Hetzner, "fsn1") || c.HasRegion(Hetzner, "nyc3") || c.HasRegion("custom", "fsn1") {
		t.Error("regions are found at other providers than their own")
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		size Size
		want string
	}{
		{Size{Code: "a", CPUs: 1, RAM: 512, Disk: 10}, "a (1 CPU, 512 MB RAM, 10 GB disk)"},
		{Size{Code: "b", CPUs: 2, RAM: 4096}, "b (2 CPUs, 4 GB RAM)"},
	} {
		if got := tc.size.Name(); got != tc.want {
			t.Errorf("the name is %q, want %q", got, tc.want)
		}
	}
	everywhere, some, others := Size{except: true}, Size{regions: []string{"a"}}, Size{regions: []string{"a"}, except: true}
	if !everywhere.In("a") || !some.In("a") || some.In("b") || others.In("a") || !others.In("b") {
		t.Error("a size is in the wrong regions")
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	err := lines("# what is here\na\tb\nc\n", 2, func([]string) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "has 1 fields") {
		t.Errorf("a line with a field less: %v", err)
	}
}
