# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a trace for pandas, polars and pyarrow, which are there if somebody has installed them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DataFrames", "MissingLibrary"]


class MissingLibrary(ImportError):
    """A library that is not installed. The message is one line that names it and says how to get it."""


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingLibrary(f"{name} is not installed: pip install {name}, or emu[{name}]") from None


class DataFrames(Mapping[str, NDArray[Any]]):
    """What columns can become. A column of several numbers per row becomes one of lists."""

    def to_pandas(self) -> Any:
        """A pandas.DataFrame.

        Raises:
            MissingLibrary: pandas is not installed.
        """
        pandas = _library("pandas")
        return pandas.DataFrame({name: _one_per_row(self[name]) for name in self})

    def to_polars(self) -> Any:
        """A polars.DataFrame.

        Raises:
            MissingLibrary: polars is not installed.
        """
        polars = _library("polars")
        return polars.DataFrame({name: _column(self[name]) for name in self})

    def to_arrow(self) -> Any:
        """A pyarrow.Table.

        Raises:
            MissingLibrary: pyarrow is not installed.
        """
        pyarrow = _library("pyarrow")
        return pyarrow.table({name: pyarrow.array(_column(self[name])) for name in self})


def _one_per_row(column: NDArray[Any]) -> Any:
    return list(column) if column.ndim > 1 else column


def _column(column: NDArray[Any]) -> Any:
    """Lists where numpy has objects or more than one dimension."""
    if column.ndim > 1:
        return column.tolist()
    if column.dtype == np.object_:
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in column]
    return column
