#!/bin/sh
# The first boot of a server that Hostler ordered: it runs the server's line until Hostler answers.
# Everything on the server can read this from the metadata service of its provider. The secret in it is worth nothing once Hostler has answered.

# No password opens root, and none has to be replaced before a key does.
usermod -p '*' root
chage -d "$(date +%Y-%m-%d)" -M 99999 root

command -v curl >/dev/null || { apt-get update && apt-get install -y curl; }
tries=0
until { @LINE@; }; do
  tries=$((tries + 1))
  [ "$tries" -lt 90 ] || exit 1
  sleep 10
done
