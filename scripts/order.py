"""Puts packages in the order in which their tests are started: those that take longest come first, so that none of them runs alone at the end.

usage: go list ./... | order.py
"""
import sys

# The ones that took longest, as make test says at its end, with what mostly waits (for hosts, a browser, timers) among what computes.
LONGEST = [
    "cmd/hostler",
    "internal/engine/job",
    "internal/noun/storage",
    "internal/engine/agent",
    "test/hosts",
    "internal/ground/db",
    "internal/app",
    "internal/engine/host",
    "internal/noun/notification",
    "internal/noun/sourcecontrol",
]


def first(packages):
    def rank(package):
        for i, name in enumerate(LONGEST):
            if package.endswith("/hostler/" + name):
                return i
        return len(LONGEST)

    return sorted(packages, key=rank)


if __name__ == "__main__":
    print("\n".join(first(sys.stdin.read().split())))
