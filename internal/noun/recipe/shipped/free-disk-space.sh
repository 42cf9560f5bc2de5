#!/bin/bash
# Removes what can be fetched again or nothing needs: downloaded packages, packages that nothing depends on, the journal above 500 MB.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
before=$(df --output=avail -B1 / | tail -n 1)
apt-get -y -o DPkg::Lock::Timeout=300 autoremove
apt-get clean
journalctl --vacuum-size=500M
find /var/log -xdev -type f -name '*.gz' -mtime +30 -print -delete
after=$(df --output=avail -B1 / | tail -n 1)
echo "$(((after - before) / 1024 / 1024)) MB more are free on /."
