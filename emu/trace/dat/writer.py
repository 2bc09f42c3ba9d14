# SPDX-License-Identifier: GPL-2.0-only
"""Writes trace.dat, trace-cmd's file format: version 7 (trace-cmd.dat.v7(5)) and version 6 (trace-cmd.dat.v6(5)).

Ring buffer pages are written unchanged, in the byte order of the machine that recorded them. They come
from files, so that a trace can be larger than memory.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, NamedTuple

from emu.trace.dat.options import OptionNumber
from emu.trace.recording import CallCost

__all__ = ["Description", "PageFile", "WrittenBuffer", "write_dat"]

_MAGIC = b"\x17\x08\x44tracing"
_LONG = 8  # bytes
_COPIED = 1 << 20  # bytes at once
_CHUNK_PAGES = 32
_COMPRESSED = 1  # a section's flag

_STRINGS = 15  # a section


@dataclass(frozen=True)
class Description:
    """The contents of a trace.dat besides its events: tracefs files as read, and facts about the machine.

    Attributes:
        byte_order: the machine's byte order.
        page_size: the size of its ring buffers' pages in bytes.
        header_page, header_event: events/header_page, events/header_event.
        ftrace_formats: the format files of events/ftrace.
        event_formats: the format files of each system's events, by system.
        kallsyms: /proc/kallsyms, including modules.
        printk_formats, saved_cmdlines, trace_clock: the files of these names.
        uname: system, host, release and machine, like the start of `uname -a`.
        version: the program that recorded.
        trace_id: a number for the recording.
        cpus: the machine's number of CPUs.
        stats: per_cpu/cpu*/stats, after the recording.
        saved_tgids, trace_options: the files of these names.
        btf: what the kernel's functions take, if their arguments are recorded: the BTF of the kernel, named "", and of modules.
        kernel_values: the kernel's numbers used by print fmts.
        call_cost: the cost of recording a call; None if it is not constant.
        origin: what is needed to reproduce the recording (`emu.trace.origin`).
    """

    byte_order: Literal["little", "big"]
    page_size: int
    header_page: str
    header_event: str
    ftrace_formats: Sequence[str]
    event_formats: Mapping[str, Sequence[str]]
    kallsyms: str
    printk_formats: str
    saved_cmdlines: str
    trace_clock: str
    uname: str
    version: str
    trace_id: int
    cpus: int
    stats: Sequence[str]
    saved_tgids: str = ""
    trace_options: str = ""
    btf: Mapping[str, bytes | memoryview] = field(default_factory=dict)
    kernel_values: Mapping[str, int] = field(default_factory=dict)
    call_cost: CallCost | None = None
    origin: bytes = b""


class PageFile(NamedTuple):
    """A CPU's pages: a file with nothing else, open for reading."""

    cpu: int
    file: BinaryIO


class WrittenBuffer(NamedTuple):
    """A trace array's pages, for the CPUs that have any. The top array's name is empty."""

    name: str
    clock: str
    cpus: Sequence[PageFile]


def write_dat(
    file: BinaryIO,
    description: Description,
    buffers: Sequence[WrittenBuffer],
    *,
    version: Literal[6, 7] = 7,
    compress: bool = False,
) -> None:
    """Writes a complete trace.dat to an empty, seekable file.

    Args:
        version: the format's version; 6 has no compression.
        compress: with zstd.

    Raises:
        OSError: the file cannot be written.
        ValueError: version 6 does not support the arguments.
    """
    if version == 6:
        if compress:
            raise ValueError("trace.dat version 6 has no compression")
        _Version6(file, description).write(buffers)
    else:
        _Version7(file, description, _compressor() if compress else None).write(buffers)


def _compressor() -> Callable[[bytes], bytes]:
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress


