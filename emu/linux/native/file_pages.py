# SPDX-License-Identifier: GPL-2.0-only
"""Names the pages of programs by the files that they belong to: see `Callouts.name_pages`.

The kernel keeps a file's pages in memory once, whichever processes map them and wherever. Its struct page leads from a page of
RAM to the file's inode, and has the page's place in the file. A page's name is the file's number and that place. Pages that a
process has changed for itself, and those that belong to no file, have no name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import array_of, host_address
from emu.linux.native.file_pages_record import FILES, AddressSpace, FilePages, Inode, KnownFile, Page
from emu.native.functions import Compiled, Native, njit, shared
from emu.native.hash_table import first_slot
from emu.native.records import Layouts, Words, u64

__all__ = ["FilePageFunctions", "build", "clear", "put"]

PAGE_SHIFT, NUMBER_SHIFT = 12, 44  # of a page's place in the file, and of the file's number, in a name
LAST = u64(FILES - 1)
TAIL = u64(1)  # of `compound_head`: the page is not the first of a large one
OTHER = u64(3)  # of `mapping`: what it is otherwise


class FilePageFunctions(NamedTuple):
    """Compiled functions."""

    name_page: Compiled[[Cpu, u64], None]
    """name_page(cpu, page): see `Callouts.name_pages`."""

    named_pages: Callable[[Cpu, Words], u64]
    """named_pages(cpu, ranges) -> their number: stores the RAM addresses of the pages with a name, as ranges: start and end. Only
    pages are looked at of which the CPU has translated code."""


@njit
def find(files: FilePages, inode: u64) -> KnownFile:
    """The file with an inode, or a free slot."""
    slot = first_slot(inode, LAST)
    while True:
        found = files.files[slot]
        if found.inode == inode or found.inode == 0:
            return found
        slot = (slot + 1) & LAST


@shared
def put(files: FilePages, inode: u64, identity: u64, number: u64) -> None:
    """Stores the number of the file with an inode. If there are too many files, all others are forgotten."""
    if 2 * files.used > LAST:
        clear(files)
    found = find(files, inode)
    if found.inode != inode:
        files.used += 1
        found.inode = inode
    found.identity, found.number = identity, number


@shared
def clear(files: FilePages) -> None:
    """Forgets all files."""
    for n in range(FILES):
        files.files[n].inode = 0
    files.used = 0


def build(layouts: Layouts, page_size: int) -> FilePageFunctions:
    """Compiles for a kernel. `page_size`: of its struct page, in bytes."""
    native, size_of_page = Native(layouts), u64(page_size)

    @native.njit
    def name_of(cpu: Cpu, files: FilePages, ram_address: u64) -> u64:
        """The name of a page of RAM; 0: none."""
        array = array_of(cpu)
        address = files.pages + (ram_address >> PAGE_SHIFT) * size_of_page
        page, behind = Page(host_address(array, address)), u64(0)
        head = page.compound_head
        if head & TAIL:
            head -= TAIL
            behind = (address - head) // size_of_page
            page = Page(host_address(array, head))
        mapping = page.mapping
        if mapping == 0 or mapping & OTHER:
            return 0
        inode = AddressSpace(host_address(array, mapping)).host
        if inode == 0:
            return 0
        owner = Inode(host_address(array, inode))
        if owner.i_mapping != mapping:
            return 0
        identity = owner.i_ino ^ owner.i_sb
        known = find(files, inode)
        if known.inode != inode or known.identity != identity:
            files.meet(cpu, inode)
            known = find(files, inode)
            if known.inode != inode:
                return 0
        if known.number == 0:
            return 0
        return known.number << NUMBER_SHIFT | (page.index + behind) << PAGE_SHIFT

    @native.callback
    def name_page(cpu: Cpu, page: u64) -> None:
        cpu.page_name = name_of(cpu, FilePages(cpu.board.page_names), page)

    @native.shared
    def named_pages(cpu: Cpu, ranges: Words) -> u64:
        count, files = u64(0), FilePages(cpu.board.page_names)
        for n in range(cpu.board.page_count):
            if cpu.code_pages[n] and name_of(cpu, files, n << PAGE_SHIFT) != 0:
                ranges[2 * count] = n << PAGE_SHIFT
                ranges[2 * count + 1] = (n + 1) << PAGE_SHIFT
                count += 1
        return count

    return FilePageFunctions(name_page, named_pages)
