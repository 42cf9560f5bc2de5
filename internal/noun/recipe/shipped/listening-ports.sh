#!/bin/bash
# Reads only: what listens on which address, and the rules that let others in.
set -euo pipefail
ss -tulpn
echo
nft list ruleset
