# SPDX-License-Identifier: GPL-2.0-only
"""Work for the guest: what takes a task of its kernel, which the thread ktraced does (firmware/include/emu/trace_work.h)."""

from __future__ import annotations

import enum
import errno
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import host_call
from emu.kernel.memory import GuestMemory
from emu.kernel.tasks import Tasks

__all__ = ["Work", "WorkKind"]

_SAME_EVERYWHERE = errno.ERANGE  # error numbers up to here are those of every Linux


class WorkKind(enum.Enum):
    """What is to be done, by its name in the guest's header, which says what the argument and the text are."""

    LOG = "TRACE_WORK_LOG"
    DUMP = "TRACE_WORK_DUMP"
    SYNCHRONIZE_RCU_TASKS = "TRACE_WORK_SYNCHRONIZE_RCU_TASKS"
    UPROBE_CREATE = "TRACE_WORK_UPROBE_CREATE"
    UPROBE_ENABLE = "TRACE_WORK_UPROBE_ENABLE"
    UPROBE_DISABLE = "TRACE_WORK_UPROBE_DISABLE"
    UPROBE_REMOVE = "TRACE_WORK_UPROBE_REMOVE"
    HWLAT_START = "TRACE_WORK_HWLAT_START"
    HWLAT_STOP = "TRACE_WORK_HWLAT_STOP"
    OSNOISE_START = "TRACE_WORK_OSNOISE_START"
    OSNOISE_STOP = "TRACE_WORK_OSNOISE_STOP"
    MMIOTRACE = "TRACE_WORK_MMIOTRACE"
    EVENT_REG = "TRACE_WORK_EVENT_REG"
    EVENT_UNREG = "TRACE_WORK_EVENT_UNREG"


class _Interrupt(Protocol):
    def __call__(self, *, again: bool) -> None: ...


@dataclass(frozen=True)
class _Piece:
    kind: int
    argument: int
    text: bytes
    on_done: Callable[[int], None]


class Work:
    """Pieces of work, which the guest does one after the other, in the order in which they were asked for.

    What is asked for while the guest boots waits for its thread. After the kernel's end nothing is done.

    Args:
        memory: of the guest.
        tasks: of the guest.
        interrupt: makes the guest look whether there is something for it. With `again` not at once: it has been made to look
            already.
        ended: called when there is no more work.

    Attributes:
        asked: how often work was asked for.
    """

    def __init__(self, memory: GuestMemory, tasks: Tasks, interrupt: _Interrupt, ended: Callable[[], None]) -> None:
        self._memory = memory
        self._tasks = tasks
        self._interrupt = interrupt
        self._when_ended = ended
        self._numbers = {kind: memory.image.constant(kind.value) for kind in WorkKind}
        self._waiting: deque[_Piece] = deque()
        self._under_way: _Piece | None = None
        self._thread: int | None = None  # the task that does the work. It looks for some first of all
        self._ended = False
        self._refusal: OSError | None = None
        self.asked = 0

    @property
    def busy(self) -> bool:
        """Whether there is work that is not done yet."""
        return bool(self._waiting) or self._under_way is not None

    def ask(
        self, kind: WorkKind, argument: int = 0, text: bytes = b"", on_done: Callable[[int], None] = lambda result: None
    ) -> None:
        """Has a piece of work done.

        Args:
            kind: what is to be done.
            argument: a number for it.
            text: bytes for it, up to the first NUL, and cut to what a struct trace_work has room for.
            on_done: called with the guest's result, or -errno, which the host numbers. It may ask for more work, but not run
                the machine.
        """
        if self._ended:
            return
        room = self._memory.image.size("trace_work.text") - 1
        told = bool(self._waiting)
        self._waiting.append(_Piece(self._numbers[kind], argument, text.split(b"\0")[0][:room], on_done))
        self.asked += 1
        if self._thread is not None:
            self._interrupt(again=told)

    def join(self) -> None:
        """Counts as asking while there is work: whoever wants what has been asked for already waits for it, too."""
        self.asked += self.busy

    def refuse(self, error: OSError) -> None:
        """Remembers why what was asked for cannot be: whoever waits for it is told, by `take_refusal`. The first error counts."""
        if self._refusal is None:
            self._refusal = error

    def take_refusal(self) -> OSError | None:
        """Why work that was asked for could not be done, since this was asked last; None: all could."""
        refusal, self._refusal = self._refusal, None
        return refusal

    def is_thread_of(self, cpu: Cpu) -> bool:
        """Whether a CPU runs the thread that does the work."""
        return self._thread is not None and self._tasks.find_current(cpu) == self._thread

    def give_up(self) -> None:
        """The kernel has ended: nobody waits any longer for what it has not done."""
        self._ended = True
        self._waiting.clear()
        self._under_way = None

    @host_call
    def trace_work_next(self, cpu: Cpu, address: int) -> int:
        """Whether a piece of work waits. Takes it, and stores it in the struct trace_work at `address`; at 0 only looks."""
        if address:
            self._thread = self._tasks.current(cpu)
        if not self._waiting:
            return 0
        if address:
            piece = self._waiting[0]
            self._memory.set_member(address, "trace_work.kind", piece.kind)
            self._memory.set_member(address, "trace_work.argument", piece.argument)
            self._memory.write(address + self._memory.image.offset("trace_work.text"), piece.text + b"\0")
            self._under_way = self._waiting.popleft()
        return 1

    def _errno(self, number: int) -> int:
        """The host's number of a guest's error; EIO for an error that the host does not know."""
        if number <= _SAME_EVERYWHERE:
            return number
        image = self._memory.image
        known = (code for code, name in errno.errorcode.items() if name in image.layout and image.constant(name) == number)
        return next(known, errno.EIO)

    @host_call
    def trace_work_done(self, cpu: Cpu, result: int) -> int:
        """Ends the piece that was taken last."""
        piece, self._under_way = self._under_way, None
        if piece is not None:
            piece.on_done(-self._errno((1 << 64) - result) if result >> 63 else result)
            if not self.busy:
                self._when_ended()
        return 0
