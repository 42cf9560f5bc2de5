package value

import "testing"

// What nginx would refuse is refused on entry; what only PCRE knows is accepted.
func TestRedirectSourceEscapes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`..\..\etc\passwd`, `\pa`, `(?=x)\pq`, `\1\u0041`, `a\y`, `\K\i`, `\E\m`} {
		if r, err := ParseRedirectSource(s); err == nil {
			t.Errorf("%s is taken: %s", s, r)
		}
	}
	for _, s := range []string{`^/old$`, `^/(a|b)\.php$`, `\d+\K`, `^/\pL+$`, `^/\p{Greek}`, `(?=x)\h`, `(a)\1`, `\Qa\y\E`, `\\y`, `\/x`, `\-`} {
		if _, err := ParseRedirectSource(s); err != nil {
			t.Errorf("%s is refused: %v", s, err)
		}
	}
}
