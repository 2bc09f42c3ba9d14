# SPDX-License-Identifier: GPL-2.0-only
"""Tables for pandas, polars and pyarrow; one that is not installed is named."""

from __future__ import annotations

import importlib.util

import pytest

from emu.trace import Trace
from emu.trace.data_frames import MissingLibrary
from tests.lib.trace_dat import GOLDEN


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
