# SPDX-License-Identifier: GPL-2.0-only
"""Host calls: the header's list of them, the document's, and who answers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from emu.machine import Machine

ROOT = Path(__file__).resolve().parents[2]


def declared() -> list[tuple[int, str]]:
    """Numbers and names in HOST_CALLS, in its order."""
    header = (ROOT / "firmware" / "include" / "emu" / "hostcall.h").read_text()
    return [(int(number), name) for name, number in re.findall(r"\bCALL\((HC_\w+), (\d+)\)", header)]


def test_numbers_ascend() -> None:
    numbers = [number for number, _ in declared()]
    assert len(numbers) > 30
    assert numbers == sorted(set(numbers))


def test_the_document_has_the_same_list() -> None:
    document = (ROOT / "docs" / "board.md").read_text()
    assert [(int(number), name) for number, name in re.findall(r"^\| (\d+) \| (HC_\w+) \|", document, re.MULTILINE)] == declared()


def test_every_host_call_is_answered(machine: Machine) -> None:
    """By the board's native devices or by a method in Python, and by one of them only."""
    native = {int(number) for number in np.flatnonzero(machine.board._host_calls)}
    python = machine.kernel.host_calls.numbers
    assert sorted(native | python) == [number for number, _ in declared()]
    assert not native & python
