"""Lists the tests that failed in the events of go test -json, to be repeated alone: a line each with TIER, PACKAGE, TEST and the seeds that it printed.

usage: again.py FILE.TIER …

It lists none where the failure can't come from a busy machine: a race between goroutines, a panic, a package that does not compile or ends without a
failing test, or more than MOST tests.
"""
import json
import re
import sys

MOST = 5
certain = re.compile(r"DATA RACE|^panic: |^fatal error: ", re.M)
tests = []
for file in sys.argv[1:]:
    output, failed = {}, {}
    try:
        lines = open(file, encoding="utf-8", errors="replace")
    except FileNotFoundError:
        continue
    for line in lines:
        try:
            e = json.loads(line)
        except ValueError:
            sys.exit()
        package, test = e.get("Package", ""), e.get("Test", "").split("/")[0]
        if e["Action"] == "build-fail":
            sys.exit()
        if e["Action"] == "output":
            output[package, test] = output.get((package, test), "") + e["Output"]
        elif e["Action"] == "fail":
            failed.setdefault(package, set()).add(test)
    for package, names in failed.items():
        names -= {""}
        if not names or certain.search(output.get((package, ""), "")):
            sys.exit()
        for test in sorted(names):
            said = output.get((package, test), "")
            if certain.search(said):
                sys.exit()
            seeds = dict(re.findall(r"\b(HOSTLER_\w*SEED)=(\w+)", output.get((package, ""), "") + said))
            tests.append("\t".join([file.rsplit(".", 1)[1], package, test, *(f"{name}={value}" for name, value in seeds.items())]))
if len(tests) <= MOST:
    for line in tests:
        print(line)
