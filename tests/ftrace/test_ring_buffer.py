# SPDX-License-Identifier: GPL-2.0-only
"""The ring buffer compared with a model made of lists, and the rarer kinds of events in pages made by hand."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from emu.cpu.python_handler import PythonHandler
from emu.ftrace.buffers.ring_buffer import RingBuffer, events_in, pages_for
from emu.ftrace.native import ring_record
from tests.lib.golden import read_golden
from tests.lib.ring_model import RingModel, listed

REASONS = (ring_record.OFF, ring_record.MASKED, ring_record.FAILED, ring_record.PAUSED)
_SIZES = st.one_of(st.integers(0, 130), st.integers(900, 1100), st.integers(4060, 4090))
_DELTAS = st.one_of(
    st.integers(0, 1000),
    st.sampled_from([(1 << 27) - 1, 1 << 27, 1 << 40, (1 << 59) - 1, 1 << 59, (1 << 62) + 5]),
    st.integers(-1000, -1),
)


class RingBufferMachine(RuleBasedStateMachine):
    @initialize(pages=st.integers(2, 5), overwrite=st.booleans())
    def start(self, pages: int, overwrite: bool) -> None:
        self.buffer = RingBuffer(3, pages, overwrite=overwrite)
        self.model = RingModel(pages, overwrite)
        self.number = 0

    @rule(events=st.lists(st.tuples(_DELTAS, _SIZES), min_size=1, max_size=40))
    def write(self, events: list[tuple[int, int]]) -> None:
        for delta, size in events:
            self.number += 1
            time = min(max(self.model.time + delta, 0), (1 << 64) - 1)
            data = bytes((self.number + place) & 0xFF for place in range(size))
            assert self.buffer.write(time, data) == self.model.write(time, data)

    @rule()
    def consume(self) -> None:
        expected, events = self.model.consume(), self.buffer.consume()
        assert (events is None) == (expected is None)
        if events is not None and expected is not None:
            assert (listed(events), events.lost) == expected

    @rule(share=st.floats(0, 1))
    def discard(self, share: float) -> None:
        expected, (events, limit) = self.model.peek(), self.buffer.peek()
        assert bool(limit) == (expected is not None)
        if expected is not None:
            assert (listed(events)[:limit], events.lost) == expected
            assert listed(events)[limit:] == (self.model.ring[0].events if self.model.ring else [])
            if count := round(share * limit):
                self.buffer.discard(count)
                self.model.discard(count)

    @rule()
    def read_page(self) -> None:
        expected, page = self.model.consume(), self.buffer.read_page()
        assert (page is None) == (expected is None)
        if page is not None and expected is not None:
            events, lost = expected
            commit = int(page[8:16].view(np.uint64)[0])
            assert listed(events_in(page.reshape(1, -1), cpu=3)) == events
            assert bool(commit >> 31) == (lost > 0)
            if commit >> 30 & 1:
                end = 16 + (commit & 0xFFFFF)
                assert int(page[end : end + 8].view(np.uint64)[0]) == lost

    @rule()
    def take_full_pages(self) -> None:
        lost = self.model.lost + self.model.overrun - self.model.seen if self.model.consumed else self.model.lost
        taken = self.buffer.take_full_pages()
        assert [event for pages in taken for event in listed(events_in(pages, cpu=3))] == self.model.take_full()
        if taken:
            assert bool(int(taken[0][0, 8:16].view(np.uint64)[0]) >> 31) == (lost > 0)

    @rule(on=st.booleans())
    def spill(self, on: bool) -> None:
        """A full buffer spills its pages, and nothing is overwritten."""
        self.spilled: list[tuple[int, bytes]] = []
        self.model.spilled = [] if on else None

        def take(ring: int, _: int) -> None:
            assert ring == self.buffer.record.address
            for pages in self.buffer.take_full_pages():
                self.spilled += listed(events_in(pages, cpu=3))

        self.handler = PythonHandler(take)
        self.buffer.spill_to(self.handler if on else None)

    @rule(pages=st.integers(2, 6))
    def resize(self, pages: int) -> None:
        self.buffer.resize(pages)
        self.model.resize(pages)
        assert self.buffer.pages == pages

    @rule(overwrite=st.booleans())
    def set_overwrite(self, overwrite: bool) -> None:
        self.buffer.overwrite = self.model.overwrite = overwrite

    @rule()
    def reset(self) -> None:
        self.buffer.reset()
        spilled = self.model.spilled
        self.model = RingModel(self.model.pages, self.model.overwrite)
        self.model.spilled = spilled

    @rule(size=st.integers(1, 100), reasons=st.lists(st.sampled_from(REASONS), min_size=1))
    def what_is_not_recorded_does_not_count(self, size: int, reasons: list[int]) -> None:
        for why in reasons:
            self.buffer.disable(why)
        for why in set(reasons):
            assert not self.buffer.recording
            assert not self.buffer.write(self.model.time, bytes(size))
            self.buffer.disable(why, False)
        assert self.buffer.recording

    @invariant()
    def is_the_same(self) -> None:
        buffer, model = self.buffer, self.model
        unread = buffer.unread()
        assert listed(unread) == model.unread()
        assert unread.cpu == 3
        assert listed(events_in(buffer.unread_pages(), cpu=3)) == model.unread()
        assert (buffer.entries, buffer.overrun) == (len(model.unread()), model.overrun)
        assert (buffer.dropped_events, buffer.read_events) == (model.dropped, model.read)
        assert buffer.used_bytes == model.used_bytes()
        if model.spilled is not None:
            assert self.spilled == model.spilled


RingBufferMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestRingBuffer = RingBufferMachine.TestCase


def test_bytes_count_the_unused_end_of_pages_that_were_left() -> None:
    """A real kernel's function trace in a buffer of 4 KiB: only some of many events of 28 bytes are left."""
    golden = read_golden("lost-stats.txt")
    stats = {name: int(number) for name, number in re.findall(r"^(\w+): (\d+)$", golden, re.MULTILINE)}
    buffer = RingBuffer(0, pages_for(4 * 1024))
    for time in range(stats["overrun"] + stats["entries"]):
        assert buffer.write(time, bytes(24))
    assert {"entries": buffer.entries, "overrun": buffer.overrun, "bytes": buffer.used_bytes} == stats
    assert buffer.oldest_event == stats["overrun"]


