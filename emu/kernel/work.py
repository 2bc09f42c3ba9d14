# SPDX-License-Identifier: GPL-2.0-only
"""Work that needs a task of the guest's kernel; its thread ktraced does it (firmware/include/emu/trace_work.h)."""

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

_SAME_EVERYWHERE = errno.ERANGE  # error numbers up to here are equal on every Linux


class WorkKind(enum.Enum):
    """The kinds of work, by their names in the guest's header, which describes the argument and the text."""

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
    """A queue of work for the guest, which does one piece after another.

    Work requested while the guest boots waits for its thread. After the kernel's end nothing is done.

    Args:
        memory: the guest's memory.
        tasks: the guest's tasks.
        interrupt: makes the guest check for work. With `again`, not at once, because the guest has checked before.
        ended: called when there is no work left.

    Attributes:
        asked: how many times work was requested.
    """

    def __init__(self, memory: GuestMemory, tasks: Tasks, interrupt: _Interrupt, ended: Callable[[], None]) -> None:
        self._memory = memory
        self._tasks = tasks
        self._interrupt = interrupt
        self._when_ended = ended
        self._numbers = {kind: memory.image.constant(kind.value) for kind in WorkKind}
        self._waiting: deque[_Piece] = deque()
        self._under_way: _Piece | None = None
        self._thread: int | None = None  # the task that does the work, known once it has asked for work
        self._ended = False
        self._refusal: OSError | None = None
        self.asked = 0

    @property
    def busy(self) -> bool:
        """Whether any work is unfinished."""
        return bool(self._waiting) or self._under_way is not None

    def ask(
        self, kind: WorkKind, argument: int = 0, text: bytes = b"", on_done: Callable[[int], None] = lambda result: None
    ) -> None:
        """Requests a piece of work.

        Args:
            kind: what to do.
            argument: a number for it.
            text: bytes for it, up to the first NUL, cut to the room in a struct trace_work.
            on_done: called with the guest's result, or -errno in the host's numbering. It may request more work, but must not run
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
        """Counts as a request while there is unfinished work, so that the caller waits for it too."""
        self.asked += self.busy

    def refuse(self, error: OSError) -> None:
        """Records why requested work cannot be done; whoever waits gets the error from `take_refusal`. The first error counts."""
        if self._refusal is None:
            self._refusal = error

    def take_refusal(self) -> OSError | None:
        """Why requested work could not be done, since the last call of this; None if nothing failed."""
        refusal, self._refusal = self._refusal, None
        return refusal

    def is_thread_of(self, cpu: Cpu) -> bool:
        """Whether a CPU runs the thread that does the work."""
        return self._thread is not None and self._tasks.find_current(cpu) == self._thread

    def give_up(self) -> None:
        """The kernel has ended: nobody waits for its unfinished work any longer."""
        self._ended = True
        self._waiting.clear()
        self._under_way = None

    @host_call
    def trace_work_next(self, cpu: Cpu, address: int) -> int:
        """Whether work is waiting. Takes a piece and stores it in the struct trace_work at `address`; address 0 only checks."""
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
        """The host's number for an error of the guest; EIO for an error that the host does not have."""
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
