#!/usr/bin/env python3
"""index.py VERSION PROGRAM...: prints the index of a release, which hostler update reads. A program is named hostler-SYSTEM-ARCHITECTURE."""
import datetime
import hashlib
import json
import os
import sys

version, programs = sys.argv[1], [p for p in sys.argv[2:] if not p.endswith(".json")]
# Signed again, with a release or without, before it expires: programs report an index that has expired, since newer ones may be withheld from them.
expires = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=180)).strftime("%Y-%m-%dT%H:%M:%SZ")
index = {"version": version, "changes": "https://github.com/hostlerhq/hostler/releases/tag/" + version, "expires": expires, "programs": {}}
for path in programs:
    name = os.path.basename(path)
    with open(path, "rb") as f:
        content = f.read()
    index["programs"][name.removeprefix("hostler-").replace("-", "/")] = {
        "name": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
print(json.dumps(index, indent=2, sort_keys=True))
