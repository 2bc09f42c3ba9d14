# SPDX-License-Identifier: GPL-2.0-only
"""emu race herd7, and emu race check of herd7's files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import emu.race
from tests.cli.conftest import Emu
from tests.race.test_ifetch import FLUSH, SITE, of_columns

CORPUS = Path(emu.race.__file__).parent / "corpus"


def test_a_test_goes_to_herd7_and_back(emu: Emu, tmp_path: Path) -> None:
    written = emu("race", "herd7", str(CORPUS / "store-buffering.litmus"))
    assert written.status == 0 and b"movq $1,(x)" in written.out
    (tmp_path / "sb.litmus").write_bytes(written.out)
    checked = emu("race", "check", "--fetch", "coherent", str(tmp_path / "sb.litmus"))
    assert checked.status == 0 and b"Observation store-buffering Sometimes 1 3" in checked.out


@pytest.mark.parametrize(("name", "said"), [("x2apic", "more than herd7 reads"), ("sparc-flush", "herd7 has no sparc64")])
def test_what_herd7_cannot_have_is_one_line(emu: Emu, name: str, said: str) -> None:
    refused = emu("race", "herd7", str(CORPUS / f"{name}.litmus"))
    assert refused.status == 2 and refused.out == b"" and refused.err.count("\n") == 1 and said in refused.err


def test_tests_for_aarch64_are_checked(emu: Emu, tmp_path: Path) -> None:
    path = tmp_path / "own.litmus"
    text = of_columns(["STR W0,[X1]", *FLUSH, "ISB", *SITE], condition="0:X9=0", quantifier="~exists", name="own")
    path.write_text(text.replace("P1:site", "P0:site"))
    checked = emu("race", "check", str(path))
    assert checked.status == 0 and b"Observation own Never 0 1" in checked.out and b"all as expected" in checked.out
    (file,) = json.loads(emu("race", "check", "--json", str(path)).out)["files"]
    assert file["ok"] and file["tests"][0]["observation"] == "Never"
    assert emu("race", "check", "--cpus", "2", str(path)).status == 2
    path.write_text(path.read_text().replace("DC CVAU", "DC ZVA"))
    undecided = emu("race", "check", str(path))
    assert undecided.status == 1 and b"Not decided: the lab has no DC ZVA" in undecided.out
    path.write_text("AArch64 broken\n{ }\n P0 ;\n NOP ;\nexists (x)\n")
    broken = emu("race", "check", str(path))
    assert broken.status == 2 and broken.err.count("\n") == 1
