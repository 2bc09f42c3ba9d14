# SPDX-License-Identifier: GPL-2.0-only
"""Parts of trace.dat with the same form in both versions, each read at a reader's position."""

from __future__ import annotations

import re
from collections.abc import Iterator

from emu.trace.dat.byte_reader import ByteReader
from emu.trace.recording import FormatText, PageLayout

__all__ = ["event_formats", "ftrace_formats", "header_layout", "sized_bytes"]

_FIELD = re.compile(r"field:\s*\S.*?(\w+);\s*offset:(\d+);\s*size:(\d+);")


def header_layout(reader: ByteReader) -> PageLayout:
    """`header_page` and `header_event`: the layout of pages. The latter is not used: it is the same in all Linux kernels."""
    reader.expect(b"header_page\0", "header_page")
    text = reader.bytes(reader.number(8, "the size of header_page"), "header_page").decode(errors="replace")
    layout = _page_layout(text, reader)
    reader.expect(b"header_event\0", "header_event")
    reader.view(reader.number(8, "the size of header_event"), "header_event")
    return layout


def _page_layout(text: str, reader: ByteReader) -> PageLayout:
    fields = {name: (int(offset), int(size)) for name, offset, size in _FIELD.findall(text)}
    if not {"commit", "data"} <= set(fields):
        raise reader.error("header_page names no commit and no data")
    (commit, size), (data, _) = fields["commit"], fields["data"]
    if size not in (4, 8) or not 8 <= commit <= data - size or data > 64 or data % 4:
        raise reader.error(f"header_page has its commit at byte {commit} in {size} bytes, and its data at {data}")
    return PageLayout(commit, size, data)


def ftrace_formats(reader: ByteReader) -> Iterator[FormatText]:
    """The formats of the system ftrace."""
    for _ in range(reader.number(4, "the number of ftrace's formats")):
        yield _format(reader, "ftrace")


def event_formats(reader: ByteReader) -> Iterator[FormatText]:
    """The formats of all other systems."""
    for _ in range(reader.number(4, "the number of systems")):
        system = reader.string("a system's name")
        for _ in range(reader.number(4, "the number of a system's events")):
            yield _format(reader, system)


def _format(reader: ByteReader, system: str) -> FormatText:
    size, place = reader.number(8, "the size of a format"), reader.place
    return FormatText(system, reader.bytes(size, "a format").decode(errors="surrogateescape"), place)


def sized_bytes(reader: ByteReader, width: int, what: str) -> bytes:
    """A size in `width` bytes, followed by that many bytes."""
    return reader.bytes(reader.number(width, f"the size of {what}"), what)
