# SPDX-License-Identifier: GPL-2.0-only
"""The profile of functions: native code's table of counts (emu.cpu.native.timing.profile), and its names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Self

import numpy as np

from emu.cpu.board import Board
from emu.cpu.native.timing import profile, profile_record
from emu.cpu.native.timing.profile_record import ProfileTables
from emu.cpu.native.timing.record import COUNTERS
from emu.cpu.timing.events import counted
from emu.kernel.kernel import Kernel
from emu.native.records import HOST, Bytes, Layouts, Shape, Words

__all__ = ["Profile"]

_KEYS = 1 << 14
_WORD = 8  # bytes
_ROW_WORDS = HOST.size(profile_record.Row) // _WORD


class Profile:
    """Counts for each function.

    A machine keeps its profile, because a checkpoint may have been taken while it was counting.

    Args:
        board: the machine's board.
        functions: the kernel's functions, by where they begin, ascending.
        end: where the last one ends.
        comm: the offset of a task's name in its structure.
        current_tasks: by CPU index, where in this process the address of the task on the CPU is.
        name_of: the name for an address in other code, such as a module's.
    """

    def __init__(
        self,
        board: Board,
        functions: Mapping[int, str],
        end: int,
        *,
        comm: int,
        current_tasks: Mapping[int, int],
        name_of: Callable[[int], str],
    ) -> None:
        self._board, self._name = board, name_of
        user_end = min(board.arch.direct_map, board.arch.kernel_map)
        self._names = list(functions.values())
        self._starts = np.array(list(functions), np.uint64)
        counts = {"cpus": len(board.cpus), "keys": _KEYS, "rows": len(functions) + _KEYS + 1}
        layouts = Layouts({ProfileTables: Shape(counts=counts)})
        tables = self._tables = ProfileTables.allocate(layouts)
        keys, rows = (layouts.fields(ProfileTables)[name].offset // _WORD for name in ("keys", "rows"))
        self._keys, self._rows = tables.words[keys:rows], tables.words[rows:]
        record = self._record = profile_record.Profile.allocate()
        record.starts, record.functions, record.end = Words(self._starts.ctypes.data), len(functions), end
        record.rows, record.keys, record.cpus, record.key_mask = tables.rows, tables.keys, tables.cpus, _KEYS - 1
        record.user_end, record.direct_start = user_end, board.arch.direct_map
        record.ram, record.ram_size = Bytes(board.ram_address), board.memory - board.arch.page_size
        record.comm = comm
        for index, place in current_tasks.items():
            tables.cpus[index].current_task = Words(place)
        board.record.profile_record = record

    @classmethod
    def of_kernel(cls, kernel: Kernel) -> Self:
        """The profile of emu's own kernel."""
        user_end = min(kernel.board.arch.direct_map, kernel.board.arch.kernel_map)
        names: dict[int, str] = {}
        end = 0
        for function in kernel.image.functions:
            if function.address >= user_end:
                names.setdefault(function.address, function.name)
                end = function.address + max(function.size, 1)

        def name_of(address: int) -> str:
            found = kernel.symbols.function_at(address)
            if found is None:
                return "[trampoline]"
            function, module = found
            return f"{function.name} [{module}]" if module else function.name

        offset = kernel.image.offset("pcpu_hot.current_task")
        tasks = {index: kernel.memory.host_address(area) + offset for index, area in kernel.hot_areas.items()}
        comm = kernel.image.offset("task_struct.comm")
        return cls(kernel.board, names, end, comm=comm, current_tasks=tasks, name_of=name_of)

    @property
    def on(self) -> bool:
        """Whether it counts."""
        return self._board.record.profile is not None

    def start(self) -> None:
        """Starts to count, with empty rows.

        Raises:
            ValueError: it is counting already.
        """
        board = self._board
        if self.on:
            raise ValueError("functions are being counted already")
        self._keys[:] = 0
        self._record.keys_used = 0
        for cpu in board.cpus:
            own = self._tables.cpus[cpu.index]
            own.row, own.size = self._tables.rows[0], 0
            profile.account_now(cpu.record, self._record)
        self._rows[:] = 0  # counts of the previous use
        for cpu in board.cpus:
            profile.enter(cpu.record, cpu.pc)
        board.record.profile = profile.block_begins

    def stop(self) -> None:
        """Stops counting. The rows stay."""
        if self.on:
            self._account()
            self._board.record.profile = None

    def _account(self) -> None:
        for cpu in self._board.cpus:
            profile.account_now(cpu.record, self._record)

    def rows(self) -> Mapping[str, Mapping[str, int]]:
        """The counts of each function so far, by name. Functions with the same name share a row.

        Names are `vfs_read`; `ext2_lookup [ext2]` for a module; `[user] ls` for a program; `[trampoline]` for code written by
        tracing; `[other]` for everything that found no room.
        """
        if self.on:
            self._account()
        rows = self._rows.reshape(-1, _ROW_WORDS)
        events = counted(self._board.timing_model.timing)
        columns = [*COUNTERS, "cycles", "instructions"]
        found: dict[str, dict[str, int]] = {}
        names = dict(self._named())
        for number in np.flatnonzero(rows.any(axis=1)).tolist():
            row = found.setdefault(names[number], dict.fromkeys(events, 0))
            for event, value in zip(columns, rows[number].tolist(), strict=True):
                if event in row:
                    row[event] += value
        return found

    def _named(self) -> Iterator[tuple[int, str]]:
        """Numbers of rows, and their names."""
        yield from enumerate(self._names)
        first = len(self._names)
        for slot, (one, two) in enumerate(self._keys.reshape(-1, 2).tolist()):
            if two == int(profile.OF_AN_ADDRESS):
                yield first + slot, self._name(one)
            elif two:
                comm = np.array([one, two & ~int(profile.OF_A_NAME)], np.uint64).tobytes().split(b"\0")[0]
                yield first + slot, f"[user] {comm.decode(errors='replace')}"
        yield first + _KEYS, "[other]"
