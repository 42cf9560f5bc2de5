"""Reads what go test -bench printed, several times over, and prints medians, spread and ratios as a table."""
import re
import statistics
import sys

# What a benchmark is compared with: the same work without Hostler, or the same list when it is short.
BESIDE = [
    (r"BenchmarkRead/(?!bare)", "BenchmarkRead/bare"),
    (r"BenchmarkCreate/(?!bare)", "BenchmarkCreate/bare"),
    (r"BenchmarkList/(\w+)/100000", r"BenchmarkList/\1/100"),
]


def main(path):
    seen, units = {}, {}
    for line in open(path, encoding="utf-8"):
        m = re.match(r"(Benchmark\S+?)(-\d+)?\s+\d+\s+(.*)", line)
        if not m:
            continue
        for value, unit in re.findall(r"([\d.]+) (\S+)", m.group(3)):
            seen.setdefault(m.group(1), {}).setdefault(unit, []).append(float(value))
            units[unit] = None
    if not seen:
        sys.exit("no benchmark was run")
    print("| benchmark | median | spread | allocations | beside | ratio of medians |")
    print("|---|---|---|---|---|---|")
    for name, values in seen.items():
        if "ns/op" not in values or live(values):
            continue
        times = values["ns/op"]
        median = statistics.median(times)
        beside, ratio = "", ""
        for pattern, other in BESIDE:
            m = re.match(pattern, name)
            if m:
                beside = m.expand(other)
                ratio = f"{median / statistics.median(seen[beside]['ns/op']):.2f}"
        allocations = statistics.median(values.get("allocs/op", [0]))
        print(f"| {name.removeprefix('Benchmark')} | {micro(median)} | {micro(min(times))} to {micro(max(times))} | {allocations:.0f} | {beside.removeprefix('Benchmark')} | {ratio} |")
    for name, values in seen.items():
        if live(values):
            print(f"\n{name.removeprefix('Benchmark')}: " + ", ".join(f"{statistics.median(v):g} {u}" for u, v in values.items()))


def live(values):
    """Whether a benchmark has figures of its own."""
    return any(unit.endswith("-ms") for unit in values)


def micro(ns):
    return f"{ns / 1e6:.2f} ms" if ns >= 1e6 else f"{ns / 1e3:.1f} µs"


main(sys.argv[1])
