package nginxconf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What people bring from other servers is accepted, with a certificate and without one, by the judge and by nginx, as in the golden files. The texts follow
// what people publish of their own: the service's default of before and of now (a fragment), with certbot, with limits, logs and maps of their own names.
func TestTextsOfOtherServers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/brought/*.conf")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for suffix, listen := range map[string]string{
			".golden":     "",
			"-tls.golden": "listen 443 ssl;\nssl_certificate /etc/ssl/hostler/7/chain.pem; ssl_certificate_key /etc/ssl/hostler/7/key.pem;",
		} {
			golden := strings.TrimSuffix(file, ".conf") + suffix
			t.Run(filepath.Base(golden), func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				ours := strings.ReplaceAll(oursBrought, "TLS;", listen)
				b := bounds()
				b.Base, b.TLS, b.Ours = "/home/forge/shop.example", listen != "", []string{ours}
				tree, err := Read(string(text))
				if err != nil {
					t.Fatal(err)
				}
				own, err := Read(ours)
				if err != nil {
					t.Fatal(err)
				}
				tree, changes := Translate(tree, own, b.Site)
				if refused := Judge(Plain(tree, b), b); len(refused) > 0 {
					t.Fatalf("refused: %v", refused)
				}
				composed := Compose(tree, b)
				said := ""
				for _, c := range changes {
					said += fmt.Sprintln("#", c)
				}
				if *update {
					if err := os.WriteFile(golden, []byte(said+composed), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), said+composed); diff != "" {
					t.Error(diff)
				}
				again, err := Read(composed)
				if err != nil {
					t.Fatal(err)
				}
				if _, changes := Translate(Plain(again, b), own, b.Site); len(changes) > 0 {
					t.Errorf("what was translated is translated once more: %v", changes)
				}
				dir := t.TempDir()
				if out, err := exec.Command(program(t), "-t", "-q", "-p", dir, "-c", write(t, dir, composed)).CombinedOutput(); err != nil {
					t.Errorf("nginx: %v\n%s", err, out)
				}
			})
		}
	}
}

const oursBrought = `server {
    listen 80;
    listen [::]:80;
    TLS;
    server_name shop.example www.shop.example;
    server_tokens off;
    access_log /var/log/nginx/hostler-12-access.log hostler;
    error_log /var/log/nginx/hostler-12-error.log;
    location ^~ /.well-known/acme-challenge/ {
        alias /var/lib/hostler/acme-challenge/;
        default_type text/plain;
        auth_basic off;
        allow all;
    }
    root "/home/forge/shop.example/public";
    disable_symlinks if_not_owner;
    index index.php index.html;
    charset utf-8;
    error_page 404 /index.php;
    location ~ /\.(?!well-known(/|$)) {
        deny all;
    }
    location / {
        try_files $uri $uri/ /index.php?$query_string;
    }
    location = /favicon.ico {
        access_log off;
        log_not_found off;
        try_files $uri /index.php?$query_string;
    }
    location = /robots.txt {
        access_log off;
        log_not_found off;
        try_files $uri /index.php?$query_string;
    }
    location ~ \.php$ {
        include fastcgi_params;
        fastcgi_pass unix:/run/php/hostler-12-php8.4.sock;
        fastcgi_param SCRIPT_FILENAME $realpath_root$fastcgi_script_name;
        fastcgi_param DOCUMENT_ROOT $realpath_root;
    }
    include /etc/nginx/hostler-conf/12/server/*.conf;
}
`
