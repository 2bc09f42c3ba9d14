# SPDX-License-Identifier: GPL-2.0-only
"""How often `emu diff` finds something where only the seed differs: in all pairs of some runs of one command.

    ./venv python benchmarks/diff_alarms.py [--runs N] [--by path|function] [--level L]

The exit status is 1 if more pairs have changes than the level allows: more than in 99 of 100 such experiments, if pairs were
independent and each had a change with the level's probability.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

from scipy.stats import binom

from emu.trace import Trace
from emu.trace.comparison import compare

COMMAND = "busy 2 1; (echo a; sleep 0.002; echo b) | cat; ls /bin | sed s/a/b/ | wc -l"
RUNS = 21  # of which there are 210 pairs


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--by", choices=["path", "function"], default="path")
    parser.add_argument("--level", type=float, default=0.05)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        record = ["emu", "run", "--repeat", str(options.runs), "-p", "function_graph", "-b", "20000", "-o", str(runs)]
        subprocess.run([*record, "--", COMMAND], check=True, stderr=subprocess.DEVNULL)
        traces = [Trace.open(file) for file in sorted(runs.iterdir())]
        pairs = list(itertools.combinations(traces, 2))
        alarms = 0
        for number, (first, second) in enumerate(pairs, 1):
            found = compare([first], [second], by=options.by, level=options.level)
            alarms += bool(found.changes)
            if number % 30 == 0:
                print(f"{number} of {len(pairs)} pairs, {alarms} with changes", flush=True)
    most = int(binom.ppf(0.99, len(pairs), options.level))
    print(f"{alarms} of {len(pairs)} pairs have changes; a level of {options.level:g} allows {most}")
    if alarms > most:
        sys.exit(1)


if __name__ == "__main__":
    main()
