# SPDX-License-Identifier: GPL-2.0-only
"""A writer of trace.dat that shares nothing with emu's reader: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from tests.lib.golden import read_golden

__all__ = ["Dat", "Pages", "event_id", "header_page", "linux_formats"]

PAGE = 4096
HEADER_EVENT = read_golden("file-events_header_event.initial.txt")


def _by_system(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in re.split(r"^== events/", text, flags=re.MULTILINE)[1:]:
        path, _, body = part.partition("\n")
        found.setdefault(path.split("/")[0], []).append(body.rstrip("\n") + "\n")
    return found


@cache
def linux_formats() -> Mapping[str, Sequence[str]]:
    """The formats of a real Linux, by system."""
    return _by_system(read_golden("format-all.txt.gz"))


@cache
def event_id(system: str, name: str) -> int:
    """The number of an event in that Linux."""
    [text] = [text for text in linux_formats()[system] if text.startswith(f"name: {name}\n")]
    found = re.search(r"^ID: (\d+)$", text, re.MULTILINE)
    assert found
    return int(found[1])


class Pages:
    """The ring-buffer pages of one CPU, filled event by event. `long_size`: the size of a page's commit in bytes."""

    def __init__(self, order: str = "<", long_size: int = 8) -> None:
        self.order = order
        self._long = "Q" if long_size == 8 else "I"
        self._room = PAGE - 8 - long_size
        self.data = b""
        self._page = b""
        self._start = self._last = 0
        self._lost: int | None = None

    def _header(self, type_len: int, delta: int) -> bytes:
        word = delta << 5 | type_len if self.order == "<" else type_len << 27 | delta
        return struct.pack(f"{self.order}I", word)

    def add(self, time: int, entry: bytes) -> None:
        """Adds an event; `entry` begins with the common fields."""
        entry = entry.ljust(-(-len(entry) // 4) * 4, b"\0")
        words = len(entry) // 4
        for _ in range(2):
            if not self._page:
                self._start = self._last = time
            delta, record = time - self._last, b""
            if delta >= 1 << 27:
                record, delta = self._header(30, delta & 0x7FFFFFF) + struct.pack(f"{self.order}I", delta >> 27), 0
            if words <= 28:
                record += self._header(words, delta) + entry
            else:
                record += self._header(0, delta) + struct.pack(f"{self.order}I", len(entry) + 4) + entry
            if len(self._page) + len(record) <= self._room:
                break
            self.flush()
        self._page += record
        self._last = time

    def padding(self, size: int, delta: int = 1) -> None:
        """Adds a discarded event of `size` bytes of data."""
        self._page += self._header(29, delta) + struct.pack(f"{self.order}I", size + 4) + b"x" * size
        self._last += delta

    def stamp(self, time: int) -> None:
        """Adds an absolute time stamp."""
        self._page += self._header(31, time & 0x7FFFFFF) + struct.pack(f"{self.order}I", time >> 27 & 0xFFFFFFFF)
        self._last = time

    def lose(self, count: int) -> None:
        """Events are lost before the next page; -1: an unknown number."""
        self.flush()
        self._lost = count

    def flush(self) -> None:
        """Ends the page."""
        if self._page:
            commit, rest = len(self._page), b""
            if self._lost is not None:
                stored = self._lost >= 0 and commit + 8 <= self._room
                commit |= 1 << 31
                if stored:
                    commit, rest = commit | 1 << 30, struct.pack(f"{self.order}{self._long}", self._lost)
                self._lost = None
            head = struct.pack(f"{self.order}Q{self._long}", self._start, commit)
            self.data += (head + self._page + rest).ljust(PAGE, b"\0")
        self._page = b""


@dataclass
class Dat:
    """The contents of a file. `cpus`: the pages of each CPU; `instances`: those of each instance, by name."""

    cpus: Sequence[bytes]
    formats: Mapping[str, Sequence[str]] = field(default_factory=linux_formats)
    kallsyms: str = ""
    printk: str = ""
    cmdlines: str = ""
    clock: str = "local"
    order: str = "<"
    long_size: int = 8
    instances: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    cpu_count: int | None = None
    compression: str = "none"
    compress: Callable[[bytes], bytes] | None = None
    options: Sequence[tuple[int, bytes]] = ()
    header_page: str = ""  # "": the one that matches the size of long
    header_event: str = HEADER_EVENT

    def _p(self, layout: str, *numbers: int) -> bytes:
        return struct.pack(self.order + layout, *numbers)

    def _start(self, version: bytes) -> bytes:
        return b"\x17\x08\x44tracing" + version + b"\0" + bytes([self.order == ">", self.long_size]) + self._p("I", PAGE)

    def _headers(self) -> bytes:
        parts = b""
        for name in ("header_page", "header_event"):
            text = _raw(getattr(self, name) or header_page(self.long_size))
            parts += name.encode() + b"\0" + self._p("Q", len(text)) + text
        return parts

    def _ftrace(self) -> bytes:
        texts = [_raw(text) for text in self.formats["ftrace"]]
        return self._p("I", len(texts)) + b"".join(self._p("Q", len(text)) + text for text in texts)

    def _events(self) -> bytes:
        systems = {name: texts for name, texts in self.formats.items() if name != "ftrace"}
        found = self._p("I", len(systems))
        for name, texts in systems.items():
            found += name.encode() + b"\0" + self._p("I", len(texts))
            found += b"".join(self._p("Q", len(_raw(text))) + _raw(text) for text in texts)
        return found

    def _sized(self, text: str, width: str) -> bytes:
        return self._p(width, len(_raw(text))) + _raw(text)

    def _options(self) -> list[tuple[int, bytes]]:
        return [(5, b"Linux test 6.1\0"), (4, _raw(f"[{self.clock}]") + b"\0"), (11, self._p("Q", 0x1234)), *self.options]

    def version7(self) -> bytes:
        """The bytes of the file."""
        out = bytearray(self._start(b"7") + self.compression.encode() + b"\0" + b"1\0")
        place = len(out)
        out += b"\0" * 8
        options: list[tuple[int, bytes]] = []

        def section(number: int, body: bytes, *, packed: bool = True) -> int:
            flags = 0
            if self.compress and packed:
                data = self.compress(body)
                body, flags = self._p("II", len(data), len(body)) + data, 1
            at = len(out)
            out.extend(self._p("HHIQ", number, flags, 0, len(body)) + body)
            return at

        for number, body in (
            (16, self._headers()), (17, self._ftrace()), (18, self._events()), (19, self._sized(self.kallsyms, "I")),
            (20, self._sized(self.printk, "I")), (21, self._sized(self.cmdlines, "Q")),
        ):  # fmt: skip
            options.append((number, self._p("Q", section(number, body))))
        options += self._options()
        options.append((8, self._p("I", len(self.cpus) if self.cpu_count is None else self.cpu_count)))
        for name, cpus in {"": self.cpus, **self.instances}.items():
            at = len(out)
            out += self._p("HHIQ", 3, 1 if self.compress else 0, 0, 0)
            out += b"\0" * (-len(out) % PAGE)
            table = b""
            for cpu, pages in enumerate(cpus):
                data = self._chunks(pages) if self.compress else pages
                table += self._p("IQQ", cpu, len(out), len(data))
                out += data
            out[at + 8 : at + 16] = self._p("Q", len(out) - at - 16)
            head = self._p("Q", at) + name.encode() + b"\0" + _raw(self.clock) + b"\0"
            options.append((3, head + self._p("II", PAGE, len(cpus)) + table))
        section(15, b"\0")
        body = b"".join(self._p("HI", number, len(data)) + data for number, data in options) + self._p("HIQ", 0, 8, 0)
        out[place : place + 8] = self._p("Q", section(0, body, packed=False))
        return bytes(out)

    def _chunks(self, pages: bytes) -> bytes:
        assert self.compress
        chunks = [pages[start : start + 2 * PAGE] for start in range(0, len(pages), 2 * PAGE)]
        packed = [(self.compress(chunk), len(chunk)) for chunk in chunks]
        return self._p("I", len(chunks)) + b"".join(self._p("II", len(data), size) + data for data, size in packed)

    def version6(self) -> bytes:
        """The bytes of the file, without instances."""
        out = self._start(b"6") + self._headers() + self._ftrace() + self._events()
        out += self._sized(self.kallsyms, "I") + self._sized(self.printk, "I") + self._sized(self.cmdlines, "Q")
        out += self._p("I", len(self.cpus)) + b"options  \0"
        out += b"".join(self._p("HI", number, len(data)) + data for number, data in self._options()) + self._p("H", 0)
        clock = _raw(f"[{self.clock}]") + b"\0"
        out += b"flyrecord\0"
        at = len(out) + 16 * len(self.cpus) + 8 + len(clock)
        at += -at % PAGE
        body = b""
        for pages in self.cpus:
            out += self._p("QQ", at + len(body), len(pages))
            body += pages
        out += self._p("Q", len(clock)) + clock
        return out + b"\0" * (-len(out) % PAGE) + body


def _raw(text: str) -> bytes:
    """The text's bytes, even if they are not UTF-8."""
    return text.encode(errors="surrogateescape")
def header_page(long_size: int) -> str:
    data = 8 + long_size
    return (
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
        f"\tfield: local_t commit;\toffset:8;\tsize:{long_size};\tsigned:1;\n"
        f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
        f"\tfield: char data;\toffset:{data};\tsize:{PAGE - data};\tsigned:1;\n"
    )
