# SPDX-License-Identifier: GPL-2.0-only
"""What acts when the guest comes to a label of its .ftrace.text, by architecture.

Each module here has a function `build(guest, irqs_off)` that compiles it for one layout of the guest's structures.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Callback", "Callbacks"]


class Callback(NamedTuple):
    """What acts when a block begins at a label."""

    label: str
    function: int  # address of void (*)(cpu, u64 address)


class Callbacks(NamedTuple):
    """What an architecture's build() returns: what acts for each purpose, and at which label of the architecture's."""

    function_entry: Callback
    """At ftrace_caller, which sites call for the function tracer: finds function and caller, and has them recorded."""

    graph_entry: Callback
    """Where ftrace_graph_caller leads: has the entry recorded, and the function return to return_to_handler."""

    graph_return: Callback
    """Where return_to_handler leads: has the return recorded, and the guest go on at the real return address."""

    sched_switch: Callback
    """ftrace_sched_switch(prev, next): the CPU goes over to another task."""

    sched_process_fork: Callback
    """ftrace_sched_process_fork(parent, child): a task has a child, which does not run yet."""

    sched_process_free: Callback
    """ftrace_sched_process_free(task): nothing is left of a task."""
