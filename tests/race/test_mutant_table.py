# SPDX-License-Identifier: GPL-2.0-only
"""The tables of docs/race-lab.md that show what every step of a protocol is for."""

from __future__ import annotations

from pathlib import Path

from emu.race.model.replay import replay
from tests.race.mutant_table import rows, table

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "race-lab.md"


def test_the_document_has_the_table(arch: str) -> None:
    assert table(arch) in DOCUMENT.read_text()


def test_the_shipped_protocols_are_safe_and_the_schedule_of_each_mutant_can_be_followed(arch: str) -> None:
    unsafe = 0
    for protocol, _, verdicts in rows(arch):
        for verdict in verdicts:
            assert verdict.wrong is None or " " in protocol.text
            if verdict.wrong:
                assert replay(verdict.schedule, verdict.scenario, verdict.fetch).wrong is verdict.wrong
                unsafe += 1
    assert unsafe > 30
