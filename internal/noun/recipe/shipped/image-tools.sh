#!/bin/bash
# Installs ImageMagick, and its extension for each version of PHP that the server has.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update
packages=(imagemagick)
for dir in /etc/php/*/; do
  [ -d "$dir" ] || continue
  package=php$(basename "$dir")-imagick
  apt-cache show "$package" >/dev/null 2>&1 && packages+=("$package")
done
apt-get -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "${packages[@]}"
for dir in /etc/php/*/fpm/; do
  [ -d "$dir" ] || continue
  systemctl reload-or-restart "php$(basename "$(dirname "$dir")")-fpm"
done
