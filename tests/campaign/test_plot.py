# SPDX-License-Identifier: GPL-2.0-only
"""Plots: what is on them, and that they are the same bytes each time."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest

from emu.campaign.plot import drawn, plot
from emu.campaign.table import Table, table_of
from tests.lib.tables import campaign, entries, entry


@pytest.fixture(scope="module")
def table() -> Table:
    return table_of(entries(4, slow=1.5))


def words(svg: bytes) -> list[str]:
    """The texts. Their letters are drawn; the texts are in comments."""
    return re.findall(r"<!-- (.+?) -->", svg.decode())


def colours(svg: bytes) -> set[str]:
    """Of lines and bars."""
    return {*re.findall(r"#(?:1f77b4|ff7f0e|2ca02c|d62728|9467bd|8c564b)", svg.decode())}


def test_lines_for_each_combination_of_what_varies(table: Table) -> None:
    svg = drawn(table, "cpus", "cycles", "svg")
    assert {"cpus", "cycles", "tracer nop", "tracer function"} <= {*words(svg)}
    assert "400,000" in words(svg) and len(colours(svg)) == 2


def test_texts_have_bars(table: Table) -> None:
    svg = drawn(table, "tracer", "cycles", "svg")
    assert {"nop", "function", "cpus 1", "cpus 2", "cpus 4"} <= {*words(svg)} and len(colours(svg)) == 3


def test_other_combinations_or_none(table: Table) -> None:
    svg = drawn(table, "seed", "cycles", "svg", ["cpus", "tracer"])
    assert {"cpus 1, tracer nop", "cpus 4, tracer function"} <= {*words(svg)}
    svg = drawn(table, "cpus", "cycles", "svg", [])
    assert "tracer nop" not in words(svg) and len(colours(svg)) == 1


def test_means_are_drawn_where_they_are() -> None:
    """The means are on a straight line."""
    table = table_of(entry(n=n, seed=seed, x_=10 * n + seed) for n in range(4) for seed in range(3))
    svg = drawn(table, "n", "x", "svg").decode()
    *_, line = re.findall(r'<path d="(M [^"z]+)" clip-path="[^"]+" style="fill: none; stroke: #1f77b4; stroke-width: 1.5', svg)
    points = [tuple(map(float, point)) for point in re.findall(r"([\d.]+) ([\d.]+)", line)]
    steps = {tuple(round(b - a, 2) for a, b in zip(*pair, strict=True)) for pair in pairwise(points)}
    assert len(points) == 4 and len(steps) == 1


def test_shares_of_an_outcome(table: Table) -> None:
    svg = drawn(table, "cpus", "outcome", "svg")
    assert {"ok", "hang", "outcome: share of the runs", "tracer nop", "tracer function"} <= {*words(svg)}
    assert words(drawn(table_of(entry(n=n, seed=seed, ok_=seed > n) for n in (1, 2) for seed in range(4)), "n", "ok", "svg"))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("cpu", "cycles"), "the table has no column 'cpu'; did you mean cpus?"),
        (("cpus", "cycels"), "the table has no column 'cycels'; did you mean cycles?"),
        (("cpus", "x" * 40), f"the table has no column '{'x' * 40}'"),
        (("cpus", "cycles", ["tracers"]), "the table has no column 'tracers'; did you mean tracer?"),
        (("cpus", "cpus"), "x and y are both 'cpus'"),
        (("cpus", "cycles", ["cycles", "seed"]),
         "48 combinations of cycles, seed are too many for one plot: choose by which it has lines"),
    ],
)  # fmt: skip
def test_what_is_refused(columns: Sequence[str], said: str) -> None:
    table = table_of(entries(8))
    with pytest.raises(ValueError) as refused:
        drawn(table, *columns[:2], "svg", *columns[2:])  # type: ignore[arg-type]  # the third is a list
    assert str(refused.value) == said


def test_tables_without_anything_to_plot() -> None:
    for table, y, said in (
        (table_of([]), "y", "the table has no column 'x'"),
        (table_of([entry(x=1, y_=None)]), "y", "'y' has no values"),
        (table_of(entry(x=n, y_=str(n)) for n in range(20)), "y", "'y' is a text with more than 10 values"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            drawn(table, "x", y, "svg")
    with pytest.raises(ValueError, match=r"a plot's name ends in \.svg or \.png, not in '\.pdf'"):
        drawn(table_of([entry(x=1, y_=1)]), "x", "y", "pdf")


def test_names_may_be_anything() -> None:
    """No formulas of TeX, no comments that end in XML; what a legend would leave out is there."""
    names = ["_a", "$x_{1$", "-->", "\x01\n", "ü", "语"]
    table = table_of(entry(x=n % 3, name=name, seed=n, y_=n) for n, name in enumerate(names * 3))
    svg = drawn(table, "x", "y", "svg")
    assert {"name _a", "name $x_{1$", "name ü", r"name \x01\x0a"} <= {*words(svg)}
    ElementTree.fromstring(svg)
    renamed = table_of(entry(**{"x": n % 3, "_n": n % 2, "y_": n}) for n in range(9))
    assert {"_n 0", "_n 1"} <= {*words(drawn(renamed, "x", "y", "svg"))}


def test_the_same_bytes_in_another_process_with_other_settings(tmp_path: Path) -> None:
    table = campaign(tmp_path, entries(3))
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nsvg.fonttype: none\nfont.size: 20\nbackend: TkAgg\n")
    script = (
        "import sys; from emu.campaign import read_table; from emu.campaign.plot import plot; from pathlib import Path\n"
        "table = read_table(Path('table.parquet'))\n"
        "plot(table, 'cpus', 'cycles', 'a.svg'); plot(table, 'cpus', 'cycles', 'a.png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    names = ("svg.hashsalt", "font.size", "axes.grid", "text.parse_math")
    before = [matplotlib.rcParams[name] for name in names]
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    for name in ("b.svg", "b.png"):
        plot(table, "cpus", "cycles", tmp_path / name)
    assert [matplotlib.rcParams[name] for name in names] == before
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", (tmp_path / "a.png").read_bytes()[16:24]) == (1200, 750)
    assert b"<dc:date>" not in (tmp_path / "a.svg").read_bytes()