@dataclass
class _Writer:
    """The common part of both versions."""

    file: BinaryIO
    description: Description

    def number(self, kind: str, *values: int) -> bytes:
        """Numbers in the file's byte order, in struct's notation."""
        return struct.pack(("<" if self.description.byte_order == "little" else ">") + kind, *values)

    def sized(self, text: str, kind: str = "Q") -> bytes:
        content = text.encode()
        return self.number(kind, len(content)) + content

    def beginning(self, version: int) -> bytes:
        big = self.description.byte_order == "big"
        return _MAGIC + b"%d\0" % version + bytes([big, _LONG]) + self.number("I", self.description.page_size)

    def headers(self) -> bytes:
        one = self.description
        return b"header_page\0" + self.sized(one.header_page) + b"header_event\0" + self.sized(one.header_event)

    def ftrace_formats(self) -> bytes:
        formats = self.description.ftrace_formats
        return self.number("I", len(formats)) + b"".join(map(self.sized, formats))

    def event_formats(self) -> bytes:
        systems = self.description.event_formats
        return self.number("I", len(systems)) + b"".join(
            _string(system) + self.number("I", len(formats)) + b"".join(map(self.sized, formats))
            for system, formats in systems.items()
        )

    def options(self, clock: str) -> Iterable[tuple[int, bytes]]:
        """The options that both versions have. `clock`: the top array's."""
        one = self.description
        yield OptionNumber.TRACECLOCK, _string(one.trace_clock or f"[{clock}]")
        yield OptionNumber.UNAME, _string(one.uname)
        yield OptionNumber.VERSION, _string(one.version)
        yield OptionNumber.TRACEID, self.number("Q", one.trace_id)
        for text in one.stats:
            yield OptionNumber.CPUSTAT, _string(text)
        if one.saved_tgids:
            yield OptionNumber.SAVED_TGIDS, one.saved_tgids.encode()
        if one.trace_options:
            yield OptionNumber.TRACE_OPTIONS, one.trace_options.encode()
        for name, data in one.btf.items():
            yield OptionNumber.BTF, _string(name) + zlib.compress(data, 1)
        if one.kernel_values:
            yield OptionNumber.KERNEL_VALUES, json.dumps(one.kernel_values, sort_keys=True).encode()
        if one.call_cost:
            yield OptionNumber.CALL_COST, self.number("QQ", *one.call_cost)
        if one.origin:
            yield OptionNumber.ORIGIN, one.origin

    def listed(self, options: Iterable[tuple[int, bytes]]) -> bytes:
        return b"".join(self.number("HI", number, len(content)) + content for number, content in options)

    def align(self) -> int:
        """Pads the file to a whole page. Returns the position."""
        at = self.file.tell()
        self.file.write(b"\0" * (-at % self.description.page_size))
        return self.file.tell()

    def copy(self, source: BinaryIO) -> int:
        """Copies a whole file. Returns its size."""
        size = 0
        while piece := source.read(_COPIED):
            size += self.file.write(piece)
        return size


