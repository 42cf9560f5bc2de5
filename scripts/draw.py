"""Draws one in COUNT of the tests that it reads, others for each seed, and prints an expression for go test -run.

usage: grep -hoE '^func Test\\w+' … | draw.py COUNT SEED
"""
import hashlib
import sys

count, seed = int(sys.argv[1]), sys.argv[2]
names = {line.split()[-1] for line in sys.stdin if line.strip()} - {"TestMain"}


def drawn(name):
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:4], "big") % count == 0


print("^(" + "|".join(sorted(filter(drawn, names)) or ["none"]) + ")$")
