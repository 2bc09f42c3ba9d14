# SPDX-License-Identifier: GPL-2.0-only
"""Version 7 of trace.dat: sections, to which options point. trace-cmd.dat.v7(5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from emu.trace.dat.byte_reader import ByteReader
from emu.trace.dat.compression import unpacker
from emu.trace.dat.metadata import event_formats, ftrace_formats, header_layout, sized_bytes
from emu.trace.dat.options import Found, OptionNumber, describe
from emu.trace.dat.pages import MOST_CPUS, PagesReader, check_page_size
from emu.trace.errors import TraceFileError
from emu.trace.recording import Buffer, CpuPages, FormatText, Option, Recording

__all__ = ["Version7"]

_COMPRESSED = 1  # a section's flag
_Item = TypeVar("_Item")
_CPU_ENTRY = 20  # bytes


class Version7:
    """Reads a file after its initial format.

    Args:
        memory: the whole file.
        reader: positioned after the page size.
        byte_order: "little" or "big".
        complain: called with each error. If it does not raise the error, everything else that can be read is read.
    """

    def __init__(
        self, memory: memoryview, reader: ByteReader, byte_order: str, complain: Callable[[TraceFileError], None]
    ) -> None:
        self._memory = memory
        self._byte_order = byte_order
        self._complain = complain
        self.compression = reader.string("the name of the compression")
        reader.string("the version of the compression")
        place = reader.place
        self._unpack = None if self.compression in ("", "none") else unpacker(self.compression, place)
        self._first = reader.number(8, "the place of the options")
        self._pages = PagesReader(memory, byte_order, complain)

    def recording(self) -> Recording:
        """Everything except the initial format."""
        found: Found = {"cpu_count": 0}
        formats: list[FormatText] = []
        buffers: list[Buffer] = []
        options = list(self._tolerant(self._options()))
        cpus = None
        for option, place in options:
            try:
                match option.number:
                    case OptionNumber.HEADER_INFO:
                        found["layout"] = header_layout(self._section(option, place))
                    case OptionNumber.FTRACE_EVENTS:
                        formats += self._tolerant(ftrace_formats(self._section(option, place)))
                    case OptionNumber.EVENT_FORMATS:
                        formats += self._tolerant(event_formats(self._section(option, place)))
                    case OptionNumber.KALLSYMS:
                        found["kallsyms"] = sized_bytes(self._section(option, place), 4, "kallsyms")
                    case OptionNumber.PRINTK:
                        found["printk_formats"] = sized_bytes(self._section(option, place), 4, "printk formats")
                    case OptionNumber.CMDLINES:
                        found["saved_cmdlines"] = sized_bytes(self._section(option, place), 8, "command lines")
                    case OptionNumber.CPUCOUNT:
                        cpus = self._of(option, place).number(4, "the number of CPUs")
                    case OptionNumber.BUFFER:
                        buffers.append(self._buffer(self._of(option, place)))
            except TraceFileError as error:
                self._complain(error)
        describe(found, [option for option, _ in options], self._byte_order)
        found["cpu_count"] = _cpu_count(cpus, buffers)
        return Recording(buffers=buffers, formats=formats, file_version=7, compression=self.compression or "none", **found)

    def _tolerant(self, items: Iterator[_Item]) -> Iterator[_Item]:
        """The items up to the first error."""
        try:
            yield from items
        except TraceFileError as error:
            self._complain(error)

    def _options(self) -> Iterator[tuple[Option, int]]:
        """The options in all option sections, with the position of each one's data."""
        section, seen = self._first, set[int]()
        while section:
            if section in seen:
                raise TraceFileError(section, "these options lead back to themselves")
            seen.add(section)
            reader = self._section_at(section)
            section = 0
            while reader.left:
                number, size = reader.number(2, "an option's number"), reader.number(4, "an option's size")
                place, data = reader.place, reader.bytes(size, f"option {number}")
                if number == OptionNumber.DONE:
                    section = int.from_bytes(data[:8], self._byte_order)  # type: ignore[arg-type]  # one of two strings
                    break
                yield Option(number, data), place

    def _of(self, option: Option, place: int) -> ByteReader:
        return ByteReader(memoryview(option.data), self._byte_order, 0, place)

    def _section(self, option: Option, place: int) -> ByteReader:
        """The section to which an option points."""
        return self._section_at(self._of(option, place).number(8, "the place of a section"))

    def _section_at(self, place: int) -> ByteReader:
        reader = ByteReader(self._memory, self._byte_order, place)
        reader.number(2, "a section's number")
        flags = reader.number(2, "a section's flags")
        reader.number(4, "a section's description")
        size = reader.number(8, "a section's size")
        if not flags & _COMPRESSED:
            start = reader.place
            return ByteReader(reader.view(size, "a section"), self._byte_order, 0, start)
        packed, size = reader.number(4, "a section's size packed"), reader.number(4, "a section's size unpacked")
        start = reader.place
        if self._unpack is None:
            raise TraceFileError(place, "a section is compressed, and the file says that nothing is")
        data = self._unpack(reader.view(packed, "a section"), size, start)
        return ByteReader(memoryview(data), self._byte_order, 0, start, packed=True)

    def _buffer(self, option: ByteReader) -> Buffer:
        section = ByteReader(self._memory, self._byte_order, option.number(8, "the place of a buffer's section"))
        name, clock = option.string("a buffer's name"), option.string("a buffer's clock")
        section.number(2, "a section's number")
        compressed = section.number(2, "a section's flags") & _COMPRESSED
        place = option.place
        page_size, count = option.number(4, "the size of a page"), option.number(4, "the number of CPUs")
        check_page_size(page_size, place)
        if count * _CPU_ENTRY > option.left:
            raise TraceFileError(place + 4, f"a buffer of {count} CPUs, of which {option.left // _CPU_ENTRY} are described")
        cpus = [page for _ in range(count) for page in self._tolerant(self._cpu(option, page_size, compressed != 0))]
        return Buffer(name, clock, cpus)

    def _cpu(self, option: ByteReader, page_size: int, compressed: bool) -> Iterator[CpuPages]:
        place = option.place
        cpu = option.number(4, "a CPU's number")
        offset, size = option.number(8, "the place of a CPU's pages"), option.number(8, "the size of a CPU's pages")
        if cpu >= MOST_CPUS:
            raise TraceFileError(place, f"a CPU has the number {cpu}")
        if not size:
            return
        if compressed and self._unpack is not None:
            yield self._pages.unpacked(cpu, offset, page_size, self._unpack)
        else:
            yield self._pages.mapped(cpu, offset, size, page_size, place)


def _cpu_count(said: int | None, buffers: list[Buffer]) -> int:
    """The number of CPUs: as stated in the file, or as required by the pages."""
    return said if said is not None else max((cpu.cpu + 1 for buffer in buffers for cpu in buffer.cpus), default=0)
