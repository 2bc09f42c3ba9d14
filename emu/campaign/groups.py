# SPDX-License-Identifier: GPL-2.0-only
"""Rows of a table that have the same values in some columns, and what can be said about the values of another column in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from emu.campaign.table import Table
from emu.campaign.text import is_short
from emu.campaign.unit import Scalar
from emu.ftrace.errors import did_you_mean

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "FEW", "Groups", "Key", "Mean", "check_column", "group", "is_number", "is_text", "means", "numbers", "text_counts", "text_of",
    "texts", "value_text", "varying",
]  # fmt: skip

FEW = 10  # different values of a text measure, at most, that are counted

Key: TypeAlias = tuple[Scalar, ...]


@dataclass(frozen=True, eq=False)
class Groups:
    """Attributes:
    names: the columns in which all rows of a group have the same values.
    keys: these values, of each group, in order.
    rows: the row numbers of each group.
    """

    names: tuple[str, ...]
    keys: Sequence[Key]
    rows: Sequence[NDArray[np.int64]]

    def dictionary(self, key: Key) -> dict[str, Scalar]:
        """The values of a group by the columns' names."""
        return dict(zip(self.names, key, strict=True))


@dataclass(frozen=True)
class Mean:
    """Attributes:
    count: the number of values.
    mean: None if there are none.
    half: the mean's confidence interval is from `mean - half` to `mean + half`; None if there are fewer than two values.
    """

    count: int
    mean: float | None
    half: float | None


def check_column(name: str, names: Collection[str], what: str = "column") -> None:
    """Raises:
    ValueError: a name is not one of those.
    """
    if name not in names:
        raise ValueError(f"the table has no {what} '{name}'{did_you_mean(name, names)}")


def is_number(table: Table, name: str) -> bool:
    """Whether a column has numbers."""
    import pyarrow.types as types

    kind = table.columns.schema.field(name).type
    return bool(types.is_integer(kind) or types.is_floating(kind))


def is_text(table: Table, name: str) -> bool:
    """Whether a column has texts or truth values."""
    import pyarrow.types as types

    kind = table.columns.schema.field(name).type
    return bool(types.is_string(kind) or types.is_boolean(kind))


def varying(table: Table) -> tuple[tuple[str, ...], dict[str, Scalar]]:
    """The parameters that have several values, and the values of the others."""
    several, fixed = [], {}
    for name in table.parameters:
        values = table.columns[name].unique()
        if len(values) == 1:
            fixed[name] = values[0].as_py()
        else:
            several.append(name)
    return tuple(several), fixed


def group(table: Table, names: Sequence[str]) -> Groups:
    """The groups of rows with the same values in some columns."""
    rows = table.columns.num_rows
    number = np.zeros(rows, np.int64)
    columns = [_codes(table.columns[name]) for name in names]
    for codes, values in columns:
        _, number = np.unique(number * len(values) + codes, return_inverse=True)  # small again, and in the same order
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    firsts = order[starts]
    keys = [*zip(*([values[code] for code in codes[firsts].tolist()] for codes, values in columns), strict=True)]
    return Groups(tuple(names), keys if names else [()] * len(starts), np.split(order, starts[1:]) if rows else [])


def numbers(table: Table, name: str) -> NDArray[np.float64]:
    """A column of numbers; what is absent is NaN."""
    import pyarrow

    column = table.columns[name].cast(pyarrow.float64(), safe=False)
    found: NDArray[np.float64] = column.to_numpy()
    return found


def texts(table: Table, name: str) -> NDArray[np.object_]:
    """A column in words; what is absent is ""."""
    values = table.columns[name].to_pylist()
    return np.array(["" if value is None else value_text(value) for value in values], object)


def means(groups: Groups, values: NDArray[np.float64], level: float = 0.95) -> list[Mean]:
    """The mean of a column's values in each group, with a confidence interval (Student's t)."""
    from scipy.stats import t

    if not groups.rows:
        return []
    sizes = np.array([*map(len, groups.rows)])
    which = np.repeat(np.arange(len(sizes)), sizes)
    ordered = values[np.concatenate(groups.rows)]
    there = ~np.isnan(ordered)
    which, ordered = which[there], ordered[there]
    count = np.bincount(which, minlength=len(sizes))
    some = np.maximum(count, 1)
    least, most = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    np.minimum.at(least, which, ordered)
    np.maximum.at(most, which, ordered)
    mean = np.where(least == most, most, np.bincount(which, ordered, len(sizes)) / some)  # exact, if all values are equal
    squares = np.bincount(which, (ordered - mean[which]) ** 2, len(sizes))
    half = t.ppf((1 + level) / 2, np.maximum(count - 1, 1)) * np.sqrt(squares / np.maximum(count - 1, 1) / some)
    return [
        Mean(many, middle if many else None, width if many > 1 else None)
        for many, middle, width in zip(count.tolist(), mean.tolist(), half.tolist(), strict=True)
    ]


def text_counts(table: Table, name: str, groups: Groups) -> list[Mapping[str, int]] | None:
    """How often each value of a column of texts is in each group, most frequent values of the table first; None: there are too
    many values, or long ones."""
    codes, values = _codes(table.columns[name])
    total = np.bincount(codes, minlength=len(values))
    order = [n for n in sorted(range(len(values)), key=lambda n: (-int(total[n]), n)) if values[n] is not None]
    if len(order) > FEW or not all(is_short(value_text(values[n])) for n in order):
        return None
    counts = (np.bincount(codes[rows], minlength=len(values)) for rows in groups.rows)
    return [{value_text(values[n]): int(of_group[n]) for n in order} for of_group in counts]


def value_text(value: Scalar) -> str:
    """A value, in words."""
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)


def text_of(values: Mapping[str, Scalar]) -> str:
    """Values with their names, in words: `cpus 2, tracer function`."""
    return ", ".join(f"{name} {value_text(value)}" for name, value in values.items())


def _codes(column: pyarrow.ChunkedArray) -> tuple[NDArray[np.int64], list[Scalar]]:
    """For each row the index of its value, and the values, sorted; None is the last."""
    import pyarrow

    if column.type == pyarrow.null():
        return np.zeros(len(column), np.int64), [None]
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=lambda n: (values[n] is None, values[n] if values[n] is not None else 0))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[encoded.indices.to_numpy()], [values[n] for n in order]
