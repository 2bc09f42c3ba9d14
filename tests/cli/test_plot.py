# SPDX-License-Identifier: GPL-2.0-only
"""emu plot."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from emu.campaign.plot import drawn
from tests.cli.conftest import Emu
from tests.lib.tables import campaign, entries


def test_the_plot_is_beside_the_table_or_where_it_is_asked_for(tmp_path: Path, emu: Emu) -> None:
    study = tmp_path / "study"
    table = campaign(study, entries(3))
    for place in (study, study / "table.parquet"):
        assert emu("plot", str(place), "cpus,cycles") == (0, b"", "")
        assert (study / "table.svg").read_bytes() == drawn(table, "cpus", "cycles", "svg")
        (study / "table.svg").unlink()
    assert emu("plot", str(study), "cpus,cycles", "--by", "tracer", "-o", str(tmp_path / "x.png")) == (0, b"", "")
    assert (tmp_path / "x.png").read_bytes() == drawn(table, "cpus", "cycles", "png", ["tracer"])
    assert emu("plot", str(study), "cpus,cycles", "--by", "", "-o", str(tmp_path / "x.svg")) == (0, b"", "")
    assert (tmp_path / "x.svg").read_bytes() == drawn(table, "cpus", "cycles", "svg", [])


def test_what_is_refused(tmp_path: Path, emu: Emu) -> None:
    study, other, text = tmp_path / "study", tmp_path / "other", tmp_path / "text.txt"
    campaign(study, entries(1))
    other.mkdir()
    text.write_text("text")
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes((study / "table.parquet").read_bytes()[:-9])
    for words, said in (
        ([study, "cpus"], "'cpus' is not X,Y: two columns of the table, such as cpus,cycles"),
        ([study, "cpus,cycle"], f"{study}: the table has no column 'cycle'; did you mean cycles?"),
        ([study, "cpus,cycles", "--by", "trace"], f"{study}: the table has no column 'trace'; did you mean tracer?"),
        ([study, "cpus,cycles", "-o", "x.pdf"], f"{study}: a plot's name ends in .svg or .png, not in '.pdf'"),
        ([study, "cpus,cycles", "-o", tmp_path / "no/x.svg"], f"cannot write {tmp_path / 'no/x.svg'}: No such file or directory"),
        ([other, "cpus,cycles"], f"{other}: no table.parquet is in this folder"),
        ([text, "cpus,cycles"], f"{text} is no table of a campaign, or is damaged"),
        ([damaged, "cpus,cycles"], f"{damaged} is no table of a campaign, or is damaged"),
        ([tmp_path / "none", "cpus,cycles"], f"cannot read {tmp_path / 'none'}: No such file or directory"),
    ):
        assert emu("plot", *map(str, words)) == (2, b"", f"emu: {said}\n")
    assert not [*tmp_path.glob("*.svg"), *study.glob("*.svg")]


@pytest.mark.parametrize("library", ["matplotlib", "pyarrow", "scipy"])
def test_a_library_that_is_missing_is_named(library: str, tmp_path: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    study = tmp_path / "study"
    campaign(study, entries(1))
    really = builtins.__import__

    def without(name: str, *arguments: object, **options: object) -> object:
        if name.partition(".")[0] == library:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return really(name, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    assert emu("plot", str(study), "cpus,cycles") == (2, b"", f"emu: emu plot needs {library}: pip install 'emu[campaign]'\n")
