#!/bin/sh
# hostler-allow ADDRESS: lets Hostler in from a new address, for when the panel moved and this server's firewall does not know
# where to. Run it as root on the console. It lasts until the rules are loaded again, which Hostler does once it is in.
set -eu
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL

fail() { echo "hostler-allow: $*" >&2; exit 1; }

# nft asks the DNS about what it does not know as an address, so that it gets nothing but one.
is_ip4() {
  case $1 in
    *[!0-9.]* | .* | *. | *..*) return 1 ;;
  esac
  parts=0
  rest=$1.
  while [ -n "$rest" ]; do
    part=${rest%%.*}
    rest=${rest#*.}
    parts=$((parts + 1))
    case $part in
      0 | [1-9] | [1-9][0-9] | 1[0-9][0-9] | 2[0-4][0-9] | 25[0-5]) ;;
      *) return 1 ;;
    esac
  done
  [ "$parts" = 4 ]
}

# Up to eight groups of up to four digits; "::" once, in place of at least one.
is_ip6() {
  case $1 in
    *[!0-9a-fA-F:]* | *:::* | *::*::* | :[!:]* | *[!:]: | :) return 1 ;;
  esac
  groups=0
  rest=$1:
  while [ -n "$rest" ]; do
    group=${rest%%:*}
    rest=${rest#*:}
    case $group in
      ?????*) return 1 ;;
      ?*) groups=$((groups + 1)) ;;
    esac
  done
  case $1 in
    *::*) [ "$groups" -lt 8 ] ;;
    *) [ "$groups" = 8 ] ;;
  esac
}

[ $# = 1 ] || fail "give one address: hostler-allow 192.0.2.7"
if is_ip4 "$1"; then
  family=ip
elif is_ip6 "$1"; then
  family=ip6
else
  fail "$1 is not an IPv4 or IPv6 address"
fi
case $1 in
  0.* | 127.* | 22[4-9].* | 23?.* | 2[45]?.* | :: | ::1 | [fF][fF]??:*) fail "$1 is not an address of another machine" ;;
esac
[ "$(id -u)" = 0 ] || fail "run this as root"
port=$(sshd -T 2>/dev/null | sed -n 's/^port //Ip' | head -n 1)
nft list chain inet hostler input >/dev/null 2>&1 || fail "Hostler's firewall is not loaded here, so it blocks nothing"
nft insert rule inet hostler input "$family" saddr "$1" tcp dport "${port:-22}" accept comment '"hostler-allow"'
echo "hostler-allow: $1 may connect to port ${port:-22} now"
