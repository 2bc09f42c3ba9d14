# SPDX-License-Identifier: GPL-2.0-only
"""Going to the instant at which an event was recorded: where a CPU's clock comes to the event's time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.history.stops import Instant, Reason
from emu.history.travel import Travel

__all__ = ["EventPlace", "NotReached", "reach"]

_BEFORE = 1_000_000  # nanoseconds that the machine runs last, again and again
_NEAR = 64  # instructions between where the clock comes to an event's time, and where the event is recorded


class EventPlace(NamedTuple):
    """Where an event is in a trace.

    Attributes:
        time: its time, in nanoseconds of virtual time.
        cpu: the index of the CPU that recorded it.
        array: the name of the instance that recorded it; "" is the top one.
    """

    time: int
    cpu: int
    array: str = ""


class NotReached(LookupError):
    """The run does not come to the instant."""


def reach(travel: Travel, event: EventPlace, recorded: Callable[[], bool]) -> None:
    """Goes to the instant at which an event is about to be recorded: to the instruction at which that happens.

    Args:
        travel: a machine without stops. Its present instant is before the event.
        event: the event.
        recorded: whether the machine has recorded it.

    Raises:
        NotReached: there is no such CPU, or its clock does not come to the time.
    """
    _to_clock(travel, event.time, event.cpu)
    for _ in range(_NEAR):
        if recorded() or travel.step(event.cpu).reason != Reason.STEP:
            break
    for _ in range(_NEAR):
        if not recorded() or travel.back_step(event.cpu).reason != Reason.STEP:
            return


def _to_clock(travel: Travel, time: int, cpu: int) -> None:
    """Goes to the earliest instant at which a CPU's clock is at a time or past it. It advances where a block begins."""
    board = travel.board
    if not 0 <= cpu < len(board.cpus):
        raise NotReached(f"the machine has no CPU {cpu}")
    clock = -(-time * board.frequency // 1_000_000_000)
    if travel.nanoseconds < time - _BEFORE:
        while travel.go(limit=time - _BEFORE).reason == Reason.ENDED:
            pass
    travel.goto(-(-(clock + 1) * 1_000_000_000 // board.frequency))
    if board.cpus[cpu].cycles < clock:
        raise NotReached(f"CPU {cpu} does not come to {time / 10**9:.9f} s")
    behind = travel.now
    earlier, later = 0, 1  # steps back: with `earlier` of them the clock is at the time or past it, with `later` of them before
    while _clock_before(travel, behind, cpu, later) >= clock:
        if travel.now <= travel.first:
            raise NotReached(f"CPU {cpu} was past {time / 10**9:.9f} s when the history began")
        earlier, later = later, 2 * later
    while later - earlier > 1:
        between = (earlier + later) // 2
        if _clock_before(travel, behind, cpu, between) >= clock:
            earlier = between
        else:
            later = between
    _clock_before(travel, behind, cpu, earlier)


def _clock_before(travel: Travel, behind: Instant, cpu: int, steps: int) -> int:
    """Goes so many steps of a CPU back from an instant. Returns the CPU's clock there, in cycles."""
    travel.goto(behind)
    if steps:
        travel.back_step(cpu, steps)
    return travel.board.cpus[cpu].cycles
