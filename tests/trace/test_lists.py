# SPDX-License-Identifier: GPL-2.0-only
"""Columns of arrays with varying lengths: their offsets and values, and their conversions."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from emu.trace import Trace
from emu.trace.lists import Lists
from tests.lib.event_formats import format_file, with_formats
from tests.lib.trace_dat import Dat, Pages

ROWS = [[1, 2, 3], [], [4], [1, 2, 3]]
ADDRESS = 0xFFFFFFFF81000000
DYNAMIC = format_file(900, "dynamic", ["__data_loc u16[] numbers:8:4", "int last:12:4"], '"%d", REC->last')


def lists() -> Lists:
    return Lists(np.array([0, 3, 3, 4, 7]), np.array([1, 2, 3, 4, 1, 2, 3], np.uint16))


def of_entries(tmp_path: Path, *entries: bytes, order: str = "<") -> Trace:
    pages = Pages(order)
    for n, entry in enumerate(entries):
        pages.add(1000 + n, entry)
    pages.flush()
    path = tmp_path / "trace.dat"
    path.write_bytes(Dat([pages.data], formats=with_formats("own", DYNAMIC), order=order).version7())
    return Trace.open(path)


def entry(order: str, kind: int, layout: str, *values: object) -> bytes:
    return struct.pack(f"{order}HBBi{layout}", kind, 0, 0, 5, *values)


def stack(order: str, addresses: Sequence[int], *rest: int) -> bytes:
    return entry(order, 4, f"iI{len(addresses) + len(rest)}Q", len(addresses), 0, *addresses, *rest)


def test_rows_and_some_of_the_rows() -> None:
    found = lists()
    assert len(found) == 4 and found.tolist() == ROWS and [row.tolist() for row in found] == ROWS
    assert found.lengths.tolist() == [3, 0, 1, 3]
    assert found[2].tolist() == [4] and found[-1].tolist() == [1, 2, 3] and found[0].dtype == np.uint16
    assert found[1:3].tolist() == ROWS[1:3] and found[:0].tolist() == []
    assert found[np.array([3, 0])].tolist() == [ROWS[3], ROWS[0]]
    assert found[found.lengths > 1].tolist() == [ROWS[0], ROWS[3]]
    with pytest.raises(IndexError):
        found[4]


def test_which_rows_have_the_same() -> None:
    which, firsts = lists().numbered()
    assert which.tolist() == [0, 1, 2, 0] and firsts == [0, 1, 2]
    assert Lists.of(np.array([[1, 2], [3, 4]])).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("order", "<>")
def test_a_stack_has_all_of_its_addresses(order: str, tmp_path: Path) -> None:
    """The actual number of addresses, not the one in the format; older kernels fill the rest with all-ones words."""
    deep, flat = [ADDRESS + n for n in range(29)], [ADDRESS]
    trace = of_entries(tmp_path, stack(order, deep), stack(order, flat), stack(order, flat, *[(1 << 64) - 1] * 7), order=order)
    callers = trace["kernel_stack"]["caller"]
    assert callers.tolist() == [deep, flat, flat]
    assert callers.dtype == np.uint64 and callers.offsets.dtype == np.int64


@pytest.mark.parametrize("order", "<>")
def test_data_that_a_field_leads_to(order: str, tmp_path: Path) -> None:
    found = of_entries(
        tmp_path,
        entry(order, 900, "Ii2H", 16 | 4 << 16, 7, 1, 0x102),
        entry(order, 900, "Ii", 16, 8),
        entry(order, 900, "Ii3H", 16 | 60 << 16, 9, 1, 2, 3),  # up to beyond the end of the entry
        order=order,
    )["dynamic"]
    assert found["numbers"].tolist() == [[1, 0x102], [], [1, 2, 3, 0]]
    assert found["numbers"].dtype == np.uint16 and found["last"].tolist() == [7, 8, 9]


def test_the_numbers_of_a_message(tmp_path: Path) -> None:
    found = of_entries(tmp_path, entry("<", 6, "QQ2I", ADDRESS, 0, 5, 7), entry("<", 6, "QQ", ADDRESS, 0))["bprint"]
    assert found["buf"].tolist() == [[5, 7], []] and found["buf"].dtype == np.uint32


def test_arrows_lists(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = of_entries(tmp_path, stack("<", [ADDRESS, 1, 2]), stack("<", []))["kernel_stack"].to_arrow()
    assert table["caller"].type == pyarrow.large_list(pyarrow.uint64())
    assert table["caller"].to_pylist() == [[ADDRESS, 1, 2], []]


def test_a_notebook_shows_them(tmp_path: Path) -> None:
    assert "[18446744071578845184, 1]" in of_entries(tmp_path, stack("<", [ADDRESS, 1]))["kernel_stack"]._repr_html_()
