# SPDX-License-Identifier: GPL-2.0-only
"""Code that changes: from which pages each CPU has translated code, and what it keeps when somebody writes to them.

Unicorn knows only one CPU. It slows down that CPU's stores to pages with translated code, by virtual address, and drops the
translations at such a store. Here a page is known by its place in RAM, so that it does not matter at which address a CPU writes.
On a board with coherent code, that is so for the stores of all CPUs: `written` decides what each CPU keeps. On other boards a CPU
keeps its translations until it writes there itself or is told to forget them, as emu's own kernel does.

With fenced code a CPU has an instruction cache, whose lines are pages: it holds the pages from which the CPU has translated code.
Before anybody writes to one of them, what it holds is copied, and the page becomes STALE: the CPU translates from the copy up to
its next fence, which drops such pages. So what a CPU executes does not depend on when it translates: the machine may drop
translations at any time.

Unicorn also slows down all stores to a page that may be executed, whether or not it has code. A repair of its code lets
`tlb_set_dirty` decide that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.cpu.native.cpu_records import Board, Cpu, CpuState, Uc
from emu.native.functions import Native, external, njit, shared
from emu.native.records import Bytes, Layouts, Words, i32, u64

__all__ = ["PAGE", "build", "build_fence", "code_at", "fetch_anew", "will_change"]

PAGE = 12  # log2 of the bytes in Unicorn's pages of such an architecture

# What a CPU has of a page. STALE: older code than memory has.
NOTHING, CODE, STALE = u64(0), u64(1), u64(2)
PAGES_IN_WORD = u64(8)
PAGE_BYTES, PAGE_WORDS = u64(1 << PAGE), u64(1 << PAGE >> 3)


@njit
def make_stale(board: Board, page: u64) -> None:
    """The code of a page is about to change: it becomes STALE on each CPU that has code of it."""
    for n in range(board.cpu_count):
        cpu = board.cpus[n]
        if cpu.code_pages[page] == CODE:
            here, kept = Words(board.ram + (page << PAGE)), Words(cpu.old_code + (page << PAGE))
            for word in range(PAGE_WORDS):
                kept[word] = here[word]
            cpu.code_pages[page] = STALE
            cpu.stale = True


@shared
def will_change(board: Board, address: u64, size: u64) -> None:
    """Something other than a CPU is about to write to RAM."""
    if board.fenced_code:
        for page in range(address >> PAGE, ((address + size - 1) >> PAGE) + 1):
            make_stale(board, page)


@njit
def code_at(cpu: Cpu, place: u64) -> Bytes:
    """The code at a RAM address as the CPU sees it, up to the end of the page."""
    stale = cpu.stale and cpu.code_pages[place >> PAGE] == STALE
    return Bytes((cpu.old_code if stale else cpu.board.ram) + place)


@shared
def fetch_anew(cpu: Cpu, ranges: Words, count: u64) -> None:
    """The CPU sees what memory has at `count` ranges of RAM addresses, [start, end). It must also forget its translations."""
    if not cpu.board.fenced_code:
        return
    for n in range(count):
        start, end = ranges[2 * n], ranges[2 * n + 1]
        for page in range(start >> PAGE, ((end - 1) >> PAGE) + 1):
            first = page << PAGE
            if start <= first and first + PAGE_BYTES <= end:
                cpu.code_pages[page] = NOTHING
            elif cpu.code_pages[page] == STALE:
                here, kept = Bytes(cpu.board.ram), Bytes(cpu.old_code)
                for place in range(max(start, first), min(end, first + PAGE_BYTES)):
                    kept[place] = here[place]


def build_fence(arch: str) -> Callable[[Cpu], None]:
    """fence(cpu), compiled: the CPU drops its STALE pages. The block that is running goes on."""
    invalidate_range = external(f"tb_invalidate_phys_range_{arch}", None, Uc, u64, u64)

    @njit
    def fence(cpu: Cpu) -> None:
        if not cpu.stale or cpu.deaf:
            return
        cpu.stale = False
        words = Words(cpu.code_pages.address)
        for n in range((cpu.board.page_count + PAGES_IN_WORD - 1) // PAGES_IN_WORD):
            if words[n] == 0:
                continue
            for page in range(PAGES_IN_WORD * n, PAGES_IN_WORD * (n + 1)):
                if cpu.code_pages[page] == STALE:
                    invalidate_range(cpu.uc, page << PAGE, (page + 1) << PAGE)
                    cpu.code_pages[page] = NOTHING
                    cpu.board.code_drops += 1

    return fence


def build(arch: str, layouts: Layouts, speed_up: Callable[[Cpu, u64], None]) -> Mapping[str, int]:
    """Compiles for an architecture's suffix of Unicorn's symbols. Returns addresses, by the functions that they replace.

    `speed_up`: see SoftTlb.
    """
    native = Native(layouts)
    invalidate_written = external(f"tb_invalidate_phys_page_fast_{arch}", None, Uc, u64, u64, i32, u64)
    invalidate_range = external(f"tb_invalidate_phys_range_{arch}", None, Uc, u64, u64)
    slow_down_stores = external(f"tlb_reset_dirty_{arch}", None, CpuState, u64, u64)
    speed_up_stores = external(f"tlb_set_dirty_{arch}", None, CpuState, u64)

    @native.njit
    def drop(cpu: Cpu, page: u64) -> None:
        """A CPU drops its translations of a page."""
        if cpu.code_pages[page]:
            invalidate_range(cpu.uc, page << PAGE, (page + 1) << PAGE)
            cpu.code_pages[page] = NOTHING
            cpu.board.code_drops += 1

    @native.njit
    def written(writer: Cpu, page: u64) -> None:
        """A CPU writes to a page: what do the other CPUs keep of their translations? Nothing, if their instruction caches are
        coherent."""
        board = writer.board
        if board.coherent_code:
            for n in range(board.cpu_count):
                if n != writer.index:
                    drop(board.cpus[n], page)

    @native.callback
    def tb_invalidate_phys_page_fast(uc: Uc, pages: u64, address: u64, size: i32, called_from: u64) -> None:
        """A slow store to a page, which may have code. It does not return if it changes the block that makes it."""
        state = uc.cpu
        if state.opaque == 0:
            invalidate_written(uc, pages, address, size, called_from)
            return
        cpu, page = Cpu(state.opaque), address >> PAGE
        cpu.written_page = page
        if page >= cpu.board.page_count:
            return
        if cpu.board.fenced_code:
            make_stale(cpu.board, page)
            return
        written(cpu, page)
        if cpu.code_pages[page]:
            cpu.rewritten = cpu.instructions + 1  # unless it returns
            invalidate_written(uc, pages, address, size, called_from)
            cpu.rewritten = 0
            if cpu.board.coherent_code:
                drop(cpu, page)

    @native.callback
    def tlb_set_dirty(state: CpuState, address: u64) -> None:
        """After a slow store: later ones need not be slow if nobody has code there."""
        if state.opaque != 0:
            cpu = Cpu(state.opaque)
            board, page = cpu.board, cpu.written_page
            if page < board.page_count:
                for n in range(board.cpu_count):
                    other = board.cpus[n]
                    if board.fenced_code:
                        if other.code_pages[page] == CODE:
                            return
                    elif other.code_pages[page] and (board.coherent_code or other is cpu):
                        return
            speed_up(cpu, address)
        speed_up_stores(state, address)

    @native.callback
    def tlb_protect_code(uc: Uc, address: u64) -> None:
        """A CPU translates the first code of a page: from now on, stores there are slow."""
        state = uc.cpu
        if state.opaque == 0:
            return
        cpu, page = Cpu(state.opaque), address >> PAGE
        board = cpu.board
        if page >= board.page_count:
            return
        if cpu.code_pages[page] == NOTHING:
            cpu.code_pages[page] = CODE
        place = board.ram + (page << PAGE)
        for n in range(board.cpu_count):
            other = board.cpus[n]
            if board.coherent_code or board.fenced_code or other is cpu:
                slow_down_stores(other.state, place, 1 << PAGE)

    @native.callback
    def tlb_unprotect_code(uc: Uc, address: u64) -> None:
        """A CPU has dropped the last code of a page."""
        state = uc.cpu
        if state.opaque != 0:
            cpu, page = Cpu(state.opaque), address >> PAGE
            if page < cpu.board.page_count and not cpu.board.fenced_code:
                cpu.code_pages[page] = NOTHING

    @native.callback
    def tlb_reset_dirty_by_vaddr(state: CpuState, address: u64, size: u64) -> None:
        """Unicorn asks for slow stores at each translation, at one virtual address. `tlb_protect_code` has done more."""

    replaced = {
        "tb_invalidate_phys_page_fast": tb_invalidate_phys_page_fast.address,
        "tlb_protect_code": tlb_protect_code.address,
        "tlb_reset_dirty_by_vaddr": tlb_reset_dirty_by_vaddr.address,
        "tlb_set_dirty": tlb_set_dirty.address,
        "tlb_unprotect_code": tlb_unprotect_code.address,
    }
    return {f"{name}_{arch}": address for name, address in replaced.items()}
