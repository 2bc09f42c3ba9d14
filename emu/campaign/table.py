# SPDX-License-Identifier: GPL-2.0-only
"""The table of a campaign: a row for each unit, with its parameters and what was measured.

The rows are sorted by their parameters, then by their measures, so the table does not depend on the order in which units were
done. It is written as Parquet, with the names of the parameters in the file's metadata, and as CSV for other programs.

Before the footer of the Parquet file are 32 bytes that its readers skip: the SHA-256 of all other bytes. So `read_table` finds
damage before pyarrow sees it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from emu.campaign.journal import Entry
from emu.campaign.unit import Scalar

if TYPE_CHECKING:
    import pyarrow

    _Piece: TypeAlias = pyarrow.Array | list[Scalar]

__all__ = ["BadTable", "Table", "read_table", "table_of", "write_whole"]

_METADATA = b"emu campaign"
_DIGEST = hashlib.sha256().digest_size
_MAGIC, _END = b"PAR1", 8  # bytes: the length of the footer, and the magic number again
_AT_ONCE = 500  # entries whose values are taken together, while the processor's cache has them
_KINDS = (bool, int, float, str, type(None))  # bool is an int

_Names: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # of an entry's parameters, and of its measures


class BadTable(ValueError):
    """A file is no table of a campaign, or is damaged. The text names the file."""


@dataclass(frozen=True)
class Table:
    """Attributes:
    columns: the columns, those of parameters first, as a pyarrow.Table.
    parameters: the names of the parameters.
    """

    columns: pyarrow.Table
    parameters: tuple[str, ...]

    @property
    def measures(self) -> list[str]:
        """The names of what was measured."""
        return [*self.columns.column_names[len(self.parameters) :]]

    def rows(self) -> list[dict[str, Scalar]]:
        """The rows as dictionaries."""
        found: list[dict[str, Scalar]] = self.columns.to_pylist()
        return found

    def write(self, parquet: Path, csv: Path) -> None:
        """Writes the two files. Each appears whole or not at all.

        Raises:
            OSError: a file cannot be written.
        """
        import pyarrow.csv
        import pyarrow.parquet

        names = json.dumps({"version": 1, "parameters": self.parameters}).encode()
        described = self.columns.replace_schema_metadata({_METADATA: names})
        sink = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(described, sink)
        data = sink.getvalue().to_pybytes()
        footer = _footer(data)
        write_whole(parquet, lambda file: file.write_bytes(data[:footer] + hashlib.sha256(data).digest() + data[footer:]))
        write_whole(csv, lambda file: pyarrow.csv.write_csv(self.columns, str(file)))


def table_of(entries: Iterable[Entry]) -> Table:
    """The table with a row for each entry. The order of the entries does not matter."""
    import pyarrow

    found = sorted(_pieces(entries).items(), key=lambda item: (-len(item[0][0]), item[0]))
    parameters = tuple(dict.fromkeys(name for (names, _), _ in found for name in names))
    measures = sorted({name for (_, names), _ in found for name in names})
    if both := [name for name in parameters if name in measures]:
        raise ValueError(f"'{both[0]}' is a parameter of one unit and a measure of another")
    columns: dict[str, list[_Piece]] = {name: [] for name in (*parameters, *measures)}
    for names, (rows, pieces) in found:
        own = dict(zip(chain(*names), pieces, strict=True))
        for name, column in columns.items():
            column += own.get(name, [pyarrow.nulls(rows)])
    table = pyarrow.table({name: _column(pieces) for name, pieces in columns.items()})
    if table.num_rows:
        table = table.sort_by([(name, "ascending") for name in columns])
    return Table(table.combine_chunks(), parameters)


def _pieces(entries: Iterable[Entry]) -> dict[_Names, tuple[int, list[list[_Piece]]]]:
    """For entries with the same names: how many there are, and a list for each name, with pieces of its column."""
    found: dict[_Names, tuple[int, list[list[_Piece]]]] = {}
    rest = iter(entries)
    while some := [*islice(rest, _AT_ONCE)]:
        for names, group in _alike(some).items():
            rows, columns = found.get(names) or (0, [[] for _ in chain(*names)])
            found[names] = rows + len(group), columns
            for column, values in zip(columns, _values(names, group), strict=True):
                column.append(_piece(values))
    return found


def _alike(entries: list[Entry]) -> dict[_Names, list[Entry]]:
    """The entries by their names."""
    names = [*zip(map(tuple, map(itemgetter(0), entries)), map(tuple, map(itemgetter(1), entries)), strict=True)]
    if len({*names}) == 1:
        return {names[0]: entries}
    found: dict[_Names, list[Entry]] = {}
    for own, entry in zip(names, entries, strict=True):
        found.setdefault(own, []).append(entry)
    return found


def _values(names: _Names, entries: Sequence[Entry]) -> Iterator[list[Scalar]]:
    for n, own in enumerate(names):
        dictionaries = [*map(itemgetter(n), entries)]
        for name in own:
            yield [*map(itemgetter(name), dictionaries)]


def read_table(path: Path) -> Table:
    """Reads a Parquet file that `Table.write` has written.

    Raises:
        BadTable: see there.
        OSError: it cannot be read.
    """
    import pyarrow
    import pyarrow.parquet

    data = path.read_bytes()
    footer = _footer(data)
    digest = data[max(footer - _DIGEST, 0) : max(footer, 0)]
    if not data.startswith(_MAGIC) or _sha256(data[: max(footer - _DIGEST, 0)], data[max(footer, 0) :]) != digest:
        raise BadTable(f"{path} is no table of a campaign, or is damaged")
    columns = pyarrow.parquet.read_table(pyarrow.BufferReader(data), use_threads=False)
    described = json.loads(columns.schema.metadata[_METADATA])
    if described["version"] != 1:
        raise BadTable(f"{path} is a table of another version")
    return Table(columns.replace_schema_metadata(None), tuple(described["parameters"]))


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file that appears whole or not at all. `write` writes to another path in the same folder.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _kinds(values: Iterable[Scalar]) -> set[type]:
    """The types of values. That of numpy's float is float."""
    return {next(kind for kind in _KINDS if issubclass(found, kind)) for found in {*map(type, values)}}


