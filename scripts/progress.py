"""Copies the events of go test -json from its input to a file, and says every few seconds what runs and what passed.

usage: go test -json … | progress.py FILE NAME
"""
import json
import sys
import threading
import time

EVERY = 10  # seconds

lock = threading.Lock()
passed, failed, skipped, running = 0, 0, 0, set()
began = time.monotonic()


def tell():
    with lock:
        names = sorted(p.split("/hostler/")[-1] for p in running)
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        minutes, seconds = divmod(int(time.monotonic() - began), 60)
        print(f"{sys.argv[2]} {minutes}m{seconds:02}s: {passed} passed, {failed} failed, {skipped} skipped; running: {', '.join(names[:4]) or 'building'}{more}", flush=True)


def repeat():
    while True:
        time.sleep(EVERY)
        tell()


threading.Thread(target=repeat, daemon=True).start()
with open(sys.argv[1], "a", encoding="utf-8") as log:
    for line in sys.stdin:
        log.write(line)
        try:
            e = json.loads(line)
        except ValueError:
            continue
        package, test, action = e.get("Package", ""), e.get("Test", ""), e.get("Action")
        with lock:
            if action == "start":
                running.add(package)
            elif action in ("pass", "fail", "skip") and not test:
                running.discard(package)
            elif action == "pass":
                passed += 1
            elif action == "skip":
                skipped += 1
            elif action == "fail":
                failed += 1
        if action == "fail" and test:
            print(f"{sys.argv[2]}: FAIL {package.split('/hostler/')[-1]} {test}", flush=True)
tell()
