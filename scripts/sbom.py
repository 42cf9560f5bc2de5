#!/usr/bin/env python3
"""sbom.py PROGRAM VERSION EPOCH: prints the parts of a Go program as CycloneDX 1.6, from what the linker recorded in it.

The programs that contain the dashboard list its packages as well, from web/package-lock.json.
"""

import datetime
import hashlib
import json
import subprocess
import sys
import uuid


def modules(program):
    """The modules in a program, and the version of Go."""
    lines = subprocess.run(["go", "version", "-m", program], check=True, capture_output=True, text=True).stdout.splitlines()
    go = lines[0].rsplit(" ", 1)[1].removeprefix("go")
    found = []
    for fields in (line.split("\t")[1:] for line in lines[1:]):
        if fields[0] == "dep":
            found.append(fields[1:4])
        elif fields[0] == "=>":  # replaces the one before
            found[-1] = fields[1:4]
    return go, found


def component(name, version, purl, digest=None):
    part = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if digest:
        part["properties"] = [{"name": "go:sum", "value": digest}]
    return part


def main(program, version, epoch):
    go, found = modules(program)
    parts = [component("std", go, f"pkg:golang/std@{go}")]
    for module in found:
        parts.append(component(module[0], module[1], f"pkg:golang/{module[0]}@{module[1]}", module[2] if len(module) > 2 else None))
    if "hostler-cli" not in program:
        with open("web/package-lock.json", encoding="utf-8") as file:
            for path, package in sorted(json.load(file)["packages"].items()):
                if path and not package.get("dev") and not package.get("optional"):
                    name = path.rsplit("node_modules/", 1)[1]
                    parts.append(component(name, package["version"], f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"))
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    time = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    json.dump({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, "sha256:" + digest)),
        "metadata": {"timestamp": time, "component": {
            "type": "application", "bom-ref": "hostler", "name": "hostler", "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}], "hashes": [{"alg": "SHA-256", "content": digest}]}},
        "components": parts,
    }, sys.stdout, indent=1)
    print()


main(*sys.argv[1:])
