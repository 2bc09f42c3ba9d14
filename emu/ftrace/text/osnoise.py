# SPDX-License-Identifier: GPL-2.0-only
"""The text of osnoise and timerlat: a line for each sample, and the column titles."""

from __future__ import annotations

import numpy as np

from emu.ftrace.buffers.entries import OSNOISE, TIMERLAT
from emu.ftrace.text.columns import Column
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["osnoise_header", "osnoise_raw", "osnoise_text", "timerlat_header", "timerlat_raw", "timerlat_text"]

_FLAGS = """\
#                                _-----=> irqs-off
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
"""
_OSNOISE_HEADER = _FLAGS + """\
#                              ||| / _-=> migrate-disable                         MAX
#                              |||| /     delay                                   SINGLE      Interference counters:
#                              |||||               RUNTIME      NOISE  %% OF CPU  NOISE    +-----------------------------+
#           TASK-PID      CPU# |||||   TIMESTAMP    IN US       IN US  AVAILABLE  IN US     HW    NMI    IRQ   SIRQ THREAD
#              | |         |   |||||      |           |             |    |            |      |      |      |      |      |
"""
_TIMERLAT_HEADER = _FLAGS + """\
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#                              |||||            ACTIVATION
#           TASK-PID      CPU# |||||   TIMESTAMP   ID            CONTEXT                 LATENCY
#              | |         |   |||||      |         |                  |                       |
"""
_COUNTS = ("hw_count", "nmi_count", "irq_count", "softirq_count", "thread_count")
_CONTEXTS = ("irq", "thread")


def osnoise_header(view: TraceView) -> str:
    return _OSNOISE_HEADER


def timerlat_header(view: TraceView) -> str:
    return _TIMERLAT_HEADER


def _lists(rows: Rows, layout: np.dtype[np.void], names: tuple[str, ...]) -> list[list[int]]:
    """The named fields of each row."""
    entries = rows.entries(layout)
    return [list(row) for row in zip(*(entries[name].tolist() for name in names), strict=True)]


def osnoise_text(view: TraceView, rows: Rows) -> Column:
    """`1000000     515723  48.42770    8635    289      0    133     44     15`. The third number is the available CPU in %."""
    lines = []
    for runtime, noise, longest, *counts in _lists(rows, OSNOISE, ("runtime", "noise", "max_sample", *_COUNTS)):
        left = (runtime - noise) * 10_000_000 // (runtime or 1) & (1 << 64) - 1
        percent = f"{left // 100_000:3}.{left % 100_000:05}"
        lines.append(f"{runtime} {noise:10} {percent} {longest:7}{''.join(f' {count:6}' for count in counts)}\n")
    return np.array(lines, np.object_)


def osnoise_raw(view: TraceView, rows: Rows) -> Column:
    """`1000000 515723 8635 289 0 133 44 15`"""
    fields = _lists(rows, OSNOISE, ("runtime", "noise", "max_sample", *_COUNTS))
    return np.array([" ".join(map(str, row)) + "\n" for row in fields], np.object_)


def timerlat_text(view: TraceView, rows: Rows) -> Column:
    """`#1     context    irq timer_latency    111995 ns`"""
    lines = []
    for number, context, latency in _lists(rows, TIMERLAT, ("seqnum", "context", "timer_latency")):
        name = _CONTEXTS[context] if 0 <= context < len(_CONTEXTS) else str(context)
        lines.append(f"#{number:<5} context {name:>6} timer_latency {latency:9} ns\n")
    return np.array(lines, np.object_)


def timerlat_raw(view: TraceView, rows: Rows) -> Column:
    """`1 0 111995`"""
    fields = _lists(rows, TIMERLAT, ("seqnum", "context", "timer_latency"))
    return np.array([" ".join(map(str, row)) + "\n" for row in fields], np.object_)
