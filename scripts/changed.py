"""Reads changed paths, and prints the Go packages that they are in and those that import these, without the suites on hosts and in the browser; those
that take longest come first. A test, its data, or a page of the dashboard concern only the package that they are in."""
import json
import os
import re
import subprocess
import sys

import order

apart = re.compile(r"/test/(e2e|ways|chaos|attack|browser|hosts|cases)(/|$)")
raw = subprocess.run(["go", "list", "-json=ImportPath,Dir,Deps,TestImports,XTestImports", "./..."], capture_output=True, text=True, check=True).stdout
packages, decoder, at = [], json.JSONDecoder(), 0
while at < len(raw):
    package, at = decoder.raw_decode(raw, at)
    packages.append(package)
    while at < len(raw) and raw[at].isspace():
        at += 1
by_dir = {os.path.relpath(p["Dir"]): p["ImportPath"] for p in packages}
changed, alone = set(), set()  # what importers are tried with, and what only itself is tried for
for path in sys.stdin.read().split("\n"):
    if path in ("go.mod", "go.sum"):
        changed.update(by_dir.values())
    directory = os.path.dirname(path)
    while path and directory and directory not in by_dir:  # testdata, migrations, queries
        directory = os.path.dirname(directory)
    if path and directory in by_dir:
        own = path.endswith("_test.go") or "/testdata/" in path or path.startswith("web/") and not path.endswith(".go")
        (alone if own else changed).add(by_dir[directory])
found = []
for p in packages:
    uses = set(p.get("Deps") or []) | set(p.get("TestImports") or []) | set(p.get("XTestImports") or [])
    if (p["ImportPath"] in changed | alone or uses & changed) and not apart.search(p["ImportPath"]):
        found.append(p["ImportPath"])
print("\n".join(order.first(found)))
