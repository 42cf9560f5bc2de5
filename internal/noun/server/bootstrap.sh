#!/bin/sh
# Makes this server known to Hostler: lets Hostler's key in as root and reports what the server is. It can be run again.
# Everything that Hostler does later goes over SSH; this script opens no port and leaves nothing running.
set -eu

key='@KEY@'
url='@URL@'

@LOOK@

fail() { echo "hostler: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || fail "run this as root (sudo -i first)"
[ -n "${HOSTLER_SECRET:-}" ] || fail "the secret is missing: paste the whole line"
for tool in curl sha256sum; do
  command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install -y curl coreutils"
done

# What Hostler could not manage is refused here, before anything is changed.
found=$(look '@FROM@' '@PORTS@')
refused=$(printf '%s\n' "$found" | sed -n 's/^refused [^|]*|/- /p')
if [ -n "$refused" ]; then
  printf 'hostler: %s\n' "This server can't be set up yet. Nothing was changed. Then run the command again:" >&2
  printf '%s\n' "$refused" >&2
  exit 1
fi

# HMAC-SHA256 (RFC 2104) with the tools of a minimal system. The secret is hexadecimal and shorter than a block.
block() { # block PAD: the secret, padded to 64 bytes, each byte xor PAD
  i=0
  while [ $i -lt 64 ]; do
    byte=$(printf %s "$HOSTLER_SECRET" | cut -c $((i * 2 + 1))-$((i * 2 + 2)))
    printf "\\$(printf %03o $((0x${byte:-00} ^ $1)))"
    i=$((i + 1))
  done
}
binary() { # hexadecimal on stdin to bytes
  hex=$(cat)
  while [ -n "$hex" ]; do
    rest=${hex#??}
    printf "\\$(printf %03o 0x"${hex%"$rest"}")"
    hex=$rest
  done
}
hmac() { { block 0x5c; { block 0x36; cat "$1"; } | sha256sum | cut -d ' ' -f 1 | binary; } | sha256sum | cut -d ' ' -f 1; }

# The port that people reach: systemd has it where it starts sshd, and then nothing need be in the settings of sshd.
ssh_port() {
  port=''
  if systemctl is-active --quiet ssh.socket 2>/dev/null; then
    port=$(systemctl show --property=Listen ssh.socket | sed -n 's/^Listen=.*:\([0-9]*\) (Stream)$/\1/p' | head -n 1)
  fi
  [ -n "$port" ] || port=$(sshd -T 2>/dev/null | sed -n 's/^port //Ip' | head -n 1)
  echo "$port"
}

umask 077
report=$(mktemp)
trap 'rm -f "$report"' EXIT
{
  for file in /etc/ssh/ssh_host_*_key.pub; do
    [ -r "$file" ] && echo "host-key $(cut -d ' ' -f 1,2 "$file")"
  done
  echo "ssh-port $(ssh_port)"
  (
    . /etc/os-release
    echo "os ${ID:-}"
    echo "os-version ${VERSION_ID:-}"
    echo "os-name ${PRETTY_NAME:-}"
  )
  case $(uname -m) in
    x86_64) echo "arch amd64" ;;
    aarch64) echo "arch arm64" ;;
    *) echo "arch $(uname -m)" ;;
  esac
  echo "hostname $(uname -n)"
  echo "memory-kb $(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)"
  echo "disk-kb $(df -kP / | sed -n '2s/^[^ ]* *\([0-9]*\).*/\1/p')"
} >"$report"

mkdir -p /root/.ssh
chmod 700 /root/.ssh
touch /root/.ssh/authorized_keys
chmod 600 /root/.ssh/authorized_keys
grep -qxF "$key" /root/.ssh/authorized_keys || printf '%s\n' "$key" >>/root/.ssh/authorized_keys

echo "hostler: telling $url what this server is, for up to 10 seconds"
answer=$(curl -sS --connect-timeout 10 --max-time 60 -w '\n%{http_code}' -H "X-Hostler-Signature: $(hmac "$report")" --data-binary @"$report" "$url") || fail "Hostler can't be reached at $url"
code=${answer##*
}
text=${answer%
*}
[ "$code" = 200 ] || fail "${text:-refused with status $code}"
echo "hostler: $text"
