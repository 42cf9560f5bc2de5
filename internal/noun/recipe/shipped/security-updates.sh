#!/bin/bash
# Installs pending security updates, as the weekly run does. Settings that were changed on the server stay as they are.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update
command -v unattended-upgrade >/dev/null || apt-get -y -o DPkg::Lock::Timeout=300 install unattended-upgrades
unattended-upgrade -v
if [ -e /run/reboot-required ]; then
  echo "A reboot is needed for:"
  sort -u /run/reboot-required.pkgs 2>/dev/null || true
fi
