# SPDX-License-Identifier: GPL-2.0-only
"""What each function has counted: the table that native code fills (emu.cpu.native.timing.profile), and its names."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping

import numpy as np

from emu.cpu.native import board_record
from emu.cpu.native.timing import profile, record
from emu.cpu.timing.events import counted
from emu.kernel.kernel import Kernel
from emu.native.record import Record

__all__ = ["Profile"]

_KEYS = 1 << 14
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
_BLOCK_BEGINS, _ACCOUNT_NOW = _HANDLER(profile.block_begins.address), _HANDLER(profile.account_now.address)


class Profile:
    """Counts by function, on a machine whose timing model has state.

    A machine keeps its profile, because a checkpoint may have been taken while it counts.
    """

    def __init__(self, kernel: Kernel) -> None:
        board = kernel.board
        self._kernel = kernel
        user_end = min(board.arch.direct_map, board.arch.kernel_map)
        names: dict[int, str] = {}
        for function in kernel.image.functions:
            if function.address >= user_end:
                names.setdefault(function.address, function.name)
                end = function.address + max(function.size, 1)
        self._names = list(names.values())
        self._starts = np.array(list(names), np.uint64)
        self._keys = Record(2 * _KEYS)
        self._rows = Record((len(names) + _KEYS + 1) * profile.ROW_WORDS)
        self._cpus = Record(len(board.cpus) * profile.CPU_WORDS)
        self._record = Record(profile.WORDS)
        for field, value in (
            (profile.STARTS, self._starts.ctypes.data),
            (profile.FUNCTIONS, len(names)),
            (profile.END, end),
            (profile.ROWS, self._rows.address),
            (profile.KEYS, self._keys.address),
            (profile.KEY_MASK, _KEYS - 1),
            (profile.CPUS, self._cpus.address),
            (profile.USER_END, user_end),
            (profile.DIRECT_START, board.arch.direct_map),
            (profile.RAM, board.ram_address),
            (profile.RAM_SIZE, board.memory - board.arch.page_size),
            (profile.CURRENT_TASK, kernel.image.offset("pcpu_hot.current_task")),
            (profile.COMM, kernel.image.offset("task_struct.comm")),
        ):
            self._record.set(field, value)
        for index, area in kernel.hot_areas.items():
            place = profile.HOT + np.uint64(8 * profile.CPU_WORDS * index)
            self._cpus.set(place, kernel.memory.host_address(area))
        board.record.set(board_record.PROFILE_RECORD, self._record.address)

    @property
    def on(self) -> bool:
        """Whether it counts."""
        return self._kernel.board.record.get(board_record.PROFILE) != 0

    def start(self) -> None:
        """Begins to count. The rows are empty.

        Raises:
            ValueError: it counts already.
        """
        board = self._kernel.board
        if self.on:
            raise ValueError("functions are being counted already")
        for table in (self._keys, self._rows):
            table.clear()
        self._record.set(profile.KEYS_USED, 0)
        for cpu in board.cpus:
            own = np.uint64(8 * profile.CPU_WORDS * cpu.index)
            self._cpus.set(own + profile.ROW, self._rows.address)
            self._cpus.set(own + profile.SIZE, 0)
            _ACCOUNT_NOW(cpu.record.address, self._record.address)
        self._rows.clear()  # of what was counted before
        for cpu in board.cpus:
            _BLOCK_BEGINS(cpu.record.address, cpu.pc)
        board.record.set(board_record.PROFILE, profile.block_begins.address)

    def stop(self) -> None:
        """Counts no longer. The rows stay."""
        if self.on:
            self._account()
            self._kernel.board.record.set(board_record.PROFILE, 0)

    def _account(self) -> None:
        for cpu in self._kernel.board.cpus:
            _ACCOUNT_NOW(cpu.record.address, self._record.address)

    def rows(self) -> Mapping[str, Mapping[str, int]]:
        """What each function has counted so far, by its name. Functions of one name are one row.

        Names are `vfs_read`, `ext2_lookup [ext2]` of a module, `[user] ls` of a program, `[trampoline]` of code that tracing
        has written; `[other]` is what there was no room for.
        """
        if self.on:
            self._account()
        rows = self._rows.words.reshape(-1, profile.ROW_WORDS)
        events = counted(self._kernel.board.timing_model.timing)
        columns = [*record.COUNTERS, "cycles", "instructions"]
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
        for slot, (one, two) in enumerate(self._keys.words.reshape(-1, 2).tolist()):
            if two == int(profile.OF_AN_ADDRESS):
                yield first + slot, self._name(one)
            elif two:
                comm = np.array([one, two & ~int(profile.OF_A_NAME)], np.uint64).tobytes().split(b"\0")[0]
                yield first + slot, f"[user] {comm.decode(errors='replace')}"
        yield first + _KEYS, "[other]"

    def _name(self, address: int) -> str:
        """Of code that is not in the image."""
        found = self._kernel.symbols.function_at(address)
        if found is None:
            return "[trampoline]"
        function, module = found
        return f"{function.name} [{module}]" if module else function.name
