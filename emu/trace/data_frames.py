# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a trace for pandas, polars and pyarrow, if they are installed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from emu.trace.lists import Column, Lists

__all__ = ["Columns", "DataFrames", "MissingLibrary", "library"]

DataFrame: TypeAlias = Any  # from a library that may be missing, even for the type checker


class MissingLibrary(ImportError):
    """A library is not installed. The message is one line that names it and says how to get it."""


def library(name: str) -> ModuleType:
    """Imports a library's module, such as `pandas` or `pyarrow.parquet`.

    Raises:
        MissingLibrary: the library is not installed.
    """
    package = name.partition(".")[0]
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingLibrary(f"{package} is not installed: pip install {package}, or emu[{package.removeprefix('py')}]") from None


class DataFrames(Mapping[str, Column]):
    """Columns that can be converted to data frames. A column with several numbers per row becomes one of lists of numbers."""

    def _repr_html_(self) -> str:
        """For notebooks: the first rows."""
        from emu.trace.display.columns import columns_html

        return columns_html(self)

    def to_pandas(self) -> DataFrame:
        """A pandas.DataFrame.

        Raises:
            MissingLibrary: pandas is not installed.
        """
        pandas = library("pandas")
        return pandas.DataFrame({name: _one_per_row(self[name]) for name in self})

    def to_polars(self) -> DataFrame:
        """A polars.DataFrame.

        Raises:
            MissingLibrary: polars is not installed.
        """
        polars = library("polars")
        return polars.DataFrame({name: _series(polars, self[name]) for name in self})

    def to_arrow(self) -> DataFrame:
        """A pyarrow.Table.

        Raises:
            MissingLibrary: pyarrow is not installed.
        """
        pyarrow = library("pyarrow")
        return pyarrow.table({name: _arrow(pyarrow, self[name]) for name in self})


class Columns(DataFrames):
    """Some columns."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def _arrow(pyarrow: ModuleType, column: Column) -> object:
    if isinstance(column, Lists):
        return pyarrow.LargeListArray.from_arrays(pyarrow.array(column.offsets), pyarrow.array(column.values))
    if column.ndim > 1:
        return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(column.reshape(-1)), column.shape[1])
    return pyarrow.array(column.tolist() if column.dtype == np.object_ else column)


def _one_per_row(column: Column) -> object:
    return list(column) if isinstance(column, Lists) or column.ndim > 1 else column


def _series(polars: ModuleType, column: Column) -> object:
    if isinstance(column, Lists) or column.ndim > 1:
        numbers = polars.Series(np.empty(0, column.dtype)).dtype
        return polars.Series(column.tolist(), dtype=polars.List(numbers))
    return column