def _piece(values: list[Scalar]) -> _Piece:
    """A column of values of one type; or the values themselves, if there are several."""
    import pyarrow

    kinds = _kinds(values)
    with suppress(OverflowError, pyarrow.ArrowInvalid):  # an integer of more than 64 bits
        if kinds == {int}:
            return pyarrow.array(np.fromiter(cast(Sequence[int], values), np.int64, len(values)))
        if len(kinds - {type(None)}) <= 1:
            return pyarrow.array(values)
    return values


def _column(pieces: Sequence[_Piece]) -> pyarrow.Array | pyarrow.ChunkedArray:
    """A column of one type: of texts, if the values are of several that are not all numbers."""
    import pyarrow

    arrays = [piece for piece in pieces if isinstance(piece, pyarrow.Array)]
    kinds = {piece.type for piece in arrays} - {pyarrow.null()}
    if len(arrays) == len(pieces) and len(kinds) <= 1:
        kind = kinds.pop() if kinds else pyarrow.null()
        whole = [pyarrow.nulls(len(piece), kind) if piece.type == pyarrow.null() else piece for piece in arrays]
        return pyarrow.chunked_array(whole, kind)
    values = [*chain.from_iterable(piece.to_pylist() if isinstance(piece, pyarrow.Array) else piece for piece in pieces)]
    if _kinds(values) <= {int, float, type(None)}:
        with suppress(OverflowError, pyarrow.ArrowInvalid):
            return pyarrow.array(values, pyarrow.float64() if float in _kinds(values) else None)
    texts = [None if value is None else value if isinstance(value, str) else json.dumps(value) for value in values]
    return pyarrow.array(texts, pyarrow.string())


def _footer(data: bytes) -> int:
    """Where the footer of a Parquet file begins; less than 0, if it is none."""
    if len(data) < _END or not data.endswith(_MAGIC):
        return -1
    return len(data) - _END - int.from_bytes(data[-_END : -len(_MAGIC)], "little")


def _sha256(*pieces: bytes) -> bytes:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()
