# SPDX-License-Identifier: GPL-2.0-only
"""Places in the guest kernel's .ftrace.tramp, in which the host puts code."""

from __future__ import annotations

import errno
from collections.abc import Callable

import numpy as np

from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.native.trace_values import PLACE_SIZE
from emu.kernel.kernel import Kernel
from emu.kernel.work import WorkKind
from emu.native.records import Values, u64

__all__ = ["Trampolines"]


class Trampolines:
    """The places of an image. Code takes as many as it needs, one behind the other.

    In a place that was released a task may still stand, which was preempted there. Such a place is used again only when no
    other is left, and its new code is written when the guest has waited until every task has slept, left the kernel, or
    ended (Linux: synchronize_rcu_tasks). Until then `busy` is true, and nobody must be led there.

    Args:
        kernel: with its image loaded.
        records: say what the code in each place stands for.

    Attributes:
        first: the address of the first place.
    """

    def __init__(self, kernel: Kernel, records: RecordLists) -> None:
        self._kernel = kernel
        self.first = kernel.image.symbol("__ftrace_tramp_start")
        places = (kernel.image.symbol("__ftrace_shared") - self.first) // PLACE_SIZE
        self._used = np.zeros(places, np.bool_)
        self._stands_for = np.zeros(places, np.uint64)
        for array in records.arrays:
            array.places, array.places_size = self.first, places * PLACE_SIZE
            array.stands_for = Values[u64](self._stands_for.ctypes.data)
        self._quiet_after = np.zeros(places, np.int64)  # the wait with which the tasks have left that may stand there
        self._asked = 0  # how many waits have begun, and how many are over
        self._over = 0
        self._sizes: dict[int, int] = {}  # places taken, by address
        self._late: dict[int, bytes] = {}  # code that is not written yet, by address
        self._on_ready: Callable[[], None] = lambda: None

    def __len__(self) -> int:
        """How many places there are."""
        return len(self._used)

    @property
    def waits(self) -> int:
        """How often the guest has been asked to wait until no task stands in released places."""
        return self._asked

    @property
    def busy(self) -> bool:
        """Whether there is code that is not written yet."""
        return bool(self._late)

    def on_ready(self, ready: Callable[[], None]) -> None:
        """Has `ready` called whenever all code has been written that had to wait."""
        self._on_ready = ready

    def allocate(self, size: int, stands_for: int = 0) -> int:
        """The address of places for so many bytes. `stands_for`: where backtraces show a CPU that is there; 0: there.

        Raises:
            TraceError: ENOMEM, when all places are in use.
        """
        count = max(-(-size // PLACE_SIZE), 1)
        for usable in (~self._used & self._quiet(), ~self._used) if count <= len(self._used) else ():
            begins = np.flatnonzero(np.lib.stride_tricks.sliding_window_view(usable, count).all(axis=1))
            if len(begins):
                first = int(begins[0])
                self._used[first : first + count] = True
                self._stands_for[first : first + count] = stands_for
                address = self.first + first * PLACE_SIZE
                self._sizes[address] = count
                return address
        raise TraceError(errno.ENOMEM, "all places for trampolines are in use")

    def write(self, address: int, code: bytes) -> None:
        """Puts code into the places at an address that `allocate` has returned: now, or when nobody stands there any more."""
        assert len(code) <= self._sizes[address] * PLACE_SIZE
        if self._quiet()[self._places(address)].all():
            self._put(address, code)
        else:
            self._late[address] = code
            self._wait()

    def release(self, address: int) -> None:
        """Nobody will be led to an address any more that `allocate` has returned."""
        places = self._places(address)
        self._used[places] = False
        if self._late.pop(address, None) is None:
            self._quiet_after[places] = self._asked + 1
        del self._sizes[address]

    def original(self, address: int) -> int:
        """What the code at an address stands for, or the address itself."""
        place = (address - self.first) // PLACE_SIZE
        return (int(self._stands_for[place]) if 0 <= place < len(self._stands_for) else 0) or address

    def _places(self, address: int) -> slice:
        first = (address - self.first) // PLACE_SIZE
        return slice(first, first + self._sizes[address])

    def _quiet(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each place: whether no task stands there."""
        return self._quiet_after <= self._over

    def _put(self, address: int, code: bytes) -> None:
        place = self._kernel.memory.physical(address)
        self._kernel.board.write_code(place, code)
        for cpu in self._kernel.board.cpus:
            cpu.forget(np.array([[place, place + len(code)]], np.uint64))

    def _wait(self) -> None:
        """Has the guest wait for the tasks that may stand in places released so far, unless it is waiting."""
        if self._asked == self._over:
            self._asked += 1
            self._kernel.work.ask(WorkKind.SYNCHRONIZE_RCU_TASKS, on_done=self._waited)

    def _waited(self, result: int) -> None:
        self._over = self._asked
        for address in [address for address in self._late if self._quiet()[self._places(address)].all()]:
            self._put(address, self._late.pop(address))
        if self._late:
            self._wait()
        else:
            self._on_ready()
