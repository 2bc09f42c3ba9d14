# SPDX-License-Identifier: GPL-2.0-only
"""Going to the instant at which an event was recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, Self

from emu.history.stops import Instant, Reason
from emu.history.travel import Travel

__all__ = ["EventPlace", "NotReached", "reach"]

_BEFORE = 1_000_000  # nanoseconds before the event; up to there, the machine keeps checkpoints


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


class Reader(Protocol):
    """What reads a trace's buffers."""

    def latest_time(self, cpu: int) -> int:
        """The time of the event that a CPU has recorded last, in nanoseconds of virtual time; 0: none."""


class Recording(Protocol):
    """A trace array."""

    @property
    def instances(self) -> Mapping[str, Self]:
        """Those below it, by name."""

    @property
    def reader(self) -> Reader:
        """Reads its buffers."""


class NotReached(LookupError):
    """The run does not come to the instant."""


def reach(travel: Travel, event: EventPlace, top: Recording) -> None:
    """Goes to the instant at which an event is about to be recorded: to the instruction at which that happens.

    Args:
        travel: a machine without stops. Its present instant is before the event.
        event: the event.
        top: the machine's top trace array.

    Raises:
        NotReached: there is no such CPU, or it does not record at the time.
        KeyError: there is no such instance.
    """
    array = top.instances[event.array] if event.array else top

    def recorded() -> bool:
        return array.reader.latest_time(event.cpu) >= event.time

    if event.cpu >= len(travel.board.cpus):
        raise NotReached(f"the machine has no CPU {event.cpu}")
    if recorded() or travel.nanoseconds > event.time:
        raise NotReached(f"{event.time / 10**9:.9f} s is before the command")
    begun, missing = travel.now, NotReached(f"CPU {event.cpu} records nothing at {event.time / 10**9:.9f} s")
    if travel.nanoseconds < event.time - _BEFORE:
        while travel.go(limit=event.time - _BEFORE).reason == Reason.ENDED:
            pass
    cycle = -(-1_000_000_000 // travel.board.frequency)
    with travel.replay.looking_ahead():
        travel.goto(event.time + cycle)
        if not recorded():
            raise missing
        turn = travel.now.turn - 1  # the last one that has begun
        while travel.goto(max(Instant(turn), begun)) and recorded():
            turn -= 1
        place = _in_turn(travel, max(turn, begun.turn), recorded)
    travel.goto(place)


def _in_turn(travel: Travel, turn: int, recorded: Callable[[], bool]) -> Instant:
    """The instruction in a turn at which the event is recorded."""
    replay = travel.replay
    replay.to_block(turn, 1)
    place = travel.now
    while replay.next_block() and not recorded():
        place = travel.now
    travel.goto(place)
    instruction = place
    while replay.show_next() and not recorded():
        instruction = travel.now
    return instruction
