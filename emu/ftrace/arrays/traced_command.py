# SPDX-License-Identifier: GPL-2.0-only
"""What trace arrays do while a command runs: they record from its execution on, and keep to it and its children."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager

from emu.ftrace.arrays.trace_array import TraceArray

__all__ = ["following", "recording"]


@contextmanager
def recording(top: TraceArray, names: Collection[str]) -> Iterator[Callable[[], None]]:
    """The body gets a function that turns tracing on in some trace arrays. At the end of the body it is off there.

    Until it is on, their triggers and commands wait, too.

    Args:
        top: the top trace array.
        names: of the arrays; "" is the top one.

    Raises:
        KeyError: a name that no trace array has.
    """

    def arrays() -> dict[str, TraceArray]:  # the guest may remove some
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
    """See `TraceArray.following`, of the top trace array and its instances."""
    with ExitStack() as arrays:
        added = [arrays.enter_context(array.following()) for array in (top, *top.instances.values())]

        def add(pid: int) -> None:
            for one in added:
                one(pid)

        yield add
