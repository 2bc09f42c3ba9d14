# SPDX-License-Identifier: GPL-2.0-only
"""The ring buffer of one CPU, for its readers and its owner. The writer and the page format are in `native`.

As in Linux there is one page more than the ring has: the reader page. A consuming reader swaps it with the oldest page
in the ring, so that nothing overwrites what is being read. The writer may still be on the page that was taken; when that
page is full, it moves on to the ring.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import Events
from emu.ftrace.native import ring_buffer as native
from emu.ftrace.native.ring_record import COMMIT_MASK, DATA_SIZE, DATA_START, PAGE_SIZE, Page, Ring
from emu.ftrace.native.trace_records import TraceArray
from emu.native.records import HOST, Records, Values, u64

__all__ = ["MISSED_EVENTS", "MISSED_STORED", "RingBuffer", "events_in", "pages_for"]

_PAGE_HEADER = np.dtype([("time", "u8"), ("commit", "u8")])
MISSED_EVENTS = 1 << 31  # in a page's commit: events were lost before this page
MISSED_STORED = 1 << 30  # and their number follows the data
_FEWEST_PAGES = 2
_MOST_PAGES = (1 << 47) // PAGE_SIZE  # more than a process can address
_LARGE = 4 << 20  # bytes from which on huge pages are requested, as numpy does: allocation takes a fifth of the time


def pages_for(size: int) -> int:
    """The number of pages in a buffer of at least `size` bytes (buffer_size_kb times 1024)."""
    return max(_FEWEST_PAGES, -(-size // DATA_SIZE))


def _empty_pages(count: int) -> NDArray[np.uint8]:
    """Zeroed pages, which take the host's memory only when they are used. np.zeros() would touch memory from the heap.

    Raises:
        MemoryError: there is not enough memory.
    """
    try:
        memory = mmap.mmap(-1, count * PAGE_SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        raise MemoryError from None
    if len(memory) >= _LARGE:
        with suppress(OSError):  # the host may not have huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8).reshape(count, PAGE_SIZE)


def events_in(pages: NDArray[np.uint8], cpu: int, skip: int = 0, lost: int = 0) -> Events:
    """The events in `pages`, shape (n, 4096), except those in the first `skip` bytes of data."""
    words = np.ascontiguousarray(pages).view(np.uint32).reshape(-1, PAGE_SIZE // 4)
    heads = _headers(words.view(np.uint8).reshape(-1, PAGE_SIZE))
    stamps, commits = heads["time"].copy(), heads["commit"].copy()
    most = int(np.sum(commits & np.uint64(COMMIT_MASK))) // 8
    time, offset, size = np.empty(most, np.uint64), np.empty(most, np.int64), np.empty(most, np.int64)
    found = native.find_events(stamps, commits, words, skip, time, offset, size)
    return Events(cpu, words.reshape(-1), time[:found], offset[:found], size[:found], lost)


def _headers(pages: NDArray[np.uint8]) -> NDArray[np.void]:
    """The headers of pages, shape (n, 4096), in place."""
    return pages[:, :DATA_START].view(_PAGE_HEADER)[:, 0]


class RingBuffer:
    """The ring buffer of one CPU.

    Attributes:
        record: the buffer's state, shared with native code.
    """

    def __init__(self, cpu: int, pages: int, *, overwrite: bool = True) -> None:
        self.cpu = cpu
        self.record = Ring.allocate()
        self._allocate(max(pages, _FEWEST_PAGES))
        self.overwrite = overwrite
        self._begin()

    def _allocate(self, pages: int) -> None:
        """Allocates `pages` and the reader page, and links them into a ring.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        if pages > _MOST_PAGES:
            raise MemoryError
        memory = _empty_pages(pages + 1)
        following = np.roll(np.arange(pages + 1, dtype=np.uint64), -1)
        following[pages - 1] = 0
        self._memory, self._next, self._counts = memory, following, np.zeros(pages + 1, np.uint64)
        self.record.pool = Records[Page](memory.ctypes.data)
        self.record.next, self.record.counts = (Values[u64](words.ctypes.data) for words in (self._next, self._counts))

    @property
    def _pages(self) -> NDArray[np.uint8]:
        """All pages, for reading."""
        native.settle(self.record)
        return self._memory

    def _page(self, page: int) -> Page:
        """One page, for reading."""
        native.settle(self.record)
        return self.record.pool[page]

    @property
    def pages(self) -> int:
        """How many pages the ring has."""
        return len(self._memory) - 1

    @property
    def recording(self) -> bool:
        """If False, nothing is recorded and nothing counted as dropped."""
        return self.record.disabled == 0

    def disable(self, why: u64, disabled: bool = True) -> None:
        """Sets or clears a reason for not recording: a bit of the ring's `disabled`."""
        others = self.record.disabled & ~why
        self.record.disabled = others | why if disabled else others

    @property
    def overwrite(self) -> bool:
        """Whether a full buffer overwrites its oldest page; otherwise it drops new events."""
        return self.record.overwrite

    @overwrite.setter
    def overwrite(self, on: bool) -> None:
        self.record.overwrite = on

    # The counts of per_cpu/cpuN/stats

    @property
    def entries(self) -> int:
        """Events in the buffer."""
        return self.record.entries - self.overrun - self.read_events

    @property
    def overrun(self) -> int:
        """Events that were overwritten."""
        return self.record.overrun

    @property
    def dropped_events(self) -> int:
        """Events that found no room."""
        return self.record.dropped

    @property
    def read_events(self) -> int:
        """Events that were consumed."""
        return self.record.read

    @property
    def used_bytes(self) -> int:
        """Bytes of the events in the buffer, including the unused ends of finished pages."""
        reader, tail = self.record.reader, self.record.tail
        consumed = self.record.read_offset
        if reader == tail:
            return self._page(reader).commit - consumed
        unread = DATA_SIZE - consumed if consumed < self._page(reader).commit else 0
        return unread + (len(self._ring_to_tail()) - 1) * DATA_SIZE + self._page(tail).commit

    @property
    def full_pages(self) -> int:
        """Pages of the ring that the writer has finished."""
        return max(len(self._ring_to_tail()) - 1, 0)

    def await_pages(self, count: int, array: TraceArray, earliest: int) -> None:
        """Makes the writer set the array's `reader_waits` to `earliest` when it has started `count` more pages."""
        self.record.wakes = Values[u64](array.address + HOST.fields(TraceArray)["reader_waits"].offset)
        self.record.earliest = earliest
        self.record.awaited = count

    def spill_to(self, handler: Callable[[Ring, u64], None] | None) -> None:
        """Makes the writer call a native function (the ring's `spill`) when the buffer is full; None: no function."""
        self.record.spill = handler

    @property
    def oldest_event(self) -> int:
        """The timestamp of the page that is overwritten next, or of the reader page when the ring is empty."""
        reader, tail = self.record.reader, self.record.tail
        return self._page(reader if reader == tail else self.record.head).time

    def _ring_from(self, first: int, length: int) -> list[int]:
        order = [first]
        while len(order) < length:
            order.append(int(self._next[order[-1]]))
        return order

    def _ring_to_tail(self) -> list[int]:
        """The pages of the ring that hold events, oldest first."""
        tail = self.record.tail
        if tail == self.record.reader:
            return []
        ring = self._ring_from(self.record.head, self.pages)
        return ring[: ring.index(tail) + 1]

    # Writing and reading

    def write(self, time: int, payload: bytes) -> bool:
        """Records an event from Python, padded with zeros to a whole word. Returns False if it was not recorded."""
        address = native.reserve(self.record, time, len(payload))
        if not address:
            return False
        data = payload.ljust(native.room(len(payload)), b"\0")
        ctypes.memmove(address, data, len(data))
        return True

    def unread(self) -> Events:
        """Every event in the buffer, without consuming them. Later changes of the buffer do not affect the result."""
        consumed = self.record.read_offset
        return events_in(self._pages[[self.record.reader, *self._ring_to_tail()]], self.cpu, consumed)

    def consume(self) -> Events | None:
        """Consumes the events of one page, the oldest. None if there are none."""
        if not self._take_page():
            return None
        page = self.record.reader
        events = events_in(self._pages[[page]], self.cpu, self.record.read_offset, self.record.lost)
        self.record.read = self.read_events + len(events)
        self.record.read_offset = self._page(page).commit
        self.record.read_time = int(events.time[-1])
        self.record.lost = 0
        return events

    def peek(self) -> tuple[Events, int]:
        """The oldest events, without consuming them, and how many of them can be discarded at once: those of one page.

        The events of the next page are included, to show what follows.
        """
        there_are_some = self._take_page()
        pages = [self.record.reader, *self._ring_to_tail()[:1]]
        consumed, lost = self.record.read_offset, self.record.lost
        events = events_in(self._pages[pages], self.cpu, consumed, lost)
        return events, int(np.searchsorted(events.offset, PAGE_SIZE)) if there_are_some else 0

    def discard(self, count: int) -> None:
        """Consumes the first `count` events: at most as many as `peek` said."""
        events, limit = self.peek()
        assert count <= limit
        if count:
            self.record.read = self.read_events + count
            self.record.read_offset = int(events.offset[count - 1] + events.size[count - 1]) - DATA_START
            self.record.read_time = int(events.time[count - 1])
            self.record.lost = 0

    def read_page(self, *, whole: bool = False) -> NDArray[np.uint8] | None:
        """Consumes one page: 4,096 bytes as read from trace_pipe_raw. None if there is no event.

        Its commit field says whether events were lost before it. If so, and if there is room, their number follows the data.

        Args:
            whole: skip the page that is being written.
        """
        if not self._take_page() or (whole and self.record.reader == self.record.tail):
            return None
        reader, consumed, lost = self.record.reader, self.record.read_offset, self.record.lost
        page = self._page(reader)
        data = self._memory[reader, DATA_START + consumed : DATA_START + page.commit]
        time = self.record.read_time if consumed else page.time
        commit = len(data)
        result = np.zeros(PAGE_SIZE, np.uint8)
        result[DATA_START : DATA_START + commit] = data
        if lost:
            end = DATA_START + commit
            commit |= MISSED_EVENTS
            if end + 8 <= PAGE_SIZE:
                commit |= MISSED_STORED
                result[end : end + 8] = np.array([lost], np.uint64).view(np.uint8)
        result[:DATA_START] = np.array([(time, commit)], _PAGE_HEADER).view(np.uint8)
        self.consume()
        return result

    def unread_pages(self) -> NDArray[np.uint8]:
        """A copy of the pages with events, shape (n, 4096), oldest first, as `read_page` would return them."""
        reader, consumed = self.record.reader, self.record.read_offset
        pages = self._pages[[reader, *self._ring_to_tail()]]
        left = self._page(reader).commit - consumed
        if consumed:
            data = pages[0, DATA_START:].copy()
            pages[0, DATA_START : DATA_START + left] = data[consumed : consumed + left]
            pages[0, :DATA_START] = np.array([(self.record.read_time, left)], _PAGE_HEADER).view(np.uint8)
        return pages if left else pages[1:]

    def take_full_pages(self) -> list[NDArray[np.uint8]]:
        """Consumes all pages that the writer has finished, oldest first, as `read_page` returns them.

        Each array has the shape (n, 4096). They are the buffer's own pages, and change with the next event.
        """
        taken = []
        tail = self.record.tail
        # One by one while a page is partly read or must report lost events.
        while self._partly_read or self.overrun > self.record.overrun_seen or self.record.lost:
            page = self.read_page(whole=True)
            if page is None:
                break
            taken.append(page[np.newaxis])
        reader = self.record.reader
        if reader == tail:
            return taken
        commit = self._page(reader).commit
        unread = [reader] if self.record.read_offset < commit else []
        full = np.array(unread + self._ring_to_tail()[:-1], np.int64)
        ends = np.flatnonzero(np.diff(full) != 1) + 1
        taken += [self._memory[run[0] : run[-1] + 1] for run in np.split(full, ends) if len(run)]
        self.record.read = self.read_events + int(self._counts[full].sum())
        self.record.read_offset = commit
        self.record.head = tail
        return taken

    @property
    def _partly_read(self) -> bool:
        return 0 < self.record.read_offset < self._page(self.record.reader).commit

    def _take_page(self) -> bool:
        """Makes sure that the reader page has an event to consume. Returns False if there is none."""
        reader, tail = self.record.reader, self.record.tail
        if self.record.read_offset < self._page(reader).commit:
            return True
        if reader == tail or self.entries == 0:
            return False
        head = self.record.head
        [before] = (page for page in np.flatnonzero(self._next == head) if page != reader)
        self._memory[reader, :DATA_START] = 0
        self._counts[reader] = 0
        self._next[before] = reader
        self._next[reader] = self._next[head]
        self.record.head = int(self._next[head])
        self.record.reader = head
        self.record.read_offset = 0
        self.record.lost += self.overrun - self.record.overrun_seen
        self.record.overrun_seen = self.overrun
        return True

    # Size and state

    def reset(self) -> None:
        """Empties the buffer and clears its counts."""
        # The reader page and the tail page are empty now. The writer empties other pages when it reaches them.
        self._memory[[0, self.pages], :DATA_START] = 0
        self._counts[:] = 0
        ring = self.record
        ring.time = ring.entries = ring.begun = ring.overrun = ring.dropped = 0
        ring.read = ring.read_offset = ring.read_time = ring.overrun_seen = ring.lost = 0
        self._begin()

    def _begin(self) -> None:
        """Places the tail and the reader page, which are empty. Writes to no page: pages take memory only when they are used."""
        self._place(np.arange(self.pages), self.pages, tail=0)

    def _place(self, ring: NDArray[np.int64], reader: int, tail: int) -> None:
        """Links the pages `ring`, oldest first, with `reader` outside the ring."""
        self._next[ring] = np.roll(ring, -1)
        self._next[reader] = ring[0]
        self.record.head = int(ring[0])
        self.record.reader = reader
        self.record.tail = tail
        page = self.record.pool[tail]
        self.record.place = page.data.address + page.commit
        self.record.end = page.address + PAGE_SIZE

    def resize(self, pages: int) -> None:
        """Changes the number of pages in the ring, at least two. Empty pages go first, then the oldest.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        pages = max(pages, _FEWEST_PAGES)
        if pages == self.pages:
            return
        reader, tail = self.record.reader, self.record.tail
        used = self._ring_to_tail()
        given_up = used[: max(len(used) - pages, 0)]
        kept = used[len(given_up) :]
        old_pages, old_counts = self._pages, self._counts
        self._allocate(pages)
        self.record.overrun = self.overrun + int(old_counts[given_up].sum())
        self._memory[: len(kept)], self._counts[: len(kept)] = old_pages[kept], old_counts[kept]
        self._memory[pages], self._counts[pages] = old_pages[reader], old_counts[reader]
        self._place(np.arange(pages), pages, tail=pages if tail == reader else len(kept) - 1)
