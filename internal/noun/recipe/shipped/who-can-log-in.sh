#!/bin/bash
# Reads only: accounts with a shell, their keys, and the newest logins.
set -euo pipefail
while IFS=: read -r name _ uid _ _ home shell; do
  case $shell in */nologin | */false | */sync) continue ;; esac
  echo "$name (uid $uid, $shell)"
  keys=$home/.ssh/authorized_keys
  if [ -s "$keys" ]; then
    ssh-keygen -lf "$keys" 2>/dev/null | sed 's/^/  /' || true
  else
    echo "  no keys"
  fi
done </etc/passwd
echo
echo "In the group sudo: $(getent group sudo | cut -d: -f4)"
echo
echo "Newest logins"
journalctl -q --no-pager -n 20 -t sshd -t sshd-session -g 'Accepted ' || echo "none in the journal"
