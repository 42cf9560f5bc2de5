#!/bin/bash
# Upgrades every package within the release, PHP and databases as well: their services restart. Settings that were changed on the server stay as
# they are.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update
apt-get -y -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold upgrade
if [ -e /run/reboot-required ]; then
  echo "A reboot is needed for:"
  sort -u /run/reboot-required.pkgs 2>/dev/null || true
fi
