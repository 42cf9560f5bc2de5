#!/bin/sh
# hostler-allow ADDRESS: lets Hostler in from a new address, for when the panel moved and this server's firewall does not know
# where to. Run it as root on the console. It lasts until the rules are loaded again, which Hostler does once it is in.
set -eu

fail() { echo "hostler-allow: $*" >&2; exit 1; }

[ $# = 1 ] || fail "give one address: hostler-allow 192.0.2.7"
case $1 in
  '' | *[!0-9a-fA-F:.]*) fail "$1 is not an IPv4 or IPv6 address" ;;
  *:*) family=ip6 ;;
  *.*.*.*) family=ip ;;
  *) fail "$1 is not an IPv4 or IPv6 address" ;;
esac
[ "$(id -u)" = 0 ] || fail "run this as root"
port=$(sshd -T 2>/dev/null | sed -n 's/^port //p' | head -n 1)
nft insert rule inet hostler input "$family" saddr "$1" tcp dport "${port:-22}" accept comment '"hostler-allow"'
echo "hostler-allow: $1 may connect to port ${port:-22} now"
