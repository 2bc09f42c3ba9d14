# SPDX-License-Identifier: GPL-2.0-only
"""Folds the calls in the text of `emu report -t` or `trace-cmd report -t`, a line at a time: the peer of convert.py.

    python3 benchmarks/fold_report.py REPORT FOLDED
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict

LINE = re.compile(
    r" *(.+)-(\d+) +\[(\d+)\] +[\d.]+: funcgraph_(entry|exit): +(?:[!#*$@+] )?(?:([\d.]+) us)? +\| +(?:(\w+)\(\)|\})"
)


def fold(report: str, folded: str) -> None:
    stacks: dict[str, list[tuple[str, int]]] = defaultdict(list)  # by task: the path of each open call, and its callees' time
    weights: dict[str, int] = defaultdict(int)
    with open(report) as lines:
        for line in lines:
            found = LINE.match(line)
            if found is None:
                continue
            task, pid, cpu, kind, duration, function = found.groups()
            stack = stacks[pid if pid != "0" else f"idle {cpu}"]
            if kind == "entry":
                path = f"{stack[-1][0] if stack else task};{function}"
                stack.append((path, 0))
                if duration is None:
                    continue
            if not stack:
                continue
            path, inner = stack.pop()
            nanoseconds = round(float(duration) * 1000)
            weights[path] += max(nanoseconds - inner, 0)
            if stack:
                stack[-1] = (stack[-1][0], stack[-1][1] + nanoseconds)
    with open(folded, "w") as out:
        out.writelines(f"{path} {weight}\n" for path, weight in sorted(weights.items()) if weight)


if __name__ == "__main__":
    fold(*sys.argv[1:])
