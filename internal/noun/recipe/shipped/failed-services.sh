#!/bin/bash
# Reads only: units that failed, with the end of their journal, and the errors of the last day.
set -euo pipefail
systemctl --failed --no-pager
systemctl --failed --plain --no-legend --no-pager | while read -r unit _; do
  echo
  echo "$unit"
  journalctl -q --no-pager -n 20 -u "$unit"
done
echo
echo "Errors of the last day"
journalctl -q --no-pager -p err --since -24h -n 100
