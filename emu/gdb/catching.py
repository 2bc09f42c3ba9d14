# SPDX-License-Identifier: GPL-2.0-only
"""Stops where CPUs take traps: at the first instruction of the handler. `monitor catch` says for which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from emu.cpu.board import Board
from emu.gdb.arch import GdbArch
from emu.gdb.breakpoints import more_stops
from emu.gdb.handlers import Handlers
from emu.gdb.memory import Memory
from emu.history.stops import Breakpoint, Reason, StopReason
from emu.history.travel import Travel

__all__ = ["Catching"]


class Catching:
    """The traps that stop a machine which continues, forward or backward. Steps pass over handlers as ever.

    Args:
        travel: the machine.
        board: its board.
        memory: its memory.
    """

    def __init__(self, travel: Travel, board: Board, memory: Memory) -> None:
        self._travel, self._board, self._handlers = travel, board, Handlers(memory)
        self._arch: GdbArch = memory.arch
        self._kinds: set[int] = set()
        self._calls: set[int] = set()  # numbers of system calls; none: all, if this trap is caught

    def clear(self) -> None:
        """Catches none from now on."""
        self._kinds.clear()
        self._calls.clear()

    def choose(self, words: str) -> str:
        """Obeys `monitor catch`: catches traps with these names or numbers, too. Returns what is to be printed.

        `syscall:NUMBER` is a system call.

        Raises:
            ValueError: the architecture has no such trap.
        """
        kinds: set[int] = set()
        calls: set[int] = set()
        for word in words.split():
            name, colon, number = word.partition(":")
            kinds.update(self._kinds_of(name))
            if colon:
                calls.add(_number_of_call(name, number))
        self._kinds |= kinds
        self._calls |= calls
        if words:
            return f"{len(self._kinds)} kinds of traps stop\n"
        caught = ", ".join(self._name(kind) for kind in sorted(self._kinds)) or "none"
        return f"caught: {caught}\nnames: {', '.join(self._arch.traps)}\n"

    def _kinds_of(self, word: str) -> Iterable[int]:
        if word in self._arch.traps:
            return self._arch.traps[word]
        try:
            return (int(word, 0),)
        except ValueError:
            raise ValueError(f"'{word}' is no trap's name and no number: monitor catch lists the names") from None

    def _name(self, kind: int) -> str:
        found = next((name for name, kinds in self._arch.traps.items() if kind in kinds), None)
        return f"{kind:#x}" if found is None else f"{found} ({kind:#x})"

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """A context in which handlers of such traps stop the machine."""
        entries = {entry for cpu in self._board.cpus for entry in self._handlers.entries(cpu, self._kinds)}
        with more_stops(self._travel, map(Breakpoint, sorted(entries))):
            yield

    def caught(self, stopped: StopReason) -> str:
        """What to say if a machine has stopped at a trap that is to be caught; "": it has not."""
        cpu = self._board.cpus[stopped.cpu]
        if stopped.reason != Reason.BREAKPOINT or (trap := self._handlers.taken(cpu, self._kinds)) is None:
            return ""
        name = self._name(trap.kind)
        if trap.kind in self._arch.traps["syscall"]:
            number = self._arch.syscall_number(cpu)
            if self._calls and number not in self._calls:
                return ""
            name += f" {number}"
        return f"CPU {cpu.index} takes a trap, {name}; it goes on at {trap.pc:#x}.\n"


def _number_of_call(name: str, number: str) -> int:
    if name != "syscall" or not number.isdecimal():
        raise ValueError(f"'{name}:{number}' is no trap: syscall:NUMBER is a system call")
    return int(number)
