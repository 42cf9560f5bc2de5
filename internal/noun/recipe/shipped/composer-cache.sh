#!/bin/bash
# Empties the caches of Composer and npm in the home of the sites.
set -euo pipefail
du -sh "$HOME/.cache/composer" "$HOME/.npm" 2>/dev/null || true
if command -v composer >/dev/null; then composer clear-cache --no-interaction; fi
if command -v npm >/dev/null; then npm cache clean --force; fi
