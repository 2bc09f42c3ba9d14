# SPDX-License-Identifier: GPL-2.0-only
"""The native functions that run when the guest comes to a label of its .ftrace.text, by architecture.

Each module here has a function `build(guest, irqs_off)` that compiles them for one layout of the guest's structures.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Callback", "Callbacks"]


class Callback(NamedTuple):
    """A native function that runs when a block begins at a label."""

    label: str
    function: int  # address of void (*)(cpu, u64 address)


class Callbacks(NamedTuple):
    """What an architecture's build() returns: a callback for each purpose. The labels are the architecture's."""

    function_entry: Callback
    """At ftrace_caller, which sites call for the function tracer: records the function and its caller."""

    graph_entry: Callback
    """In ftrace_graph_caller: records the entry, and makes the function return to return_to_handler."""

    graph_return: Callback
    """At ftrace_return_to_handler: records the return, and makes the guest go on at the real return address."""

    sched_switch: Callback
    """ftrace_sched_switch(prev, next): the CPU switches to another task."""

    sched_process_fork: Callback
    """ftrace_sched_process_fork(parent, child): a task has a child, which does not run yet."""

    sched_process_free: Callback
    """ftrace_sched_process_free(task): the kernel frees a task."""
