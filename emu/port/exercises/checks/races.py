# SPDX-License-Identifier: GPL-2.0-only
"""The race lab's verdicts about protocols and scenarios that the learner writes."""

from __future__ import annotations

from emu import race
from emu.port.exercises.exam import Exam

__all__ = ["own_protocol_is_safe"]


def own_protocol_is_safe(exam: Exam) -> None:
    """The function `change` of protocol.py: each order of events, with NMIs and without, undone or not."""
    exam.expects("protocol.py:change is safe under each fetch model, at each place, with NMIs and without")
    for verdict in race.certify(f"{exam.folder / 'protocol.py'}:change", exam.arch, cpus=2, sites=1):
        case = verdict.scenario
        nmis = "with" if case.nmi_sites else "without"
        where = f"under {verdict.fetch}, at byte {case.places[0]} of a line, {nmis} NMIs"
        exam.require(verdict.wrong is None and verdict.outcome == "safe", f"{verdict.wrong or verdict.outcome} {where}")
