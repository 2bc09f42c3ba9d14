# SPDX-License-Identifier: GPL-2.0-only
"""The formats to which a trace can be converted, and their converters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from emu.trace.convert.chrome import chrome
from emu.trace.convert.comma_separated import comma_separated
from emu.trace.convert.flame_graph import flame_graph
from emu.trace.convert.folded import folded
from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.page import page
from emu.trace.convert.parquet import parquet
from emu.trace.convert.perfetto import perfetto
from emu.trace.convert.speedscope import speedscope

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["FORMATS", "Format", "convert", "format_of"]


class Format(NamedTuple):
    """Attributes:
    pieces: makes the file, piece by piece. After the first piece, no further errors in the trace are possible.
    options: the fields of ConvertOptions that it uses, besides the selection.
    is_text: whether it is readable on a terminal.
    """

    pieces: Callable[[Trace, ConvertOptions], Iterator[bytes]]
    options: frozenset[str] = frozenset()
    is_text: bool = True


FORMATS: Mapping[str, Format] = {  # by file name suffix
    "pftrace": Format(perfetto, is_text=False),
    "json": Format(chrome),
    "speedscope.json": Format(speedscope, frozenset({"title"})),
    "folded": Format(folded, frozenset({"by", "off_cpu"})),
    "svg": Format(flame_graph, frozenset({"by", "off_cpu", "title"})),
    "html": Format(page, frozenset({"title"})),
    "csv": Format(comma_separated, frozenset({"table"})),
    "parquet": Format(parquet, frozenset({"table"}), is_text=False),
}


def format_of(path: str | os.PathLike[str]) -> str | None:
    """The format for a file name's suffix; None if there is none."""
    name = Path(path).name
    return max((each for each in FORMATS if name.endswith(f".{each}")), key=len, default=None)


def convert(trace: Trace, path: str | os.PathLike[str], options: ConvertOptions | None = None, *, to: str | None = None) -> None:
    """Writes a file in the format given by its suffix, or by `to`. The file appears when it is complete.

    >>> convert(Trace.open("trace.dat"), "trace.pftrace")

    Afterwards `options.notes` lists what the format cannot represent.

    Raises:
        CannotConvert: the trace has nothing for the format.
        MissingLibrary: a library that the format needs is not installed.
        ValueError: neither the suffix nor `to` is a known format.
        TraceFileError: the trace is damaged.
        OSError: the file cannot be written.
    """
    name = to or format_of(path) or ""
    if name not in FORMATS:
        raise ValueError(f"no format has the name {to!r}" if to else f"the name {path} ends like no format: {', '.join(FORMATS)}")
    whole = Path(path)
    temporary = whole.with_name(f".{whole.name}.{os.getpid()}")
    try:
        with temporary.open("xb") as file:
            for piece in FORMATS[name].pieces(trace, options or ConvertOptions()):
                file.write(piece)
        temporary.replace(whole)
    finally:
        temporary.unlink(missing_ok=True)
