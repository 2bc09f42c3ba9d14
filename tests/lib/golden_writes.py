# SPDX-License-Identifier: GPL-2.0-only
"""What Linux 6.1 answered to writes into the files of its tracefs."""

from __future__ import annotations

import errno
import re
from pathlib import Path

__all__ = ["golden_writes"]

_GOLDEN = Path(__file__).resolve().parents[1] / "golden"

# Of the files that the golden wrote to, those that this tree has. (Its trace_marker was closed by tracing_cpumask.)
_FILES = {
    "available_tracers", "buffer_size_kb", "current_tracer", "dynamic_events", "events/enable",
    "events/sched/sched_switch/enable", "kprobe_events", "max_graph_depth", "options/sym-addr", "saved_cmdlines_size",
    "set_event", "set_ftrace_filter", "set_ftrace_pid", "set_graph_function", "snapshot", "synthetic_events", "trace_clock",
    "trace_options", "tracing_on",
}  # fmt: skip


def golden_writes() -> list[tuple[str, str, int]]:
    """Every `echo VALUE > FILE` that was tried on Linux 6.1, with the errno of its write (0: taken)."""
    text = (_GOLDEN / "error-writes.txt").read_text()
    tried = re.findall(r"^# echo '(.*)' > (\S+)\n(?:sh.*\n)+write\(1, .*\) += (\d+|-1 (\w+))", text, re.MULTILINE)
    return [
        (path, value, getattr(errno, name) if name else 0)
        for value, path, _, name in tried
        if path in _FILES and value != ":mod:nosuch"  # which waits for modules
    ]
