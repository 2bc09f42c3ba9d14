# SPDX-License-Identifier: GPL-2.0-only
"""Version 6 of trace.dat: one part after another. trace-cmd.dat.v6(5)."""

from __future__ import annotations

from collections.abc import Callable

from emu.trace.dat.byte_reader import ByteReader
from emu.trace.dat.metadata import event_formats, ftrace_formats, header_layout, sized_bytes
from emu.trace.dat.options import Found, OptionNumber, describe
from emu.trace.dat.pages import MOST_CPUS, PagesReader
from emu.trace.errors import TraceFileError
from emu.trace.recording import Buffer, FormatText, Option, Recording

__all__ = ["Version6"]

_KIND = 10  # bytes: "options  ", "flyrecord" or "latency  ", with NUL


class Version6:
    """Reads a file after its initial format. The arguments are those of `Version7`, and the page size."""

    def __init__(
        self,
        memory: memoryview,
        reader: ByteReader,
        byte_order: str,
        page_size: int,
        complain: Callable[[TraceFileError], None],
    ) -> None:
        self._memory = memory
        self._reader = reader
        self._byte_order = byte_order
        self._page_size = page_size
        self._complain = complain
        self._pages = PagesReader(memory, byte_order, complain)

    def recording(self) -> Recording:
        """Everything except the initial format. After an error, nothing that follows can be found."""
        found: Found = {"cpu_count": 0}
        formats: list[FormatText] = []
        buffers: list[Buffer] = []
        try:
            self._read(self._reader, found, formats, buffers)
        except TraceFileError as error:
            self._complain(error)
        return Recording(buffers=buffers, formats=formats, file_version=6, **found)

    def _read(self, reader: ByteReader, found: Found, formats: list[FormatText], buffers: list[Buffer]) -> None:
        found["layout"] = header_layout(reader)
        formats.extend(ftrace_formats(reader))
        formats.extend(event_formats(reader))
        found["kallsyms"] = sized_bytes(reader, 4, "kallsyms")
        found["printk_formats"] = sized_bytes(reader, 4, "printk formats")
        found["saved_cmdlines"] = sized_bytes(reader, 8, "command lines")
        place = reader.place
        cpus = reader.number(4, "the number of CPUs")
        if cpus > MOST_CPUS:
            raise TraceFileError(place, f"the file has {cpus} CPUs")
        found["cpu_count"] = cpus
        kind = reader.bytes(_KIND, "the kind of the trace")
        options: list[tuple[Option, int]] = []
        if kind == b"options  \0":
            options = self._options(reader)
            describe(found, [option for option, _ in options], self._byte_order)
            kind = reader.bytes(_KIND, "the kind of the trace")
        with_clock = any(option.number == OptionNumber.TRACECLOCK for option, _ in options)
        buffers.append(self._buffer("", kind, reader, cpus, with_clock))
        for option, place in options:
            if option.number == OptionNumber.BUFFER:
                buffers.append(self._instance(option, place, cpus, with_clock))

    def _options(self, reader: ByteReader) -> list[tuple[Option, int]]:
        """The options, with the position of each one's data."""
        found = []
        while number := reader.number(2, "an option's number"):
            size, place = reader.number(4, "an option's size"), reader.place
            found.append((Option(number, reader.bytes(size, f"option {number}")), place))
        return found

    def _instance(self, option: Option, place: int, cpus: int, with_clock: bool) -> Buffer:
        """The buffer to which an option points. It has the number of CPUs in the option, or else in the file."""
        data = ByteReader(memoryview(option.data), self._byte_order, 0, place)
        reader = ByteReader(self._memory, self._byte_order, data.number(8, "the place of a buffer"))
        name = data.string("a buffer's name")
        if data.left >= 4:
            cpus = min(data.number(4, "the number of CPUs"), MOST_CPUS)
        return self._buffer(name, reader.bytes(_KIND, "the kind of a buffer"), reader, cpus, with_clock)

    def _buffer(self, name: str, kind: bytes, reader: ByteReader, cpus: int, with_clock: bool) -> Buffer:
        if kind != b"flyrecord\0":
            raise TraceFileError(reader.place - _KIND, f"a trace of the kind {kind!r} holds no pages")
        places = []
        for cpu in range(cpus):
            place = reader.place
            places.append((cpu, reader.number(8, "the place of pages"), reader.number(8, "the size of pages"), place))
        clock = sized_bytes(reader, 8, "the clock").decode(errors="replace") if with_clock else ""
        pages = [
            self._pages.mapped(cpu, offset, size, self._page_size, place) for cpu, offset, size, place in places if size
        ]
        return Buffer(name, _selected(clock), pages)


def _selected(clocks: str) -> str:
    """The clock in brackets: `[local] global counter`."""
    return clocks.partition("[")[2].partition("]")[0] or "local"
