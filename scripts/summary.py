"""Prints failures in full, skips by name, what took longest, and a closing line, from the events of go test -json."""
import json
import sys

output, passed, failed, skipped, broken, times = {}, 0, [], [], [], []
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    try:
        e = json.loads(line)
    except ValueError:
        broken.append(line)
        continue
    if e.get("Elapsed", 0) >= 20 and e["Action"] in ("pass", "fail") and "/" not in e.get("Test", ""):
        times.append((e["Elapsed"], e["Package"].split("/hostler/")[-1], e.get("Test", "")))
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
tests = sum(1 for f in failed if f[0][1])
print(f"{passed} passed, {max(tests, len(failed) and 1)} failed, {len(skipped)} skipped")
sys.exit(1 if failed or broken or not passed else 0)
