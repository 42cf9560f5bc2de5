"""Reads changed paths, and prints the Go packages that they are in and those that import these, without the suites on hosts and in the browser."""
import json
import os
import re
import subprocess
import sys

apart = re.compile(r"/test/(e2e|chaos|attack|browser|hosts)(/|$)")
raw = subprocess.run(["go", "list", "-json=ImportPath,Dir,Deps,TestImports,XTestImports", "./..."], capture_output=True, text=True, check=True).stdout
packages, decoder, at = [], json.JSONDecoder(), 0
while at < len(raw):
    package, at = decoder.raw_decode(raw, at)
    packages.append(package)
    while at < len(raw) and raw[at].isspace():
        at += 1
by_dir = {os.path.relpath(p["Dir"]): p["ImportPath"] for p in packages}
changed = set()
for path in sys.stdin.read().split("\n"):
    if path in ("go.mod", "go.sum"):
        changed.update(by_dir.values())
    directory = os.path.dirname(path)
    while path and directory and directory not in by_dir:  # testdata, migrations, queries
        directory = os.path.dirname(directory)
    if path and directory in by_dir:
        changed.add(by_dir[directory])
for p in packages:
    uses = set(p.get("Deps") or []) | set(p.get("TestImports") or []) | set(p.get("XTestImports") or [])
    if (p["ImportPath"] in changed or uses & changed) and not apart.search(p["ImportPath"]):
        print(p["ImportPath"])
