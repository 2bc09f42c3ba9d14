# SPDX-License-Identifier: GPL-2.0-only
"""TLBs: native code compared with plain Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.native import cpu_records
from emu.cpu.native.timing import record
from tests.cpu.timing.reference.tlbs import NotInRam, Tlbs
from tests.cpu.timing.small_core import (
    DIRECT_START,
    KERNEL_START,
    MEMORY,
    SMALL,
    SmallBoard,
    empty_tlbs,
    fetch_page,
    translate,
)

CORE = SMALL.caches
NEVER = int(cpu_records.NEVER)
NOT_IN_RAM = NEVER << 16 & NEVER  # the result of `translate`
VMALLOC = 0xFFFF_C900_0000_0000
TRANSLATE, FETCH, EMPTY, MAP = range(4)

# Page 0 is not mapped, and not tested.
_addresses = st.builds(
    lambda start, page, offset: start + page * 4096 + offset,
    st.sampled_from([0, 0, VMALLOC, DIRECT_START, KERNEL_START]),
    st.integers(1, 9),
    st.sampled_from([0, 8, 4095]),
)
_steps = st.tuples(st.sampled_from([TRANSLATE, TRANSLATE, TRANSLATE, FETCH, FETCH, EMPTY, MAP]), _addresses, st.integers(0, 5))


class Native:
    def __init__(self) -> None:
        self.small = SmallBoard()
        self._cpu, self._board, self._timing = self.small.cpus[0], self.small.board, self.small.records[0]

    def walk(self, address: int) -> int:
        """Translates an address with the page table."""
        frame = int(self.small.pages[self.small.page_of(address)])
        return frame if frame == NEVER else frame | address & 4095

    def map(self, address: int, page: int) -> None:
        """Maps the page of an address. `page`: the page in RAM; one beyond RAM is not mapped."""
        self.small.pages[self.small.page_of(address)] = page * 4096 if page * 4096 < MEMORY else NEVER

    def translate(self, address: int) -> tuple[int, int]:
        found = translate(self._cpu, self._board, address)
        if found == NOT_IN_RAM:
            raise NotInRam
        return found >> 16, found & 0xFFFF

    def fetch(self, address: int) -> int:
        return fetch_page(self._timing, self._board, address)

    def empty(self) -> None:
        empty_tlbs(self._timing)


def outcome(tlbs: Native | Tlbs, what: int, address: int) -> object:
    try:
        return tlbs.translate(address) if what == TRANSLATE else tlbs.fetch(address)
    except NotInRam:
        return "not in RAM"


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(_addresses, st.integers(0, 5)), max_size=12), st.lists(_steps, max_size=150))
def test_native_code_translates_as_python_does(mapped: list[tuple[int, int]], steps: list[tuple[int, int, int]]) -> None:
    native = Native()
    python = Tlbs(CORE, MEMORY, (DIRECT_START, KERNEL_START), native.walk)
    for address, page in mapped:
        native.map(address, page)
    for n, (what, address, page) in enumerate(steps):
        if what == MAP:
            native.map(address, page)
        elif what == EMPTY:
            native.empty()
            python.empty()
        else:
            assert outcome(native, what, address) == outcome(python, what, address), n
    assert native.small.counts() == python.counts


def with_pages(count: int, start: int = 0) -> tuple[Native, list[int]]:
    native = Native()
    addresses = [start + 4096 * n for n in range(1, count + 1)]
    for address in addresses:
        native.map(address, 1)
    return native, addresses


@pytest.mark.parametrize("start", [0, VMALLOC], ids=["user", "kernel"])
def test_a_translation_comes_from_where_it_is(start: int) -> None:
    """Pages evict each other from the first TLB, and then from the second, which has the even ones in one set."""

    def again(others: int) -> int:
        native, addresses = with_pages(2 * others + 1, start)
        for address in addresses[::2]:
            native.translate(address)
        return native.translate(addresses[0])[1]

    sizes = CORE.dtlb.ways, CORE.l2_tlb.ways
    assert [again(others) for others in range(sizes[0] + 1)] == [0] * sizes[0] + [CORE.walk]


def test_the_second_tlb_is_the_larger() -> None:
    native, addresses = with_pages(4)
    assert [native.translate(address)[1] for address in [*addresses, addresses[0]]] == [CORE.walk] * 4 + [CORE.l2_tlb_hit]


def test_another_address_space_has_translations_of_its_own_and_the_kernel_has_not() -> None:
    for start, misses in ((0, 2), (VMALLOC, 1)):
        native, (address,) = with_pages(1, start)
        native.translate(address)
        native.empty()
        native.translate(address)
        assert native.small.counts()["dTLB-load-misses"] == misses


def test_a_page_that_is_not_mapped_is_asked_for_each_time() -> None:
    native, (address,) = with_pages(1)
    native.map(address, 1000)
    assert [outcome(native, TRANSLATE, address) for _ in range(2)] == ["not in RAM"] * 2
    native.map(address, 2)
    assert native.translate(address) == (2 * 4096, CORE.walk)
    assert native.small.counts() == {"dTLB-loads": 3, "dTLB-load-misses": 1}


def test_maps_of_all_ram_need_no_translation() -> None:
    native = Native()
    assert native.translate(DIRECT_START + 77) == native.translate(KERNEL_START + 77) == (77, 0)
    assert native.small.records[0].counts[record.COUNTERS.index("dTLB-loads")] == 0
