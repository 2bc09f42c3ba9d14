# SPDX-License-Identifier: GPL-2.0-only
"""Opening a trace.dat and adding up time by function, against pandas on trace-cmd's text, in the same run.

    ./venv python benchmarks/sums.py [EVENTS]

The peer reads the output of `trace-cmd report -R`, in which each return has both of its times, with the fastest of pandas'
readers; the time to produce that text does not count. Each side is a process of its own, measured in processor time. The sums
must be equal. emu may take at most 0.5 times the peer's time. pandas must be installed (`pip install emu[pandas]`).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import CALLS, calls, pages, run, write

MOST = 0.5  # times the peer's processor time
EVENTS = 10_000_000
ROUNDS = 3  # the best one counts

OURS = """
import json, sys
from emu.trace import Trace
from emu.trace.function_times import function_times
print(json.dumps({row.function: [row.calls, row.total] for row in function_times(Trace.open(sys.argv[1]))}, sort_keys=True))
"""

THEIRS = """
import json, sys
import pandas
names = ["task", "cpu", "time", "event", "function", "depth", "overrun", "calltime", "rettime"]
lines = pandas.read_csv(sys.argv[1], sep=r"\\s+", names=names, skiprows=1, usecols=["event", "function", "calltime", "rettime"])
exits = lines[lines.event == "funcgraph_exit:"]
times = [exits[name].str.partition("=")[2].map(lambda digits: int(digits, 16)) for name in ("calltime", "rettime")]
sums = (times[1] - times[0]).groupby(exits.function.str.partition("=")[2]).agg(["count", "sum"])
print(json.dumps({function: [count, total] for function, count, total in sums.itertuples(name=None)}, sort_keys=True))
"""


def measure(events: int) -> None:
    if shutil.which("trace-cmd") is None:
        sys.exit("trace-cmd is not installed (on Debian: apt-get install trace-cmd)")
    with tempfile.TemporaryDirectory() as folder:
        path, text = Path(folder) / "trace.dat", Path(folder) / "report.txt"
        write(path, pages(CALLS, events, calls, 4, 1))
        with text.open("wb") as file:
            subprocess.run(["trace-cmd", "report", "-R", path], stdout=file, check=True)
        programs = ((OURS, path), (THEIRS, text))
        runs = [[run([sys.executable, "-c", program, str(file)]) for program, file in programs] for _ in range(ROUNDS)]
        assert len({sums for both in runs for _, sums in both}) == 1, "the sums differ"
        ours, theirs = (min(taken for taken, _ in program) for program in zip(*runs, strict=True))
        print(f"sums by function of {events:,} events, seconds of processor time")
        print(f"{'emu':>8}{'pandas':>12}{'ratio':>8}")
        print(f"{ours:8.2f}{theirs:12.2f}{ours / theirs:8.2f}")
        if ours > MOST * theirs:
            sys.exit(f"that is more than {MOST} times pandas'")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS)
