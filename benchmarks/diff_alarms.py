# SPDX-License-Identifier: GPL-2.0-only
"""How often `emu diff` reports a change although only the seed differs: some runs of one command are split at random into two
halves, again and again.

    ./venv python benchmarks/diff_alarms.py [--runs N] [--times N] [--by path|function] [--level L]

The exit status is 1 if more comparisons report changes than the level allows: more than 99 of 100 such experiments would have
if comparisons were independent and each reported a change with the probability of the level.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from scipy.stats import binom

from emu.trace import Trace
from emu.trace.comparison import compare

COMMAND = "busy 2 1; (echo a; sleep 0.002; echo b) | cat; ls /bin | sed s/a/b/ | wc -l"
RUNS, TIMES = 20, 100


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--by", choices=["path", "function"], default="path")
    parser.add_argument("--level", type=float, default=0.05)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        record = ["emu", "run", "--repeat", str(options.runs), "-p", "function_graph", "-b", "20000", "-o", str(runs)]
        subprocess.run([*record, "--", COMMAND], check=True, stderr=subprocess.DEVNULL)
        traces = [Trace.open(file) for file in sorted(runs.iterdir())]
        alarms, order = 0, random.Random(0)
        for number in range(1, options.times + 1):
            order.shuffle(traces)
            half = len(traces) // 2
            found = compare(traces[:half], traces[half:], by=options.by, level=options.level)
            alarms += bool(found.changes)
            if number % 20 == 0:
                print(f"{number} of {options.times} comparisons, {alarms} with changes", flush=True)
    most = int(binom.ppf(0.99, options.times, options.level))
    print(f"{alarms} of {options.times} comparisons have changes; a level of {options.level:g} allows {most}")
    if alarms > most:
        sys.exit(1)


if __name__ == "__main__":
    main()