@pytest.mark.parametrize(("kb", "pages"), [(0, 2), (4, 2), (7, 2), (8, 3), (1408, 354)])
def test_how_many_pages_a_size_needs(kb: int, pages: int) -> None:
    assert pages_for(kb * 1024) == pages


def _page(time: int, *words: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    page = np.zeros((1, 1024), np.uint32)
    page[0, :4] = np.array([time, 4 * len(words)], np.uint64).view(np.uint32)
    page[0, 4 : 4 + len(words)] = words
    return page.view(np.uint8)


def _header(type_len: int, delta: int) -> int:
    return delta << 5 | type_len


def test_padding_is_skipped() -> None:
    page = _page(100, _header(1, 1), 11, _header(29, 1), 8, 0, _header(1, 2), 22, _header(29, 0), 33, 44)
    events = listed(events_in(page, 0))
    assert [(time, int.from_bytes(data, sys.byteorder)) for time, data in events] == [(101, 11), (103, 22)]


def test_a_time_stamp_is_absolute_but_for_its_highest_bits() -> None:
    start, later = (3 << 59) + 7, (3 << 59) + (5 << 27) + 9
    page = _page(start, _header(1, 0), 11, _header(31, 9), 5, _header(1, 4), 22)
    assert events_in(page, 0).time.tolist() == [start, later + 4]


def test_a_page_read_in_two_goes_continues_in_time() -> None:
    buffer = RingBuffer(0, 2)
    buffer.write(1000, b"one.")
    first = buffer.read_page()
    buffer.write(1007, b"two.")
    second = buffer.read_page()
    assert first is not None
    assert second is not None
    assert listed(events_in(first.reshape(1, -1), 0)) == [(1000, b"one.")]
    assert listed(events_in(second.reshape(1, -1), 0)) == [(1007, b"two.")]
    assert buffer.read_page() is None
    assert buffer.used_bytes == 0


def test_a_size_that_cannot_be_had_changes_nothing() -> None:
    buffer = RingBuffer(0, 2)
    for time in range(400):
        buffer.write(time, bytes(24))
    before = (listed(buffer.unread()), buffer.entries, buffer.overrun, buffer.pages)
    for kb in (1 << 34, 1 << 50, (1 << 64) - 1):
        with pytest.raises(MemoryError):
            buffer.resize(pages_for(kb * 1024))
    assert (listed(buffer.unread()), buffer.entries, buffer.overrun, buffer.pages) == before


def test_events_that_were_lost_are_told_once() -> None:
    buffer = RingBuffer(0, 2)
    for time in range(2000):
        buffer.write(time, bytes(24))
    assert buffer.overrun > 0
    assert buffer.peek()[0].lost == buffer.overrun
    buffer.discard(1)
    assert buffer.peek()[0].lost == 0


def test_a_page_of_which_some_is_read_continues_in_time() -> None:
    buffer = RingBuffer(0, 2)
    for time, text in ((1000, b"one."), (1007, b"two."), (1009, b"three")):
        buffer.write(time, text)
    buffer.discard(1)
    page = buffer.read_page()
    assert page is not None
    assert [time for time, _ in listed(events_in(page.reshape(1, -1), 0))] == [1007, 1009]


def test_the_record_stays_where_it_is() -> None:
    buffer = RingBuffer(0, 2)
    address = buffer.record.address
    buffer.resize(100)
    buffer.reset()
    assert buffer.record.address == address


def test_what_was_read_of_a_page_is_not_taken_with_the_full_ones() -> None:
    buffer = RingBuffer(0, 4)
    for time in range(1200):
        assert buffer.write(time, bytes(4))
    buffer.peek()
    buffer.discard(10)
    taken = [event for pages in buffer.take_full_pages() for event in listed(events_in(pages, cpu=0))]
    assert [time for time, _ in taken + listed(buffer.unread())] == list(range(10, 1200))
