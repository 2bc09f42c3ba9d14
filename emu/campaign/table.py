# SPDX-License-Identifier: GPL-2.0-only
"""The table of a campaign: a row for each unit, with its parameters and what was measured.

The rows are sorted by their parameters, so the table does not depend on the order in which units were done. It is written as
Parquet, with the names of the parameters in the file's metadata, and as CSV for other programs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from emu.campaign.journal import Entry
from emu.campaign.unit import Scalar

if TYPE_CHECKING:
    import pyarrow

__all__ = ["BadTable", "Table", "read_table", "table_of"]

_METADATA = b"emu campaign"
_DIGEST = b"emu digest"


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

    def numbers(self) -> list[str]:
        """The names of the measures that are numbers."""
        import pyarrow.types as types

        def is_number(name: str) -> bool:
            kind = self.columns.schema.field(name).type
            return bool(types.is_integer(kind) or types.is_floating(kind))

        return [name for name in self.measures if is_number(name)]

    def write(self, parquet: Path, csv: Path) -> None:
        """Writes the two files. Each appears whole or not at all.

        Raises:
            OSError: a file cannot be written.
        """
        import pyarrow.csv
        import pyarrow.parquet

        names = json.dumps({"version": 1, "parameters": self.parameters}).encode()
        metadata = {_METADATA: names, _DIGEST: _digest(self.columns)}
        described = self.columns.replace_schema_metadata(metadata)
        _whole(parquet, lambda name: pyarrow.parquet.write_table(described, name, write_page_checksum=True))
        _whole(csv, lambda name: pyarrow.csv.write_csv(self.columns, name))


def table_of(entries: Iterable[Entry]) -> Table:
    """The table with a row for each entry."""
    import pyarrow

    parameters: dict[str, list[Scalar]] = {}
    measures: dict[str, list[Scalar]] = {}
    rows = 0
    for entry in entries:
        for columns, values in ((parameters, entry.parameters), (measures, entry.measures)):
            for name, value in values.items():
                column = columns.get(name)
                if column is None:
                    column = columns[name] = []
                if len(column) < rows:
                    column += [None] * (rows - len(column))
                column.append(value)
        rows += 1
    if both := [name for name in parameters if name in measures]:
        raise ValueError(f"'{both[0]}' is a parameter of one unit and a measure of another")
    table = pyarrow.table({
        name: _column([*column, *[None] * (rows - len(column))] if len(column) < rows else column)
        for name, column in (*parameters.items(), *sorted(measures.items()))
    })
    if parameters and rows:
        table = table.sort_by([(name, "ascending") for name in parameters])
    return Table(table.combine_chunks(), tuple(parameters))


def read_table(path: Path) -> Table:
    """Reads a Parquet file that `Table.write` has written.

    Raises:
        BadTable: see there.
        OSError: it cannot be read.
    """
    import pyarrow
    import pyarrow.parquet

    data = path.read_bytes()
    try:
        columns = pyarrow.parquet.read_table(pyarrow.BufferReader(data), page_checksum_verification=True, use_threads=False)
        metadata = columns.schema.metadata or {}
        described = json.loads(metadata[_METADATA])
        parameters = tuple(described["parameters"])
        columns = columns.replace_schema_metadata(None)
        right = described["version"] == 1 and tuple(columns.column_names[: len(parameters)]) == parameters
        columns.validate(full=True)
        right = right and metadata[_DIGEST] == _digest(columns)
    except KeyError:
        raise BadTable(f"{path} is no table of a campaign") from None
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, UnicodeError, MemoryError):
        raise BadTable(f"{path} is no table of a campaign, or is damaged") from None
    if not right:
        raise BadTable(f"{path} is damaged, or of another version")
    return Table(columns, parameters)


def _column(values: Sequence[Scalar]) -> Any:
    """A column of one type: of texts, if the values are of several that are not all numbers."""
    import pyarrow

    kinds = {*map(type, values)}
    if len(kinds - {type(None)}) <= 1 or kinds <= {int, float, type(None)}:
        with suppress(OverflowError, pyarrow.ArrowInvalid):  # an integer of more than 64 bits
            if kinds == {int}:
                return pyarrow.array(np.fromiter(cast(Sequence[int], values), np.int64, len(values)))
            return pyarrow.array(values, pyarrow.float64() if float in kinds else None)
    texts = [None if value is None else value if isinstance(value, str) else json.dumps(value) for value in values]
    return pyarrow.array(texts, pyarrow.string())


def _digest(columns: pyarrow.Table) -> bytes:
    """A digest of names, types and values."""
    import pyarrow

    columns = columns.replace_schema_metadata(None).combine_chunks()
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, columns.schema) as stream:
        stream.write_table(columns)
    return hashlib.sha256(sink.getvalue()).hexdigest().encode()


def _whole(path: Path, write: Any) -> None:
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        write(str(unfinished))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
