package nginxconf_test

import (
	"math"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/nginxconf"
)

func TestBodySizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int64{
		"server { listen 80; }":                {},
		"server { client_max_body_size 10m; }": {10 << 20, 10 << 20},
		"server { client_max_body_size 0; }":   {math.MaxInt64, math.MaxInt64},
		"server { client_max_body_size 1g; location /a { client_max_body_size 512K; } }":          {512 << 10, 1 << 30},
		"server { client_max_body_size 100; location /a { client_max_body_size 0; } }":            {100, math.MaxInt64},
		"server { # client_max_body_size 10m;\n location /client_max_body_size { return 200; } }": {},
	} {
		tree, err := nginxconf.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		least, most, set := nginxconf.BodySizes(tree)
		if least != want[0] || most != want[1] || set != (want[1] > 0) {
			t.Errorf("%s: %d to %d, %t", text, least, most, set)
		}
	}
}
