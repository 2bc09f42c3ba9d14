# SPDX-License-Identifier: GPL-2.0-only
"""A machine that stands still for a debugger, whatever it is asked."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from emu.gdb import arch
from emu.gdb.libraries import Library
from emu.gdb.memory import Memory
from emu.gdb.monitor import Monitor, Views
from emu.gdb.stub import Stub
from emu.gdb.wire import Wire
from emu.history.stops import Instant, Reason, Stop, StopReason
from emu.history.travel import Travel
from emu.machine import Machine

__all__ = ["Loaded", "Standing", "stub_of"]


class Standing(Travel):
    """Notes what it is asked for.

    Attributes:
        asked: the names of the methods called, with their arguments.
        next: why it stops next.
    """

    def __init__(self, machine: Machine) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.next = StopReason(Reason.STEP, Instant(0), 0)
        self._stops: set[Stop] = set()
        self.board = machine.board

    now = first = last = property(lambda self: Instant(1000))
    nanoseconds = property(lambda self: 14_349_000)
    cpu = branch = property(lambda self: 0)

    @property
    def stops(self) -> frozenset[Stop]:
        return frozenset(self._stops)

    def add(self, *stops: Stop) -> None:
        self._stops.update(stops)

    def remove(self, *stops: Stop) -> None:
        self._stops.difference_update(stops)

    def begin(
        self, command: str | Sequence[str], stdin: bytes | None = b"", on_exec: Callable[[int], None] | None = None
    ) -> None:
        self.asked.append(("begin", command, stdin))

    def type(self, data: bytes) -> None:
        self.asked.append(("type", data))

    def go(self, limit: int | None = None, interrupted: Callable[[], bool] = lambda: False) -> StopReason:
        self.asked.append(("go", self.stops))
        return self.next

    def step(self, cpu: int, count: int = 1, interrupted: Callable[[], bool] = lambda: False) -> StopReason:
        self.asked.append(("step", cpu, self.stops))
        return self.next

    def back(self, interrupted: Callable[[], bool] = lambda: False) -> StopReason:
        self.asked.append(("back", self.stops))
        return self.next

    def back_step(self, cpu: int, count: int = 1) -> StopReason:
        self.asked.append(("back_step", cpu))
        return self.next

    def goto(self, time: int | Instant) -> StopReason:
        self.asked.append(("goto", time))
        return self.next

    @contextmanager
    def changing(self) -> Iterator[bool]:
        self.asked.append(("changing",))
        yield True


class Loaded:
    """Libraries that a test changes."""

    watched: Sequence[int] = (0x5000,)

    def __init__(self) -> None:
        self.libraries: list[Library] = []

    def loaded(self) -> Sequence[Library]:
        return self.libraries


def stub_of(machine: Machine, travel: Standing, libraries: Loaded | None = None) -> tuple[Stub, socket.socket]:
    """A stub without a server, and the client's end of its connection."""
    ours, client = socket.socketpair()
    door = socket.create_server(("127.0.0.1", 0))
    memory = Memory(machine.board, arch.load(machine.board.arch.name))
    views = Views(lambda path: iter([b"the trace\n"]), lambda: iter(["init"]), lambda: iter(()))
    wire = Wire(ours, door, lambda: None)
    return Stub(machine.board, machine.cpus, travel, Monitor(travel, memory, views), wire, libraries), client
