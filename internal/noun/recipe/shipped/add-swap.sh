#!/bin/bash
# Adds a swap file of 2 GB at /swapfile, where there is no swap yet and 4 GB are free.
set -euo pipefail
if [ -n "$(swapon --show --noheadings)" ]; then
  echo "There is swap already:"
  swapon --show
  exit 0
fi
if [ -e /swapfile ]; then
  echo "/swapfile exists and is not in use; look at it first." >&2
  exit 1
fi
if [ "$(df --output=avail -B1 / | tail -n 1)" -lt $((4 * 1024 * 1024 * 1024)) ]; then
  echo "Less than 4 GB are free on /." >&2
  exit 1
fi
trap 'swapoff /swapfile 2>/dev/null || true; rm -f /swapfile' ERR
install -m 600 /dev/null /swapfile
dd if=/dev/zero of=/swapfile bs=1M count=2048 status=none
mkswap /swapfile
swapon /swapfile
grep -qE '^/swapfile[[:space:]]' /etc/fstab || echo '/swapfile none swap sw 0 0' >>/etc/fstab
swapon --show
