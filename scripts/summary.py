"""Prints failures in full, skips by name, what took longest, and a closing line, from the events of go test -json.

usage: summary.py FILE [AGAIN]

A test that failed in FILE and passed in AGAIN, where failed tests were repeated alone, is named as unsteady.
"""
import json
import os
import sys

again = {}
if len(sys.argv) > 2 and os.path.exists(sys.argv[2]):
    for line in open(sys.argv[2], encoding="utf-8", errors="replace"):
        try:
            e = json.loads(line)
        except ValueError:
            continue
        if e["Action"] in ("pass", "fail", "skip") and e.get("Test") and "/" not in e["Test"]:
            key = (e["Package"], e["Test"])
            again[key] = again.get(key, True) and e["Action"] == "pass"
unsteady = {key for key, passed in again.items() if passed}
output, passed, failed, skipped, broken, times, running = {}, 0, [], [], [], [], {}
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    try:
        e = json.loads(line)
    except ValueError:
        broken.append(line)
        continue
    if e.get("Elapsed", 0) >= 20 and e["Action"] in ("pass", "fail") and "/" not in e.get("Test", ""):
        times.append((e["Elapsed"], e["Package"].split("/hostler/")[-1], e.get("Test", "")))
    if e["Action"] == "start":
        running[e["Package"]] = running.get(e["Package"], 0) + 1
    elif e["Action"] in ("pass", "fail", "skip") and not e.get("Test"):
        running[e["Package"]] = running.get(e["Package"], 0) - 1
    key = (e.get("Package") or e.get("ImportPath", ""), e.get("Test", ""))
    if e["Action"] in ("output", "build-output"):
        output.setdefault(key, []).append(e.get("Output", ""))
    elif e["Action"] == "build-fail":
        broken += output.get(key, [])
    elif e["Action"] == "pass" and key[1]:
        passed += 1
    elif e["Action"] == "skip" and key[1]:
        reason = " ".join(l.strip() for l in output.get(key, []) if not l.lstrip().startswith(("===", "---")))
        skipped.append((key, reason.strip()))
    elif e["Action"] == "fail":
        failed.append((key, e.get("FailedBuild", "")))
broken += [f"{package} did not end\n" for package, count in running.items() if count > 0]
for line in broken:
    sys.stdout.write(line)
for key, build in failed:
    if key[1] or build or not any(f[0][0] == key[0] and f[0][1] for f in failed):
        print("FAIL", *key)
        sys.stdout.write("".join(output.get(key, [])[-400:]))
for key, reason in skipped:
    print("skipped:", key[0].split("/hostler/")[-1], key[1], "-", reason)
if times:
    print("took longest:", ", ".join(" ".join(filter(None, [package, test, f"{seconds:.0f}s"])) for seconds, package, test in sorted(times, reverse=True)[:12]))
for package, test in sorted(unsteady):
    print(f"unsteady: {package.split('/hostler/')[-1]} {test} - failed beside the other tests, and passed when it was repeated alone")
# A package fails with its tests; what is left is what did not pass alone either.
packages = {key[0] for key, _ in failed if key[1]}
failed = [f for f in failed if (f[0][0], f[0][1].split("/")[0]) not in unsteady and (f[0][1] or f[0][0] not in packages)]
print(f"{passed} passed, {len(failed)} failed, {len(unsteady)} unsteady, {len(skipped)} skipped")
sys.exit(1 if failed or broken or not passed else 0)
