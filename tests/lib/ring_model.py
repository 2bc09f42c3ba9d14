# SPDX-License-Identifier: GPL-2.0-only
"""A ring buffer made of lists, for comparison with real ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.ftrace.buffers.entries import Events
from tests.lib.payload import payload

__all__ = ["PAGE_DATA", "RingModel", "listed", "padded"]

PAGE_DATA = 4080
Event = tuple[int, bytes]  # time, data


def padded(data: bytes) -> bytes:
    """The data as it is read back: padded to whole words, and never to an event of 12 bytes including its header."""
    size = max((len(data) + 3) // 4 * 4, 4)
    return data.ljust(12 if size == 8 else size, b"\0")


@dataclass
class Page:
    events: list[Event] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # of each event, in bytes

    @property
    def used(self) -> int:
        return self.ends[-1] if self.ends else 0


class RingModel:
    """A plain model of a ring buffer. The tail is the ring's last page, or the reader page if the ring is empty.

    The first `done` events of the reader page are consumed. `spilled`: events taken before they were overwritten; or None.
    """

    def __init__(self, pages: int, overwrite: bool) -> None:
        self.pages, self.overwrite = pages, overwrite
        self.ring, self.reader, self.consumed, self.done = [Page()], Page(), True, 0
        self.spilled: list[Event] | None = None
        self.time = self.overrun = self.dropped = self.read = self.seen = self.lost = 0

    def write(self, time: int, data: bytes) -> bool:
        length = 4 + len(padded(data)) + (4 if len(data) > 112 else 0)
        if length > PAGE_DATA:
            self.dropped += 1
            return False
        time = max(time, self.time)
        delta = time - self.time
        tail = self.ring[-1] if self.ring else self.reader
        extend = 8 if delta >= 1 << 27 and tail.events else 0
        if tail.used + extend + length > PAGE_DATA or (extend and delta >= 1 << 59):
            if len(self.ring) == self.pages and self.spilled is not None:
                self.spilled += self.take_full()
            if len(self.ring) == self.pages:
                if not self.overwrite:
                    self.dropped += 1
                    return False
                self.overrun += len(self.ring.pop(0).events)
            tail, extend = Page(), 0
            self.ring.append(tail)
        tail.events.append((time, padded(data)))
        tail.ends.append(tail.used + extend + length)
        self.consumed = self.consumed and tail is not self.reader
        self.time = time
        return True

    def unread(self) -> list[Event]:
        return [event for page in [Page(self.unread_by_reader()), *self.ring] for event in page.events]

    def unread_by_reader(self) -> list[Event]:
        return self.reader.events[self.done :] if not self.consumed else []

    def peek(self) -> tuple[list[Event], int] | None:
        """The rest of the reader page. If it is consumed, the oldest page becomes the reader page first."""
        if self.consumed:
            if not self.unread():
                return None
            self.reader, self.done, self.consumed = self.ring.pop(0), 0, False
            self.lost += self.overrun - self.seen
            self.seen = self.overrun
        return self.reader.events[self.done :], self.lost

    def discard(self, count: int) -> None:
        self.done += count
        self.consumed = self.done == len(self.reader.events)
        self.read += count
        self.lost = 0

    def consume(self) -> tuple[list[Event], int] | None:
        found = self.peek()
        if found is not None:
            self.discard(len(found[0]))
        return found

    def take_full(self) -> list[Event]:
        """The events of all pages except the tail."""
        taken = []
        while len(self.ring) > (1 if self.consumed else 0):
            found = self.consume()
            assert found is not None
            taken += found[0]
        return taken

    def used_bytes(self) -> int:
        taken = self.reader.ends[self.done - 1] if self.done else 0
        if not self.ring:
            return self.reader.used - taken
        return (0 if self.consumed else PAGE_DATA - taken) + (len(self.ring) - 1) * PAGE_DATA + self.ring[-1].used

    def resize(self, pages: int) -> None:
        self.pages = pages
        while len(self.ring) > pages:
            self.overrun += len(self.ring.pop(0).events)


def listed(events: Events) -> list[Event]:
    return [(int(time), payload(events, index)) for index, time in enumerate(events.time)]
