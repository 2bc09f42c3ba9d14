# SPDX-License-Identifier: GPL-2.0-only
"""The selected tasks that ran on each CPU, and when, without idle tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.trace.selection import Selection, selected
from emu.trace.switches import SWITCH, Runs, has_switches, runs
from emu.trace.trace import Trace

__all__ = ["on_cpus"]


def on_cpus(trace: Trace, selection: Selection, *, by_events: bool = False) -> Runs:
    """Runs according to sched_switch. `by_events`: without it, according to recorded events' tasks, which is less exact."""
    is_wanted = selection.events is None or SWITCH in selection.events if has_switches(trace) else by_events
    ran = runs(trace)
    chosen: NDArray[np.bool_] = (ran.pid != 0) & selected(ran.pid, ran.cpu, selection.pids or (), selection.cpus) & is_wanted
    if selection.start is not None:
        chosen &= ran.end >= np.uint64(selection.start)
    if selection.end is not None:
        chosen &= ran.start <= np.uint64(selection.end)
    return ran.take(chosen)
