package render

import "fmt"

// MeilisearchSource returns the file of /etc/apt/sources.list.d with Meilisearch's repository. It is a flat repository without a signature
// (sources.list(5)), so TLS alone says whose packages these are.
func MeilisearchSource(arch string) string {
	return fmt.Sprintf("# Written by Hostler; changes are overwritten.\nTypes: deb\nURIs: https://apt.fury.io/meilisearch/\nSuites: /\nArchitectures: "+
		"%s\nTrusted: yes\n", arch)
}

// MeilisearchPin returns the file of /etc/apt/preferences.d that takes one package from that repository, and no other: a priority below zero is never
// installed, and a record that names a package goes before one of all packages (apt_preferences(5)).
func MeilisearchPin() string {
	return `# Written by Hostler; changes are overwritten.
Package: meilisearch
Pin: origin apt.fury.io
Pin-Priority: 500

Package: *
Pin: origin apt.fury.io
Pin-Priority: -1
`
}

// MeilisearchUnit returns the unit of Meilisearch, which reads its master key from a file of the environment that only root can read. In production mode it
// answers no request without a key but the one for its health.
func MeilisearchUnit(key string, port int) string {
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten.
[Unit]
Description=Meilisearch
After=network.target

[Service]
Environment=MEILI_ENV=production MEILI_NO_ANALYTICS=true MEILI_HTTP_ADDR=0.0.0.0:%d
Environment=MEILI_DB_PATH=/var/lib/meilisearch/data MEILI_DUMP_DIR=/var/lib/meilisearch/dumps MEILI_SNAPSHOT_DIR=/var/lib/meilisearch/snapshots
EnvironmentFile=%s
ExecStart=/usr/bin/meilisearch
DynamicUser=yes
StateDirectory=meilisearch
WorkingDirectory=/var/lib/meilisearch
Restart=on-failure
RestartSec=2s
LimitNOFILE=65536
PrivateDevices=yes
ProtectHome=yes

[Install]
WantedBy=multi-user.target
`, port, key)
}
