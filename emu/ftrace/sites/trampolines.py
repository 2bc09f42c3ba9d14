# SPDX-License-Identifier: GPL-2.0-only
"""Places in the guest kernel's .ftrace.tramp for the host's code."""

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
    """The places of an image. Code takes as many adjacent places as it needs.

    A task that was preempted in a place may still be there after the place is released. A released place is reused only when no
    other is left. Its new code is written once the guest has waited for every task to sleep, to leave the kernel or to end
    (Linux: synchronize_rcu_tasks). Until then `busy` is true, and no CPU may be sent there.

    Args:
        kernel: with its image loaded.
        records: what the code in each place stands for.

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
        self._quiet_after = np.zeros(places, np.int64)  # the number of the wait after which no task is left in the place
        self._asked = 0  # how many waits have started, and how many have ended
        self._over = 0
        self._sizes: dict[int, int] = {}  # places taken, by address
        self._late: dict[int, bytes] = {}  # code that is not written yet, by address
        self._on_ready: Callable[[], None] = lambda: None

    def __len__(self) -> int:
        """The number of places."""
        return len(self._used)

    @property
    def waits(self) -> int:
        """How many times the guest has been asked to wait until no task is in the released places."""
        return self._asked

    @property
    def busy(self) -> bool:
        """Whether there is code that is not written yet."""
        return bool(self._late)

    def on_ready(self, ready: Callable[[], None]) -> None:
        """Calls `ready` whenever all delayed code has been written."""
        self._on_ready = ready

    def allocate(self, size: int, stands_for: int = 0) -> int:
        """The address of places for so many bytes. `stands_for`: the address that backtraces show for a CPU there; 0: its real
        address.

        Raises:
            TraceError: ENOMEM if all places are in use.
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
        """Writes code to the places at an address that `allocate` returned: now, or when no task is there any more."""
        assert len(code) <= self._sizes[address] * PLACE_SIZE
        if self._quiet()[self._places(address)].all():
            self._put(address, code)
        else:
            self._late[address] = code
            self._wait()

    def release(self, address: int) -> None:
        """Releases the places at an address that `allocate` returned. No CPU may be sent there any more."""
        places = self._places(address)
        self._used[places] = False
        if self._late.pop(address, None) is None:
            self._quiet_after[places] = self._asked + 1
        del self._sizes[address]

    def original(self, address: int) -> int:
        """The address that the code at an address stands for, or the address itself."""
        place = (address - self.first) // PLACE_SIZE
        return (int(self._stands_for[place]) if 0 <= place < len(self._stands_for) else 0) or address

    def _places(self, address: int) -> slice:
        first = (address - self.first) // PLACE_SIZE
        return slice(first, first + self._sizes[address])

    def _quiet(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each place: whether no task is in it."""
        return self._quiet_after <= self._over

    def _put(self, address: int, code: bytes) -> None:
        place = self._kernel.memory.physical(address)
        self._kernel.board.write_code(place, code)
        for cpu in self._kernel.board.cpus:
            cpu.fetch_anew(np.array([[place, place + len(code)]], np.uint64))

    def _wait(self) -> None:
        """Makes the guest wait for tasks that may be in places released so far, unless it is waiting already."""
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
