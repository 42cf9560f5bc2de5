package nginxconf

import (
	"strings"
	"testing"
)

const oursToTranslate = `server {
    listen 80;
    server_name shop.example.com;
    return 301 https://$host$request_uri;
}
server {
    listen 443 ssl;
    server_name shop.example.com;
    root /home/forge/shop.example.com/public;
    ssl_certificate /etc/ssl/hostler/7.pem;
    ssl_certificate_key /etc/ssl/hostler/7.key;
    error_log /var/log/nginx/hostler-site-7-error.log error;
    include hostler-conf/7/server/*.conf;
    location ~ \.php$ {
        fastcgi_pass unix:/run/php/site-7.sock;
    }
}
`

// The texts that people bring are translated line by line, and each change is said.
func TestTranslate(t *testing.T) {
	t.Parallel()
	read := func(text string) []*Statement {
		tree, err := Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	for name, c := range map[string]struct {
		text       string
		has, hasNo []string
		changes    int
	}{
		"a whole file": {
			text: "# CONFIG (DO NOT REMOVE!)\ninclude forge-conf/shop.example.com/before/*;\nserver {\n    listen 443 ssl;\n    server_name shop.example.com;\n" +
				"    root /home/forge/shop.example.com/public;\n    ssl_certificate /etc/nginx/ssl/shop.example.com/1/server.crt;\n" +
				"    ssl_certificate_key /etc/nginx/ssl/shop.example.com/1/server.key;\n    ssl_dhparam /etc/nginx/dhparams.pem;\n" +
				"    include forge-conf/shop.example.com/server/*;\n    access_log off;\n    error_log /var/log/nginx/shop.example.com-error.log error;\n" +
				"    location ~ \\.php$ {\n        fastcgi_pass unix:/var/run/php/php8.3-fpm.sock;\n    }\n}\ninclude /etc/nginx/forge-conf/shop.example.com/after/*;\n",
			has: []string{
				"include hostler-conf/7/server/*.conf;", "ssl_certificate /etc/ssl/hostler/7.pem;", "ssl_certificate_key /etc/ssl/hostler/7.key;",
				"error_log /var/log/nginx/hostler-site-7-error.log error;", "access_log off;", "fastcgi_pass unix:/run/php/site-7.sock;",
			},
			hasNo: []string{"forge-conf", "dhparam", "/etc/nginx/ssl", "php8.3"}, changes: 8,
		},
		"a location": {
			text: "location /ws {\n    proxy_pass http://127.0.0.1:6001;\n}\n", has: []string{"location /ws {", "root /home/forge/shop.example.com/public;",
				"return 301"}, changes: 1,
		},
		"a web socket of a guide": {
			text: "location /app {\n    proxy_pass http://localhost:6001;\n    proxy_set_header Upgrade $http_upgrade;\n    proxy_set_header Connection " +
				"$connection_upgrade;\n}\n",
			has: []string{"proxy_set_header Connection $hostler_connection;"}, hasNo: []string{"connection_upgrade"}, changes: 2,
		},
		"a server for any name": {
			text: "server {\n    listen 80 default_server;\n    server_name _;\n    return 204;\n}\n",
			has:  []string{"server_name shop.example.com;"}, hasNo: []string{"server_name _"}, changes: 1,
		},
		"names with letters of a language": {
			text: "server {\n    server_name Bløst.example *.bløst.example xn--blst-hra.example ~^ø _ a_b.example;\n    return 204;\n}\n",
			has:  []string{"server_name xn--blst-hra.example *.xn--blst-hra.example xn--blst-hra.example \"~^ø\" _ a_b.example;"}, changes: 2,
		},
		"the settings of a generator": {
			text: "ssl_session_cache shared:MozSSL:10m;\nssl_stapling on;\nssl_stapling_verify on;\nssl_trusted_certificate /etc/ssl/chain.pem;\nresolver " +
				"127.0.0.1;\nssl_protocols TLSv1.3;\n",
			has: []string{"ssl_protocols TLSv1.3;"}, hasNo: []string{"MozSSL", "stapling", "trusted", "resolver"}, changes: 6,
		},
		"a location with a map": {
			text: "map $http_upgrade $site_7_up {\n    default x;\n}\nlocation /ws {\n    return 204;\n}\nadd_header X-A b;\n",
			has:  []string{"map $http_upgrade $site_7_up {", "add_header X-A b;"}, changes: 1,
		},
		"containers": {
			text: "upstream pool {\n    server web:3000 weight=2;\n    server 198.51.100.1:80 backup;\n}\nserver {\n    listen 443 ssl;\n    server_name " +
				"shop.example.com;\n" +
				"    location / {\n        proxy_pass http://pool;\n    }\n    location /a/ {\n        proxy_pass http://app:3000/;\n    }\n" +
				"    location /b {\n        proxy_pass http://host.docker.internal:3001;\n    }\n    location /c {\n        proxy_pass http://0.0.0.0:3000;\n    }\n" +
				"    location /d {\n        proxy_pass https://api.example.com:8443;\n    }\n    location /e {\n        proxy_pass http://unix:/run/a.sock;\n    }\n}\n",
			has: []string{
				"server 127.0.0.1:3000 weight=2;", "server 198.51.100.1:80 backup;", "proxy_pass http://site_7_pool;", "proxy_pass http://127.0.0.1:3000/;",
				"proxy_pass http://127.0.0.1:3001;", "proxy_pass http://127.0.0.1:3000;", "proxy_pass https://api.example.com:8443;", "proxy_pass http://unix:/run/a.sock;",
			}, changes: 5,
		},
		"ours":           {text: oursToTranslate, has: []string{"include hostler-conf/7/server/*.conf;"}},
		"only a comment": {text: "# nothing\n", has: []string{"# nothing"}},
		"another's file": {text: "server {\n    server_name shop.example.com;\n    ssl_dhparam /root/x;\n    error_log /tmp/x;\n    include /etc/passwd;\n}\n",
			has: []string{"ssl_dhparam /root/x;", "error_log /tmp/x;", "include /etc/passwd;"}},
	} {
		out, changes := Translate(read(c.text), read(oursToTranslate), 7)
		got := Print(out)
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, got)
			}
		}
		for _, not := range c.hasNo {
			if strings.Contains(got, not) {
				t.Errorf("%s has %q:\n%s", name, not, got)
			}
		}
		if len(changes) != c.changes {
			t.Errorf("%s: %d changes, want %d:\n%s", name, len(changes), c.changes, strings.Join(changes, "\n"))
		}
	}
}

// A text of another web server is refused as what it is, and one that went through a page is read as it was.
func TestTextsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"RewriteEngine On\nRewriteRule ^old$ /new [R=301,L]\n":          "of Apache",
		"<VirtualHost *:80>\nServerName shop.example\n</VirtualHost>\n": "of Apache",
		"shop.example {\n    root * /srv\n    file_server\n}\n":         "of Caddy",
		"location / { content_by_lua_block { ngx.say(\"x\") } }":        "Lua",
		"location /x { return 204 }":                                    "a \";\" is missing",
	} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for given, want := range map[string]string{
		"```nginx\nlocation /x {\u00a0return 204; }\n```": "\nlocation /x { return 204; }\n",
		"add_header X-Frame-Options “SAMEORIGIN”;":        `add_header X-Frame-Options "SAMEORIGIN";`,
		"add_header X-A “a b” always;":                    `add_header X-A "a b" always;`,
		`return 200 "say “hi” to all";`:                   `return 200 "say “hi” to all";`,
		"# a “note” here;":                                "# a “note” here;",
	} {
		if got := Pasted(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