@dataclass
class _Version7(_Writer):
    """Sections, which options refer to."""

    compressed: Callable[[bytes], bytes] | None
    strings: bytearray = field(default_factory=bytearray)

    def write(self, buffers: Sequence[WrittenBuffer]) -> None:
        one, file = self.description, self.file
        file.write(self.beginning(7) + (b"zstd\0" + b"1.5.7\0" if self.compressed else b"none\0\0"))
        first_options = file.tell()
        file.write(bytes(8))
        options: list[tuple[int, bytes]] = [
            (number, self.number("Q", self.section(number, content, name)))
            for number, content, name in (
                (OptionNumber.HEADER_INFO, self.headers(), "headers"),
                (OptionNumber.FTRACE_EVENTS, self.ftrace_formats(), "ftrace events"),
                (OptionNumber.EVENT_FORMATS, self.event_formats(), "events format"),
                (OptionNumber.KALLSYMS, self.sized(one.kallsyms, "I"), "kallsyms"),
                (OptionNumber.PRINTK, self.sized(one.printk_formats, "I"), "printk"),
                (OptionNumber.CMDLINES, self.sized(one.saved_cmdlines), "command lines"),
            )
        ]
        options += self.options(buffers[0].clock)
        options.append((OptionNumber.CPUCOUNT, self.number("I", one.cpus)))
        options += [(OptionNumber.BUFFER, self.buffer(buffer)) for buffer in buffers]
        # The last option's offset is that of more options: 0, because there are none.
        content = self.listed([*options, (OptionNumber.DONE, self.number("Q", 0))])
        at = self.section(OptionNumber.DONE, content, "options", plain=True)
        self.section(_STRINGS, bytes(self.strings), "strings")
        file.seek(first_options)
        file.write(self.number("Q", at))

    def header(self, number: int, name: str, size: int, *, compressed: bool) -> bytes:
        """A section's header. The name is added to the strings, unless it is there already."""
        place = self.strings.find(_string(name))
        if place < 0:
            place = len(self.strings)
            self.strings += _string(name)
        return self.number("HHIQ", number, _COMPRESSED if compressed else 0, place, size)

    def section(self, number: int, content: bytes, name: str, *, plain: bool = False) -> int:
        """Writes a section. Returns its position."""
        at = self.file.tell()
        compressed = self.compressed is not None and not plain
        if compressed:
            content = self.chunk(content)
        self.file.write(self.header(number, name, len(content), compressed=compressed) + content)
        return at

    def chunk(self, content: bytes) -> bytes:
        assert self.compressed is not None
        packed = self.compressed(content)
        return self.number("II", len(packed), len(content)) + packed

    def buffer(self, buffer: WrittenBuffer) -> bytes:
        """Writes a trace array's pages. Returns the option that refers to them."""
        compressed = self.compressed is not None
        at = self.file.tell()
        self.file.write(self.header(OptionNumber.BUFFER, "flyrecord", 0, compressed=compressed))
        begin = self.file.tell()
        table = b""
        for cpu, source in buffer.cpus:
            start = self.align()
            size = self.copy_compressed(source) if compressed else self.copy(source)
            table += self.number("IQQ", cpu, start, size)
        end = self.file.tell()
        self.file.seek(at)
        self.file.write(self.header(OptionNumber.BUFFER, "flyrecord", end - begin, compressed=compressed))
        self.file.seek(end)
        pages = self.number("II", self.description.page_size, len(buffer.cpus))
        return self.number("Q", at) + _string(buffer.name) + _string(buffer.clock) + pages + table

    def copy_compressed(self, source: BinaryIO) -> int:
        """Copies a whole file in chunks, preceded by their number. Returns the bytes written."""
        start, count = self.file.tell(), 0
        self.file.write(self.number("I", 0))
        while piece := source.read(_CHUNK_PAGES * self.description.page_size):
            self.file.write(self.chunk(piece))
            count += 1
        end = self.file.tell()
        self.file.seek(start)
        self.file.write(self.number("I", count))
        self.file.seek(end)
        return end - start


class _Version6(_Writer):
    """One part after another. Options refer to the pages of instances."""

    def write(self, buffers: Sequence[WrittenBuffer]) -> None:
        one, file = self.description, self.file
        file.write(self.beginning(6) + self.headers() + self.ftrace_formats() + self.event_formats())
        file.write(self.sized(one.kallsyms, "I") + self.sized(one.printk_formats, "I") + self.sized(one.saved_cmdlines))
        top, *instances = buffers
        file.write(self.number("I", one.cpus) + b"options  \0")
        named = []
        file.write(self.listed([*self.options(top.clock), (OptionNumber.CPUCOUNT, self.number("I", one.cpus))]))
        for instance in instances:
            file.write(self.number("HI", OptionNumber.BUFFER, 8 + len(_string(instance.name))))
            named.append((file.tell(), instance))
            file.write(bytes(8) + _string(instance.name))
        file.write(self.number("H", OptionNumber.DONE))
        self.pages(top)
        for place, instance in named:
            at = file.tell()
            self.pages(instance)
            end = file.tell()
            file.seek(place)
            file.write(self.number("Q", at))
            file.seek(end)

    def pages(self, buffer: WrittenBuffer) -> None:
        """Writes a table with the position of each CPU's pages, then the pages."""
        file, count = self.file, self.description.cpus
        file.write(b"flyrecord\0")
        table = file.tell()
        file.write(bytes(16 * count))
        clock = _string(f"[{buffer.clock}]")
        file.write(self.number("Q", len(clock)) + clock)
        sources, entries = dict(buffer.cpus), b""
        for cpu in range(count):
            start = self.align()
            entries += self.number("QQ", start, self.copy(sources[cpu]) if cpu in sources else 0)
        end = file.tell()
        file.seek(table)
        file.write(entries)
        file.seek(end)


def _string(text: str) -> bytes:
    return text.encode() + b"\0"
