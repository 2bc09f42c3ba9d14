# SPDX-License-Identifier: GPL-2.0-only
"""Tracing a command: trace arrays record from its execution on, or only the command and its children."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager

from emu.ftrace.arrays.trace_array import TraceArray

__all__ = ["following", "recording"]


@contextmanager
def recording(top: TraceArray, names: Collection[str]) -> Iterator[Callable[[], None]]:
    """Gives the body a function that turns tracing on in some trace arrays. At the end of the body tracing is off there.

    Until tracing is on, the arrays' triggers and commands are suspended.

    Args:
        top: the top trace array.
        names: the arrays' names; "" is the top one.

    Raises:
        KeyError: no trace array has this name.
    """

    def arrays() -> dict[str, TraceArray]:  # looked up each time: the guest may remove some
        found = {"": top, **top.instances}
        return {name: array for name, array in found.items() if name in names}

    def switch(on: bool) -> None:
        for array in arrays().values():
            array.recorder.held = False
            array.set_recording(on)

    if unknown := set(names) - set(arrays()):
        raise KeyError(f"there is no trace array {min(unknown)!r}")
    for array in arrays().values():
        array.recorder.held = not array.recorder.recording
    try:
        yield lambda: switch(True)
    finally:
        switch(False)


@contextmanager
def following(top: TraceArray) -> Iterator[Callable[[int], None]]:
    """Restricts the recording of functions and events to the tasks in set_ftrace_pid and set_event_pid during the body.

    The body gets a function that adds a task, by its pid, to both lists, in the top trace array and in its instances. Children of
    these tasks are added too. At the end, the lists and the options function-fork and event-fork are restored.
    """
    with ExitStack() as arrays:
        added = [arrays.enter_context(_following(array)) for array in (top, *top.instances.values())]

        def add(pid: int) -> None:
            for one in added:
                one(pid)

        yield add


@contextmanager
def _following(array: TraceArray) -> Iterator[Callable[[int], None]]:
    lists = (
        (array.recorder.pid_filter, "function-fork"),
        (array.recorder.event_pid_filter, "event-fork"),
    )
    before = [(pids.chosen, array.options[option]) for pids, option in lists]
    for pids, option in lists:
        pids.choose(pids.chosen or frozenset())
        array.set_option(option, True)

    def add(pid: int) -> None:
        for pids, _ in lists:
            pids.choose((pids.chosen or frozenset()) | {pid})

    try:
        yield add
    finally:
        for (pids, option), (chosen, followed) in zip(lists, before, strict=True):
            array.set_option(option, followed)
            pids.choose(chosen)
