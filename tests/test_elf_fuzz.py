# SPDX-License-Identifier: GPL-2.0-only
"""Some of the damaged ELF files of tests/fuzz; the others are tried by `make soak`."""

from __future__ import annotations

from tests.fuzz import modules, programs


def test_damaged_modules(arch: str) -> None:
    outcome = modules.run(500, 1, arch)
    assert outcome.findings == []
    assert outcome.tried == 500
    assert outcome.refused > 100 and outcome.accepted > 50


def test_damaged_programs(arch: str) -> None:
    outcome = programs.run(300, 1, arch)
    assert outcome.findings == []
    assert outcome.tried == 300
    assert min(outcome.refused, outcome.accepted, outcome.killed) > 10
