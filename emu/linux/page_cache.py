# SPDX-License-Identifier: GPL-2.0-only
"""The contents of files as a Linux guest's kernel has them in memory, read from outside."""

from __future__ import annotations

from collections.abc import Iterator

from emu.ftrace.btf import Btf
from emu.linux import arch
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols

__all__ = ["PageCache"]

# Entries of an XArray (lib/xarray.c): the lowest two bits of a node or of what is internal otherwise; the lowest bit of a value.
_INTERNAL, _KIND, _VALUE = 2, 3, 1
_LOWEST_NODE = 4096  # the smallest internal entry that is a node: smaller ones mean another slot of their node


class PageCache:
    """Reads files.

    Args:
        memory: the kernel's memory.
        btf: its types.
        symbols: its symbols.

    Attributes:
        pages: the guest address of the struct page of the first page of RAM.
    """

    def __init__(self, memory: LinuxMemory, btf: Btf, symbols: Symbols) -> None:
        self._memory, self._btf = memory, btf
        self._page_size = btf.size("page")
        self.pages = self._start(symbols, arch.PAGES_BASE, arch.PAGES)
        self._direct = self._start(symbols, arch.DIRECT_MAP_BASE, arch.DIRECT_MAP)

    def _start(self, symbols: Symbols, name: str, usual: int) -> int:
        address = symbols.address(name)
        return usual if address is None else self._memory.word(address) or usual

    def read(self, inode: int) -> bytes | None:
        """The contents of a file, by the guest address of its inode; None if the kernel does not have them all in memory.

        Raises:
            LookupError: the guest is changing it.
        """
        size = self._memory.word(inode + self._btf.offset("inode.i_size"))
        mapping = self._memory.word(inode + self._btf.offset("inode.i_mapping"))
        head = self._memory.word(mapping + self._btf.offset("address_space.i_pages.xa_head"))
        found = dict(self._under(head, 0))
        count = -(-size // arch.PAGE)
        if any(index not in found for index in range(count)):
            return None
        pages = (self._memory.read(self._contents(found[index], index), arch.PAGE) for index in range(count))
        return b"".join(pages)[:size]

    def _contents(self, page: int, index: int) -> int:
        """The address of a page of a file. `page`: the struct page of it, or of the first one of a large page."""
        page += (index - self._memory.word(page + self._btf.offset("page.index"))) * self._page_size
        return self._direct + (page - self.pages) // self._page_size * arch.PAGE

    def _under(self, entry: int, first: int) -> Iterator[tuple[int, int]]:
        """The indices and pages below an entry of an XArray. `first`: its first index."""
        if entry == 0 or entry & _VALUE:
            return
        if entry & _KIND != _INTERNAL:
            yield first, entry
            return
        node = entry - _INTERNAL
        shift = self._memory.word(node + self._btf.offset("xa_node.shift"), 1)
        slots, size = node + self._btf.offset("xa_node.slots"), self._btf.size("xa_node.slots") // 8
        for n in range(size):
            slot = self._memory.word(slots + 8 * n)
            if slot & _KIND == _INTERNAL and slot < _LOWEST_NODE:
                slot = self._memory.word(slots + 8 * (slot >> 2))
                if slot & _KIND != _INTERNAL:
                    yield from ((first + (n << shift) + more, slot) for more in range(1 << shift))
            elif slot & _KIND == 0 and slot and shift:
                yield from ((first + (n << shift) + more, slot) for more in range(1 << shift))
            else:
                yield from self._under(slot, first + (n << shift))
