package domain

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/site"
)

// Work that is from before configurations were judged says no rule: what was served then is kept, what was only asked for is judged when it is
// tried again.
func TestWorkFromBeforeConfigurationsWereJudged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ request, before, after string }{
		"a policy":      {`{"before": {"Nginx": "a"}, "after": {"Nginx": "a"}}`, site.NginxKept, site.NginxKept},
		"a first text":  {`{"before": {}, "after": {"Nginx": "b"}}`, site.NginxJudged, site.NginxJudged},
		"another text":  {`{"before": {"Nginx": "a"}, "after": {"Nginx": "b"}}`, site.NginxKept, site.NginxJudged},
		"none any more": {`{"before": {"Nginx": "a"}, "after": {}}`, site.NginxKept, site.NginxJudged},
		"one of now":    {`{"before": {"Nginx": "a", "NginxRule": "root"}, "after": {"Nginx": "a", "NginxRule": "judged"}}`, site.NginxRoot, site.NginxJudged},
	} {
		c, err := changeOf(query.Operation{Request: tt.request})
		if err != nil || c.Before.NginxRule != tt.before || c.After.NginxRule != tt.after {
			t.Errorf("%s: %v %q %q, want %q %q", name, err, c.Before.NginxRule, c.After.NginxRule, tt.before, tt.after)
		}
	}
}
