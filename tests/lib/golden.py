# SPDX-License-Identifier: GPL-2.0-only
"""What a real kernel printed: the files of tests/golden, each of which stands there once."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["GOLDEN", "golden_pages", "read_golden"]

GOLDEN = Path(__file__).resolve().parents[1] / "golden"

# What Linux printed again, byte for byte, with other options or at another time: as so many lines of another file.
_FIRST_LINES = {
    "file-snapshot.initial.txt": ("snapshot.freed.txt", 12),
    "function.txt": ("function.full20k.gz", 300),
    "function_graph.txt": ("function_graph.full20k.gz", 300),
    "function_graph-pidfilter.txt": ("function_graph-pidfilter.full20k.gz", 300),
    **{f"function_graph-opt-{option}.txt": ("function_graph.full20k.gz", 120)
       for option in ("hex", "raw", "sym-addr", "sym-offset", "verbose")},
    "function_graph-opt-latency-format+verbose.txt": ("function_graph-opt-latency-format.txt", 120),
    "nop-sched-opt-markers-off.txt": ("nop-sched-ls.txt", 120),
    "nop-userstacktrace-sym-userobj.txt": ("nop-userstacktrace.txt", 60),
    "snapshot.cleared.txt": ("snapshot.empty.txt", 12),
}  # fmt: skip
# The same without the header, but for its first line.
_WITHOUT_HEADER = {
    "function-opt-verbose.txt": ("function.full20k.gz", 120),
    "nop-sched-opt-verbose.txt": ("nop-sched-ls.txt", 120),
}


def read_golden(name: str) -> str:
    """A file's text, decompressed."""
    if name in _FIRST_LINES:
        of, count = _FIRST_LINES[name]
        return _first(read_golden(of), count)
    if name in _WITHOUT_HEADER:
        of, count = _WITHOUT_HEADER[name]
        return _first(re.sub(r"^#\n(#.*\n)+", "#\n", read_golden(of), count=1, flags=re.MULTILINE), count)
    path = GOLDEN / name
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()


def golden_pages(name: str) -> NDArray[np.uint8]:
    """Pages as a real kernel's trace_pipe_raw gave them, shape (n, 4096)."""
    return np.fromfile(GOLDEN / f"raw-{name}.cpu0.trace_pipe_raw.bin", np.uint8).reshape(-1, 4096)


def _first(text: str, count: int) -> str:
    return "".join(text.splitlines(keepends=True)[:count])
