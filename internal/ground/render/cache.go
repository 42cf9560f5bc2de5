package render

import (
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// CacheInput is an account's own Redis or Memcached.
type CacheInput struct {
	User value.UnixUser
	Port value.Port
	// Name is what the program of RedisUnit is called, Redis or Valkey, and Program its path.
	Name, Program string
}

// RedisUnitName and MemcachedUnitName return the units of an account's own caches.
func RedisUnitName(u value.UnixUser) string { return "hostler-redis-" + u.String() + ".service" }

func MemcachedUnitName(u value.UnixUser) string {
	return "hostler-memcached-" + u.String() + ".service"
}

// RedisUnit returns the unit of an account's own Redis, or Valkey. It runs as that account: whatever a client does with it (CONFIG SET dir,
// MODULE LOAD, a script), it has no power beyond the account's, and less, since it can write only in its own directory.
func RedisUnit(in CacheInput) (string, error) {
	if in.Name == "" || in.Program == "" {
		return "", errors.New("a cache needs a program")
	}
	return cacheUnit(in, in.Name, fmt.Sprintf(`Type=notify
ExecStart=%[3]s --port %[1]s --bind 127.0.0.1 -::1 --supervised systemd --daemonize no --dir /var/lib/hostler-redis/%[2]s
StateDirectory=hostler-redis/%[2]s
StateDirectoryMode=0700
`, in.Port, in.User, in.Program))
}

// MemcachedUnit returns the unit of an account's own Memcached, which is limited to 64 MB.
func MemcachedUnit(in CacheInput) (string, error) {
	return cacheUnit(in, "Memcached", fmt.Sprintf(`Type=simple
ExecStart=/usr/bin/memcached -p %s -l 127.0.0.1 -U 0 -m 64
`, in.Port))
}

func cacheUnit(in CacheInput, title, service string) (string, error) {
	if in.User.IsZero() || in.User.String() == "root" || in.Port.IsZero() {
		return "", errors.New("a cache needs an account and a port")
	}
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten.
[Unit]
Description=Hostler: %s of %s
After=network.target

[Service]
%sUser=%[2]s
Group=%[2]s
Restart=always
RestartSec=1
LimitNOFILE=65535
UMask=0077
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
PrivateTmp=yes
PrivateDevices=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX

[Install]
WantedBy=multi-user.target
`, title, in.User, service), nil
}
