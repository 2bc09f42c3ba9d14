# SPDX-License-Identifier: GPL-2.0-only
"""Parquet, a format for pandas, polars, DuckDB and others; written by pyarrow, compressed with zstd. Times are in nanoseconds."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.rows import EventRows, chosen_table, event_rows, path_of
from emu.trace.data_frames import library
from emu.trace.ranges import distinct_values
from emu.trace.trace import Trace

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["parquet"]


def parquet(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The bytes of the file: a row for each event, or for each row of a table.

    Raises:
        MissingLibrary: pyarrow is not installed.
        CannotConvert: the table does not exist.
    """
    arrow, files = library("pyarrow"), library("pyarrow.parquet")
    sink = _Pieces()
    if options.table is not None:
        files.write_table(chosen_table(trace, options).to_arrow(), sink, compression="zstd")
        yield from sink.taken()
        return
    with files.ParquetWriter(sink, _schema(arrow), compression="zstd") as writer:
        for rows in event_rows(trace, options):
            writer.write_batch(_batch(arrow, trace, rows))
            yield from sink.taken()
    yield from sink.taken()


class _Pieces(io.RawIOBase):
    """A file object that hands out the data written since the last call."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        self._pieces.append(bytes(data))
        self._written += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        return self._written

    def taken(self) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces


def _schema(arrow: ModuleType) -> object:
    name = arrow.dictionary(arrow.int32(), arrow.string())
    types = {"time": arrow.uint64(), "cpu": arrow.uint16(), "pid": arrow.int32(), "task": name, "event": name}
    return arrow.schema({**types, "info": arrow.string()})


def _batch(arrow: ModuleType, trace: Trace, rows: EventRows) -> object:
    def names(values: NDArray[np.integer], name: Callable[[int], str]) -> object:
        distinct, which = distinct_values(values)
        return arrow.DictionaryArray.from_arrays(which, [_valid(name(value)) for value in distinct])

    columns = [
        arrow.array(rows.time), arrow.array(rows.cpu), arrow.array(rows.pid), names(rows.pid, trace.tasks.name_of),
        names(rows.kind, lambda kind: path_of(trace, kind)), _texts(arrow, rows),
    ]  # fmt: skip
    return arrow.RecordBatch.from_arrays(columns, schema=_schema(arrow))


def _texts(arrow: ModuleType, rows: EventRows) -> object:
    """The texts of events, stored contiguously."""
    lengths = rows.ends - rows.starts
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    places = np.arange(offsets[-1]) + np.repeat(rows.starts - offsets[:-1], lengths)
    data = rows.text[places].tobytes()
    try:
        data.decode()
    except UnicodeDecodeError:
        return arrow.array([data[start:end].decode(errors="replace") for start, end in pairwise(offsets)])
    return arrow.StringArray.from_buffers(len(lengths), arrow.py_buffer(offsets.tobytes()), arrow.py_buffer(data))


def _valid(text: str) -> str:
    return text.encode(errors="replace").decode()
