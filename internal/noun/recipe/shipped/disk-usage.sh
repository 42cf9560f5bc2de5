#!/bin/bash
# Reads only: file systems, inodes and the largest directories.
set -euo pipefail
echo "File systems"
df -hT -x tmpfs -x devtmpfs -x overlay || df -hT
echo
echo "Inodes"
df -hi -x tmpfs -x devtmpfs -x overlay || df -hi
echo
echo "Largest directories of /, on its own file system"
# A file that goes away meanwhile is no failure.
(du -xh --max-depth=3 / 2>/dev/null || true) | sort -rh | head -n 25 || true
