# SPDX-License-Identifier: GPL-2.0-only
"""Tables for pandas, polars and pyarrow; the error for a missing package names it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.data_frames import MissingLibrary
from tests.lib.golden import GOLDEN
from tests.trace.test_lists import ADDRESS, of_entries, stack


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_of_events_and_one_of_calls(library: str) -> None:
    method = f"to_{library.removeprefix('py')}"
    trace = Trace.open(GOLDEN / "tracecmd-graph-depth.dat")
    for table in (trace["funcgraph_entry"], trace.calls):
        if importlib.util.find_spec(library) is None:
            with pytest.raises(MissingLibrary, match=f"^{library} is not installed: pip install {library}, or emu\\["):
                getattr(table, method)()
            continue
        frame = getattr(table, method)()
        assert len(frame) == table.count
        names = frame.column_names if library == "pyarrow" else list(frame.columns)
        assert list(names) == list(table)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_arrays_of_varying_length_are_lists(library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    table = of_entries(tmp_path, stack("<", [ADDRESS, 1]), stack("<", []))["kernel_stack"]
    column = getattr(table, f"to_{library.removeprefix('py')}")()["caller"]
    assert [list(row) for row in (column.to_pylist() if library == "pyarrow" else column)] == [[ADDRESS, 1], []]
