# SPDX-License-Identifier: GPL-2.0-only
"""TLBs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from emu.cpu.timing.core import Caches, Tlb

__all__ = ["NotInRam", "Tlbs"]

_PAGE, _LARGE = 4096, 2 << 20
_Key = tuple[int, int | str]  # page number, and its address space, "kernel" or "large"


class NotInRam(Exception):
    """An address that is not in RAM."""


class _Entries:
    """A TLB: translations of pages, in each set the most recently used ones."""

    def __init__(self, shape: Tlb) -> None:
        self._ways = shape.ways
        self._sets: list[dict[_Key, int]] = [{} for _ in range(shape.sets)]

    def find(self, key: _Key) -> int | None:
        entries = self._sets[key[0] % len(self._sets)]
        if key not in entries:
            return None
        entries[key] = entries.pop(key)
        return entries[key]

    def put(self, key: _Key, frame: int) -> None:
        entries = self._sets[key[0] % len(self._sets)]
        if len(entries) == self._ways:
            del entries[next(iter(entries))]
        entries[key] = frame


class Tlbs:
    """The TLBs of one CPU.

    Args:
        core: the CPU model.
        ram: its size in bytes.
        maps: virtual addresses at which the kernel maps all RAM with large pages; the second is that of its text.
        walk: translates a virtual address to a RAM address.
    """

    def __init__(self, core: Caches, ram: int, maps: tuple[int, int], walk: Callable[[int], int]) -> None:
        self._core, self._ram, self._maps, self._walk = core, ram, maps, walk
        self._space = 0
        self._data, self._second, self._code = _Entries(core.dtlb), _Entries(core.l2_tlb), _Entries(core.itlb)
        self.counts: Counter[str] = Counter()

    def _key(self, address: int) -> _Key:
        return address // _PAGE % 2**36, "kernel" if address >> 47 & 1 else self._space

    def translate(self, address: int) -> tuple[int, int]:
        """Translates a data address. Returns the RAM address, and the cycles beyond a hit.

        Raises:
            NotInRam: the address is not in RAM.
        """
        for start in self._maps:
            if start <= address < start + self._ram:
                return address - start, 0
        self.counts["dTLB-loads"] += 1
        key, latency = self._key(address), 0
        frame = self._data.find(key)
        if frame is None:
            frame, latency = self._second.find(key), self._core.l2_tlb_hit
            if frame is None:
                found, latency = self._walk(address), self._core.walk
                if found >= self._ram:
                    raise NotInRam
                self.counts["dTLB-load-misses"] += 1
                frame = found // _PAGE
                self._second.put(key, frame)
            self._data.put(key, frame)
        return frame * _PAGE + address % _PAGE, latency

    def fetch(self, address: int) -> int:
        """Translates an instruction address. Returns the cycles beyond a hit."""
        start = self._maps[1]
        key = (address // _LARGE, "large") if start <= address < start + self._ram else self._key(address)
        if self._code.find(key) is not None:
            return 0
        self.counts["iTLB-load-misses"] += 1
        self._code.put(key, 0)
        return self._core.l2_tlb_hit

    def empty(self) -> None:
        """Drops all translations except the kernel's."""
        self._space += 1
