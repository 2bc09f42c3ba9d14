# SPDX-License-Identifier: GPL-2.0-only
"""The jump labels of a kernel and its modules: nops, or jumps, that static keys turn into the other.

A struct jump_entry has where the label is and where it leads to, both relative to their own places, and its key, whose lowest
bits say of which kind the label is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from emu.ftrace.btf import Btf
from emu.linux.image import Kernel
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Module
from emu.linux.symbols import Symbols

__all__ = ["JumpLabels"]

_ENTRY = np.dtype([("code", "<i4"), ("target", "<i4"), ("key", "<i8")])
_KIND = np.uint64(3)
_MOST = 1 << 20  # labels of a module


class JumpLabels:
    """All of them.

    Args:
        kernel, symbols, btf: the kernel's.
        memory: the guest's.

    Attributes:
        targets: where each label leads to, by its address.
    """

    def __init__(self, kernel: Kernel, symbols: Symbols, btf: Btf, memory: LinuxMemory) -> None:
        self._btf, self._memory = btf, memory
        self.targets: dict[int, int] = {}
        self._by_key: dict[int, list[int]] = {}
        self._of_module: dict[str, Mapping[int, list[int]]] = {}
        start, stop = (symbols.address(f"__{end}___jump_table") or 0 for end in ("start", "stop"))
        if stop > start:
            self._by_key = self._read(bytes(kernel.contents(start, stop)), start)

    def of_key(self, key: int) -> Sequence[int]:
        """The addresses of the labels of a static key, given by the address of its struct."""
        found = list(self._by_key.get(key, ()))
        for labels in self._of_module.values():
            found += labels.get(key, ())
        return found

    def module_came(self, module: Module) -> None:
        """A module is being loaded."""
        if not self._btf.has("module.jump_entries"):
            return
        count, start = (self._memory.word(module.address + self._btf.offset(f"module.{name}"), size)
                        for name, size in (("num_jump_entries", 4), ("jump_entries", 8)))  # fmt: skip
        if 0 < count <= _MOST:
            self._of_module[module.name] = self._read(self._memory.read(start, count * _ENTRY.itemsize), start)

    def module_gone(self, name: str) -> None:
        for labels in self._of_module.pop(name, {}).values():
            for label in labels:
                self.targets.pop(label, None)

    def _read(self, table: bytes, start: int) -> dict[int, list[int]]:
        """The labels of a table that begins at an address, by their keys."""
        entries = np.frombuffer(table[: len(table) // _ENTRY.itemsize * _ENTRY.itemsize], _ENTRY)
        places = np.uint64(start) + np.arange(len(entries), dtype=np.uint64) * np.uint64(_ENTRY.itemsize)
        relative = {name: entries[name].astype(np.int64).view(np.uint64) for name in ("code", "target", "key")}
        codes = places + relative["code"]
        targets = places + np.uint64(4) + relative["target"]
        keys = (places + np.uint64(8) + relative["key"]) & ~_KIND
        found: dict[int, list[int]] = {}
        for code, target, key in zip(codes.tolist(), targets.tolist(), keys.tolist(), strict=True):
            self.targets[code] = target
            found.setdefault(key, []).append(code)
        return found
