package nginxconf

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestOurOwnVhostsPassUnchanged checks Hostler's own texts against its rules: they are printed as they were rendered.
func TestOurOwnVhostsPassUnchanged(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../render/testdata/nginx-vhost/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, found := strings.Cut(string(raw), "\n----\n")
		if !found {
			t.Fatalf("%s has no output", file)
		}
		if strings.Contains(filepath.Base(file), "refuse") {
			continue
		}
		tree, err := Read(text)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if diff := cmp.Diff(text, Print(tree)); diff != "" {
			t.Errorf("%s is printed otherwise:\n%s", file, diff)
		}
		b := bounds()
		b.Ours, b.TLS = []string{text}, true
		walk(tree, func(s *Statement) { // the names, directories and ports are those of the file
			switch s.Name() {
			case "server_name":
				b.Names = append(b.Names, s.Args()...)
			case "root":
				b.Base = s.Args()[0]
			case "fastcgi_pass":
				b.Sockets = append(b.Sockets, strings.TrimPrefix(s.Args()[0], "unix:"))
			case "proxy_pass":
				if at, ok := strings.CutPrefix(s.Args()[0], "http://hostler_"); ok {
					b.Upstreams = append(b.Upstreams, "hostler_"+at)
				}
			}
		})
		b.Ports = []int64{3000, 8000}
		for _, r := range Judge(tree, b) {
			t.Errorf("%s: %s", file, r)
		}
	}
}

func bounds() Bounds {
	return Bounds{
		Site: 12, Domain: 34, Names: []string{"shop.example", "www.shop.example"}, Base: "/home/shop/shop.example",
		Sockets: []string{"/run/php/hostler-12-php8.4.sock", "/run/php/hostler-12-php8.3.sock"}, Ports: []int64{3000, 20001},
		Upstreams: []string{"hostler_12"},
	}
}
