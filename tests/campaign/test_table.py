# SPDX-License-Identifier: GPL-2.0-only
"""Tables: made from entries in any order, written and read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.campaign.groups import is_number
from emu.campaign.journal import Entry
from emu.campaign.table import BadTable, read_table, table_of
from emu.campaign.unit import Scalar
from tests.lib.tables import campaign, entries, entry

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.just(2**70), st.text("aß", max_size=2),
    st.floats(-2, 2).map(lambda value: value + 0.0 if value else 0.0),  # -0.0 and 0.0 are equal, and have other bytes
)  # fmt: skip
PARAMETERS, MEASURES = (st.dictionaries(st.sampled_from(names), SCALARS) for names in ("abc", "xyz"))
ENTRIES = st.lists(st.builds(Entry, PARAMETERS, MEASURES), max_size=12)


@settings(deadline=None, max_examples=30)
@given(ENTRIES, st.randoms(use_true_random=False))
def test_entries_may_have_any_order(tmp_path_factory: pytest.TempPathFactory, found: list[Entry], choose: Random) -> None:
    folder = tmp_path_factory.mktemp("order")
    first = campaign(folder, found)
    data = (folder / "table.parquet").read_bytes(), (folder / "table.csv").read_bytes()
    again = read_table(folder / "table.parquet")
    assert again.columns.equals(first.columns) and again.parameters == first.parameters
    choose.shuffle(found)
    campaign(folder, found)
    assert ((folder / "table.parquet").read_bytes(), (folder / "table.csv").read_bytes()) == data


@settings(deadline=None, max_examples=40)
@given(ENTRIES)
def test_a_table_has_what_the_entries_have(found: list[Entry]) -> None:
    table = table_of(found)
    names = {name for one in found for name in (*one.parameters, *one.measures)}
    assert {*table.columns.column_names} == names
    if names:
        texts = {name for name in names if pyarrow.types.is_string(table.columns.schema.field(name).type)}
        values = [{**one.parameters, **one.measures} for one in found]
        wanted = [[_expected(one.get(name), name in texts) for name in sorted(names)] for one in values]
        rows = [[row[name] for name in sorted(names)] for row in table.rows()]
        assert sorted(map(repr, rows)) == sorted(map(repr, _as_floats(table.columns.schema, sorted(names), wanted)))


def _expected(value: Scalar, is_text: bool) -> Scalar:
    return json.dumps(value) if is_text and value is not None and not isinstance(value, str) else value


def _as_floats(schema: pyarrow.Schema, names: Sequence[str], rows: list[list[Scalar]]) -> list[list[Scalar]]:
    floats = [pyarrow.types.is_floating(schema.field(name).type) for name in names]
    return [
        [float(value) if is_float and value is not None else value for value, is_float in zip(row, floats, strict=True)]
        for row in rows
    ]


def test_many_entries_are_sorted_by_their_parameters() -> None:
    """More than are taken at once; the order of parameters is that of the entries with the most."""
    found = [entry(b=n % 7, a=n // 7, x_=n) for n in range(3000)][::-1]
    found[1234:1234] = [entry(a=5, x_=None)]
    table = table_of(found)
    assert table.parameters == ("b", "a")
    keys = [(row["b"] is None, row["b"], row["a"]) for row in table.rows()]
    assert keys == sorted(keys, key=lambda key: (key[0], key[1] or 0, key[2])) and len(keys) == 3001
    assert all(row["x"] == (None if row["b"] is None else row["a"] * 7 + row["b"]) for row in table.rows())


def test_numbers_of_numpy_are_numbers() -> None:
    table = table_of([entry(n=1, x_=np.float64(0.5)), entry(n=2, x_=0.25), entry(n=3, x_=2)])
    assert [name for name in table.measures if is_number(table, name)] == ["x"]
    assert [row["x"] for row in table.rows()] == [0.5, 0.25, 2.0]


def test_a_name_of_both_kinds_is_refused() -> None:
    with pytest.raises(ValueError, match="'x' is a parameter of one unit and a measure of another"):
        table_of([entry(x=1), entry(x_=1)])


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    path, good = tmp_path / "table.parquet", tmp_path / "good"
    campaign(good, entries(1))
    data = (good / "table.parquet").read_bytes()
    other = pyarrow.table({"a": [1]})
    pyarrow.parquet.write_table(other, tmp_path / "other.parquet")
    for wrong in (b"", b"PAR1", b"PAR1PAR1", b"PAR1\xff\xff\xff\xffPAR1", data[:-1], data + b"x", b"x" + data,
                  (tmp_path / "other.parquet").read_bytes()):  # fmt: skip
        path.write_bytes(wrong)
        with pytest.raises(BadTable) as refused:
            read_table(path)
        assert str(refused.value) == f"{path} is no table of a campaign, or is damaged"
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "none.parquet")


def test_other_readers_skip_the_digest(tmp_path: Path) -> None:
    """It is where the format says nothing: between the columns and the footer."""
    table = campaign(tmp_path, entries(2))
    data = (tmp_path / "table.parquet").read_bytes()
    assert pyarrow.parquet.read_table(tmp_path / "table.parquet").replace_schema_metadata(None).equals(table.columns)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert hashlib.sha256(data[: footer - 32] + data[footer:]).digest() == data[footer - 32 : footer]
    assert not [*tmp_path.glob(".*")]
